// How a trainer is put together and where it starts; the loop itself is in trainer.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/log.hpp"
#include "train/trainer.hpp"

namespace lockstep::train {
namespace {

std::int64_t micro_batches_of(const Settings& settings, const comm::Communicator& ranks) {
  const std::int64_t largest = (settings.train.global_batch + ranks.size() - 1) / ranks.size();
  const std::int64_t smallest = settings.train.global_batch / ranks.size();
  const std::int64_t bound = settings.train.micro_batch.value_or(largest);
  const std::int64_t count = (largest + bound - 1) / bound;
  if (count > smallest) {
    throw Error(ErrorKind::usage,
                fmt::format("train.global_batch {} on {} ranks is {} to {} samples a rank, too few "
                            "for micro-batches of at most "
                            "{}: raise train.micro_batch",
                            settings.train.global_batch, ranks.size(), smallest, largest, bound));
  }
  if (smallest / count < 2 && !settings.model.sync_batch_norm) {
    log::warn(
        "a micro-batch holds {} sample(s): batch normalisation over so few is poor, and with 1x1 "
        "maps it fails; "
        "raise train.global_batch or train.micro_batch, or set model.sync_batch_norm: true",
        smallest / count);
  }
  return count;
}

// Whatever decides roundings beside the number of ranks.
std::string arithmetic_of(const checkpoint::Facts& facts) {
  const auto versions = nlohmann::json::parse(facts.versions, nullptr, /*allow_exceptions=*/false);
  return versions.is_object() ? versions.value("arithmetic", std::string("unknown")) : "unknown";
}

std::int64_t channels_of(const data::Datasets& datasets) {
  return datasets.train->shape().channels;
}

}  // namespace

data::Order order_of(const Settings& settings, const data::Dataset& dataset) {
  const data::Order order{static_cast<std::uint64_t>(settings.run.seed), dataset.size(),
                          settings.train.global_batch};
  if (order.dataset_size < order.global_batch) {
    throw Error(ErrorKind::usage,
                fmt::format("train.global_batch {} is larger than the training data ({} samples)",
                            order.global_batch, order.dataset_size));
  }
  return order;
}

std::int64_t steps_of(const Settings& settings, const data::Order& order) {
  return settings.train.steps > 0 ? settings.train.steps
                                  : settings.train.epochs * order.steps_per_epoch();
}

Trainer::Trainer(Parts parts)
    : parts_(std::move(parts)),
      settings_(parts_.settings),
      order_(order_of(settings_, *parts_.datasets.train)),
      steps_(steps_of(settings_, order_)),
      micro_batches_(micro_batches_of(settings_, parts_.gradients)),
      input_(settings_.data.mean, settings_.data.std, channels_of(parts_.datasets),
             parts_.model.parameters().device()),
      optimizer_(make_optimizer(settings_.optimizer, parts_.model.parameters())),
      schedule_(settings_.schedule, base_rate(settings_.optimizer, order_.global_batch),
                {steps_, order_.steps_per_epoch()}),
      model_state_(parts_.model),
      cursor_(order_, parts_.datasets.train->fingerprint(), parts_.datasets.train->classes()),
      random_(order_.seed, parts_.gradients.rank(), cursor_),
      reducer_(parts_.model.parameters(), parts_.gradients,
               static_cast<std::size_t>(settings_.comm.bucket_mib * 1024 * 1024), clock_),
      plan_(order_, parts_.gradients.rank(), parts_.gradients.size()) {
  sum_over_ranks_ = [this](float* floats, std::size_t count) {
    const auto timed = clock_.in(Phase::communication);
    // Not among the buckets, which a thread may be sending; on an accelerator the stream keeps
    // order.
    comm::Communicator& ranks =
        parts_.model.parameters().device() < 0 ? parts_.control : parts_.gradients;
    ranks.all_reduce({floats, count, DType::f32}, comm::ReduceOp::sum).wait();
  };
}

std::vector<checkpoint::Saveable*> Trainer::state() {
  // The random state comes last: restoring the others must not draw from it.
  return {&model_state_, optimizer_.get(), &schedule_, &cursor_, &random_};
}

std::optional<checkpoint::Loaded> Trainer::restore(const Resume& from) {
  const std::vector<checkpoint::Saveable*> saveables = state();
  switch (from.from) {
    case Resume::From::newest:
      return parts_.checkpointer.load_newest(saveables);
    case Resume::From::directory:
      return parts_.checkpointer.load(from.directory, saveables);
    case Resume::From::nothing:
      break;
  }
  return std::nullopt;
}

std::filesystem::path Trainer::load(const Resume& from) {
  const auto loaded = restore(from);
  return loaded ? loaded->path : std::filesystem::path();
}

std::string Trainer::how_exact(const checkpoint::Loaded& loaded) const {
  if (loaded.how == checkpoint::Restored::elastic) {
    return fmt::format(
        "elastic: {} -> {} ranks, the same samples in the same order, other roundings",
        loaded.world, parts_.gradients.size());
  }
  const std::string then = arithmetic_of(loaded.facts);
  const std::string now = arithmetic_of(parts_.facts);
  if (then == now) return "exact: the same bits as without the break";
  return fmt::format(
      "the same samples in the same order, other roundings: it was made with {}, now it is {}",
      then, now);
}

void Trainer::resume() {
  const auto loaded = restore(parts_.resume);
  if (loaded) {
    log::info("resumed from {} at step {} of {} ({})", loaded->path.string(), cursor_.step(),
              steps_, how_exact(*loaded));
  }
  loader_ = std::make_unique<data::Loader>(
      *parts_.datasets.train, plan_,
      data::Augment{order_.seed, settings_.data.crop_padding, settings_.data.flip},
      loader_options(), cursor_.step());
  for (Observer* observer : parts_.observers) observer->after_resume();
  saved_at_ = Clock::now();
  if (loaded && parts_.resume.from == Resume::From::newest) saved_step_ = cursor_.step();
  // Gone back to, or taken from another run: the run directory must hold where this one begins.
  if (loaded && parts_.resume.from == Resume::From::directory) save();
  clock_.lap();  // what came before is not part of the first step
}

data::LoaderOptions Trainer::loader_options() const {
  return {parts_.loader_threads, settings_.data.ring,
          std::chrono::milliseconds(static_cast<std::int64_t>(settings_.data.patience_s * 1000))};
}

Progress Trainer::progress() const {
  const std::int64_t last = std::max<std::int64_t>(cursor_.step() - 1, 0);
  return {cursor_.step(), steps_, order_.epoch_of(last), cursor_.samples()};
}

bool Trainer::is_save_due() const {
  const checkpoint::Settings& when = settings_.checkpoint;
  if (when.every_steps > 0 && (cursor_.step() + 1) % when.every_steps == 0) return true;
  // Rank 0's clock decides; the report carries its word to all.
  return when.every_minutes > 0 && parts_.gradients.rank() == 0 &&
         seconds(Clock::now() - saved_at_) >= when.every_minutes * 60;
}

bool Trainer::is_epoch_end() const { return cursor_.step() % order_.steps_per_epoch() == 0; }

// What may pass until a checkpoint is committed when this step's vote is "no": the step, the
// evaluation after it, one more step, and a save slower than any so far.
double Trainer::deadline_lead_s() const {
  constexpr double kMarginS = 30;
  const bool ends_epoch = (cursor_.step() + 1) % order_.steps_per_epoch() == 0;
  const double evaluation = settings_.train.evaluate && ends_epoch ? 1.5 * evaluation_s_ : 0;
  return kMarginS + 2 * step_s_ + evaluation + 1.5 * save_s_;
}

}  // namespace lockstep::train
