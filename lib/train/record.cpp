#include "train/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "checkpoint/agreement.hpp"
#include "comm/peer_error.hpp"
#include "core/log.hpp"
#include "core/units.hpp"
#include "job/outcome.hpp"
#include "os/file.hpp"
#include "os/host.hpp"
#include "train/keeper.hpp"
#include "train/versions.hpp"

namespace lockstep::train {
namespace {

using Json = nlohmann::ordered_json;

// Takes back what Channels was told to call, before it is gone.
class LastWords {
 public:
  explicit LastWords(Channels& channels) : channels_(channels) {}
  ~LastWords() { channels_.set_last_words({}); }
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  Channels& channels_;
};

// Where the run once ended, if the settings do not ask for more.
std::optional<std::int64_t> done_step(const std::filesystem::path& file,
                                      const TrainSettings& train) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  const auto done = nlohmann::json::parse(os::read_text(file));
  const auto step = done.at("step").get<std::int64_t>();
  const bool is_enough =
      train.steps > 0 ? step >= train.steps : done.at("epochs").get<std::int64_t>() >= train.epochs;
  return is_enough ? std::optional(step) : std::nullopt;
}

}  // namespace

Record::Record(const Settings& settings, const Request& request, const Launch& launch,
               checkpoint::Group& group)
    : settings_(settings),
      group_(group),
      directory_(settings.run_directory()),
      job_(launch.placement.job.value),
      is_attempt_(!request.evaluate) {
  const std::string seen = checkpoint::on_root(group_, "", [&] {
    std::optional<std::int64_t> done;
    if (is_attempt_ && request.resume.from == Resume::From::newest) {
      done = done_step(directory_.done_file(), settings_.train);
    }
    if (is_attempt_ && !done) claim(request, launch);
    return Json{{"attempt", attempt_}, {"done_at", done ? Json(*done) : Json(nullptr)}}.dump();
  });
  const auto json = nlohmann::json::parse(seen);
  attempt_ = json.at("attempt").get<int>();
  if (!json.at("done_at").is_null()) done_at_ = json.at("done_at").get<std::int64_t>();
}

void Record::claim(const Request& request, const Launch& launch) {
  os::make_folders(directory_.root());
  ownership_ = std::make_unique<job::Ownership>(directory_, launch.placement.job.value);
  keeper_ = std::make_unique<Keeper>(*ownership_, [this, resume = request.resume] {
    set_aside(resume);
    os::publish(directory_.config(), settings_.schema().print());
  });
  check_against_stored_config(request);
  attempt_ = directory_.next_attempt(request.attempt);
  os::make_folders(directory_.attempt(attempt_));
}

void Record::check_against_stored_config(const Request& request) const {
  if (request.resume.from == Resume::From::nothing || !std::filesystem::exists(directory_.config()))
    return;
  const std::vector<std::string> differences =
      settings_.schema().fixed_differences(os::read_text(directory_.config()));
  if (differences.empty()) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} was begun with another configuration ({}): a run goes on only with "
                          "its own; start another with "
                          "--set run.name=..., or anew with --resume none",
                          directory_.root().string(), fmt::join(differences, "; ")));
}

job::ExitCode Record::say_done() const {
  log::info(
      "{} is finished (step {}). Start another run with --set run.name=NAME, or train on with a "
      "larger --set {}=N",
      directory_.root().string(), *done_at_,
      settings_.train.steps > 0 ? "train.steps" : "train.epochs");
  return job::ExitCode::done;
}

std::string Record::token() const {
  return job_.empty() ? fmt::format("{}", attempt_) : fmt::format("{}-{}", job_, attempt_);
}

checkpoint::Facts Record::facts(const Channels& channels, int threads) const {
  Json about = versions();
  about["arithmetic"] = fmt::format("buckets of {} MiB, pieces of {} bytes, {} thread(s) a rank",
                                    settings_.comm.bucket_mib, channels.piece_bytes(), threads);
  return {.run = settings_.run.name,
          .attempt = attempt_,
          .config = settings_.schema().print(),
          .versions = about.dump()};
}

std::vector<Observer*> Record::observers() const {
  std::vector<Observer*> present;
  for (Observer* observer : {static_cast<Observer*>(metrics_.get()),
                             static_cast<Observer*>(progress_.get()), keeper_.get()}) {
    if (observer != nullptr) present.push_back(observer);
  }
  return present;
}

// Steps of a history that is left behind must not be found by the next resume.
void Record::set_aside(const Resume& resume) const {
  if (resume.from == Resume::From::newest) return;
  const std::filesystem::path place = directory_.attempt(attempt_) / "set-aside";
  const bool goes_back = resume.from == Resume::From::directory &&
                         std::filesystem::weakly_canonical(resume.directory.parent_path().empty()
                                                               ? std::filesystem::path(".")
                                                               : resume.directory.parent_path()) ==
                             std::filesystem::weakly_canonical(directory_.root());
  const std::string last_kept = goes_back ? resume.directory.filename().string() : "";
  for (const std::string& name : os::list_folder(directory_.root())) {
    const bool is_left_behind = name.starts_with("step-") && name > last_kept;
    if (!is_left_behind && name != "LATEST" && name != "DONE") continue;
    os::make_folders(place);
    os::rename_durably(directory_.root() / name, place / name);
    log::info("set aside {} in {}", name, place.string());
  }
}

