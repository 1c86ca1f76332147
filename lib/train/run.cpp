#include "train/run.hpp"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "checkpoint/agreement.hpp"
#include "checkpoint/checkpointer.hpp"
#include "core/log.hpp"
#include "model/registry.hpp"
#include "train/channels.hpp"
#include "train/launch.hpp"
#include "train/mpi_group.hpp"
#include "train/record.hpp"
#include "train/trainer.hpp"

namespace lockstep::train {
namespace {

std::unique_ptr<model::Model> make_model(const Settings& settings, const data::Dataset& dataset,
                                         const Launch& launch, int ranks) {
  const model::InputShape input{
      dataset.shape().channels,
      settings.model.classes.value_or(static_cast<std::int64_t>(dataset.classes().size()))};
  if (input.classes < static_cast<std::int64_t>(dataset.classes().size())) {
    throw Error(ErrorKind::usage,
                fmt::format("model.classes {} is fewer than the {} classes of the training data",
                            input.classes, dataset.classes().size()));
  }
  auto model = model::make(settings.model, input);
  model->parameters().allocate({.device = launch.device,
                                .channels_last = settings.model.channels_last,
                                .report_count = report_count(ranks),
                                .seed = static_cast<std::uint64_t>(settings.run.seed)});
  return model;
}

// Ranks may stand on different processors, whose mathematical functions may differ in the last bit.
void begin_with_equal_weights(const model::Model& model, comm::Communicator& communicator) {
  communicator.broadcast(view_of(model.parameters().weights()), 0).wait();
}

// The memory that communication reaches: made before the channels and freed after them, so that
// nothing on its way can outlive it.
struct Memory {
  data::Datasets datasets;
  std::unique_ptr<model::Model> model;
};

// Trains or evaluates on ranks that are known to agree.
job::ExitCode work(const Settings& settings, const Request& request, const Launch& launch,
                   os::StopSignals& signals, Channels& channels, MpiGroup& group, Record& record,
                   Memory& memory) {
  const int threads = threads_of(launch, settings.train.threads);
  at::set_num_threads(threads);
  checkpoint::together(group, "", [&] {
    channels.check();
    memory.datasets = data::open(settings.data);
    memory.model = make_model(settings, *memory.datasets.train, launch, group.size());
  });
  channels.open_gradients(threads);
  signals.reinstall();  // some versions of NCCL take SIGUSR1 for themselves
  begin_with_equal_weights(*memory.model, channels.gradients());
  if (!request.evaluate) record.start(launch, channels, threads);

  StopRules rules(signals, {.stop_file = group.rank() == 0 ? record.directory().stop_file() : "",
                            .deadline = launch.placement.deadline.value});
  checkpoint::Checkpointer checkpointer(record.directory().root(), group, record.token());
  std::vector<Observer*> observers = record.observers();
  observers.push_back(&channels);
  std::unique_ptr<Trainer> trainer;
  checkpoint::together(group, "", [&] {
    trainer = std::make_unique<Trainer>(
        Parts{.settings = settings,
              .datasets = memory.datasets,
              .model = *memory.model,
              .gradients = channels.gradients(),
              .control = channels.control(),
              .checkpointer = checkpointer,
              .rules = rules,
              .observers = observers,
              .resume = request.resume,
              .facts = record.facts(channels, threads),
              .loader_threads = settings.data.threads.value_or(std::max(1, threads - 1))});
  });
  if (request.evaluate) {
    const job::ExitCode code = record.evaluate(*trainer, *request.evaluate);
    channels.gradients().close();
    return code;
  }
  const Stop stop = trainer->run();
  channels.gradients().close();
  return record.finish(stop, trainer->progress());
}

}  // namespace

job::ExitCode run(const Settings& settings, const Request& request, const mpi::Session& session,
                  job::Placement placement, os::StopSignals& signals) {
  const Launch launch = gather_launch(session.world(), std::move(placement), settings.hash());
  check_launch(launch);
  for (const std::string& notice : launch.placement.notices) log::warn(notice);

  Memory memory;
  Channels channels(settings.comm, session.world(), launch, signals);
  MpiGroup group(channels.control());
  Record record(settings, request, launch, group);
  if (record.is_done()) return record.say_done();
  return record.guard(channels, [&] {
    return work(settings, request, launch, signals, channels, group, record, memory);
  });
}

}  // namespace lockstep::train