void Record::start(const Launch& launch, const Channels& channels, int threads) {
  (void)checkpoint::on_root(group_, "", [&] {
    metrics_ = std::make_unique<MetricsFile>(directory_.metrics(), attempt_);
    progress_ = std::make_unique<ProgressLine>(
        std::chrono::duration<double>(settings_.monitor.log_every_s));
    std::vector<std::string> hosts;
    for (const job::RankFacts& rank : launch.ranks) hosts.push_back(rank.host);
    std::vector<std::string> nodes = hosts;
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    metrics_->start({{"run", settings_.run.name},
                     {"attempt", attempt_},
                     {"world", group_.size()},
                     {"nodes", nodes},
                     {"hosts", hosts},
                     {"job", job_},
                     {"launcher", launch.ranks.front().launcher},
                     {"device", launch.ranks.front().device},
                     {"threads", threads},
                     {"backend", channels.gradients().name()},
                     {"overlap", channels.overlap()},
                     {"piece_bytes", channels.piece_bytes()},
                     {"versions", versions()},
                     {"config_hash", settings_.hash()}});
    log::info(
        "run {}: attempt {}, {} rank(s) on {} node(s), {} thread(s) each, {} ({}), global batch {}",
        directory_.root().string(), attempt_, group_.size(), nodes.size(), threads,
        channels.gradients().name(), channels.overlap(), settings_.train.global_batch);
    return std::string();
  });
}

job::ExitCode Record::evaluate(Trainer& trainer, const std::string& which) {
  const std::filesystem::path step =
      trainer.load(which == "latest" ? Resume{} : Resume::parse(which));
  if (step.empty()) {
    throw CollectiveError(ErrorKind::io, fmt::format("{} holds no committed checkpoint to evaluate",
                                                     directory_.root().string()));
  }
  const EvaluationResult result = trainer.evaluate();
  log::info("{}: top1 {:.4f}  top5 {:.4f}  loss {:.4f}  on {} samples in {}", step.string(),
            result.top1, result.top5, result.loss, result.samples,
            units::duration(std::chrono::duration<double>(result.seconds)));
  return job::ExitCode::done;
}

job::ExitCode Record::guard(Channels& channels, const std::function<job::ExitCode()>& body) {
  const auto leave = [&](job::ExitCode code, const char* reason, const std::string& culprit) {
    if (is_attempt_) write_outcome({code, reason, channels.step(), culprit});
  };
  channels.set_last_words([&](const comm::PeerError& error) {
    leave(job::exit_code(error.kind()), error.what(), error.culprit());
  });
  const LastWords until_the_end(channels);
  try {
    return body();
  } catch (const CollectiveError& error) {
    if (group_.rank() == 0) leave(job::exit_code(error.kind()), error.what(), "");
    throw;
  } catch (const comm::PeerError& error) {
    leave(job::exit_code(error.kind()), error.what(), error.culprit());
    throw;
  } catch (const Error& error) {
    leave(job::exit_code(error.kind()), error.what(), myself());
    throw;
  } catch (const std::exception& error) {
    leave(job::ExitCode::internal, error.what(), myself());
    throw;
  }
}

std::string Record::myself() const {
  return fmt::format("rank {} on {}", group_.rank(), os::host_name());
}

// Of several failing ranks the first to come writes outcome.json; each leaves its own file.
void Record::write_outcome(const job::Outcome& outcome) const {
  try {
    job::write_outcome(directory_.rank_outcome(attempt_, group_.rank()), outcome);
    job::write_outcome(directory_.outcome(attempt_), outcome);
  } catch (const std::exception& error) {
    log::error("the outcome could not be written: {}", error.what());
  }
}

job::ExitCode Record::finish(Stop stop, const Progress& progress) {
  const job::ExitCode code = exit_code(stop);
  (void)checkpoint::on_root(group_, "", [&] {
    if (stop == Stop::finished) {
      os::publish(directory_.done_file(),
                  Json{{"step", progress.step}, {"epochs", settings_.train.epochs}}.dump() + "\n");
    }
    std::filesystem::remove(directory_.stop_file());  // it has been obeyed
    job::write_outcome(directory_.outcome(attempt_),
                       {code, std::string(sentence(stop)), progress.step, ""});
    return std::string();
  });
  log::info("stopped at step {} of {}: {} (exit code {})", progress.step, progress.steps,
            sentence(stop), static_cast<int>(code));
  group_.barrier();
  return code;
}

}  // namespace lockstep::train
