#include "train/metrics_file.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"

namespace lockstep::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kFlushEvery{1};

Json event(std::string_view name, int attempt, const Progress& progress) {
  return Json{
      {"event", name}, {"attempt", attempt}, {"step", progress.step}, {"epoch", progress.epoch}};
}

double of(const PhaseClock::Seconds& seconds, Phase phase) {
  return seconds[static_cast<std::size_t>(phase)];
}

// JSON knows no NaN: a loss that is none is written as null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json phases(const PhaseClock::Seconds& seconds) {
  double step = 0;
  for (const double part : seconds) step += part;
  step -= of(seconds, Phase::evaluation);
  return {{"step", step},
          {"data", of(seconds, Phase::data)},
          {"forward", of(seconds, Phase::forward)},
          {"backward", of(seconds, Phase::backward)},
          {"communication", of(seconds, Phase::communication)},
          {"optimizer", of(seconds, Phase::optimizer)},
          {"checkpoint", of(seconds, Phase::checkpoint)},
          {"other", of(seconds, Phase::other)}};
}

os::File open_and_close_torn_line(const std::filesystem::path& path) {
  os::File file = os::File::open(path, os::OpenMode::append);
  const std::uint64_t size = file.size();
  if (size == 0) return file;
  std::byte last{};
  file.read_at(size - 1, {&last, 1});
  if (last != std::byte{'\n'}) file.append("\n");
  return file;
}

}  // namespace

MetricsFile::MetricsFile(const std::filesystem::path& file, int attempt)
    : file_(open_and_close_torn_line(file)), attempt_(attempt) {}

MetricsFile::~MetricsFile() { flush(); }

void MetricsFile::start(const Json& facts) {
  Json line{{"event", "start"}};
  line.update(facts);
  add(line);
  flush();
}

void MetricsFile::after_step(const StepResult& result) {
  Json line = event("step", attempt_, result.progress);
  line["samples"] = result.progress.samples;
  line["loss"] = number(result.loss);
  line["lr"] = result.rate;
  line["images_per_s"] = result.images_per_s;
  line["ids"] = hex(result.ids_hash);
  line["seconds"] = phases(result.seconds);
  add(line);
  // A step that is committed is not done again, so its line must not be lost with this process.
  if (is_saved_ || Clock::now() - flushed_ > kFlushEvery) flush();
  is_saved_ = false;
}

void MetricsFile::after_evaluation(const EvaluationResult& result) {
  Json line = event("eval", attempt_, result.progress);
  line["samples"] = result.samples;
  line["loss"] = number(result.loss);
  line["top1"] = result.top1;
  line["top5"] = result.top5;
  line["seconds"] = result.seconds;
  add(line);
  flush();
}

void MetricsFile::after_save(const SaveResult& result) {
  Json line = event("checkpoint", attempt_, result.progress);
  line["bytes"] = result.bytes;
  line["seconds"] = {{"stall", result.stall_s}, {"write", result.write_s}};
  line["path"] = result.path.string();
  is_saved_ = true;
  add(line);
  flush();
}

void MetricsFile::at_stop(const StopResult& result) {
  Json line = event("stop", attempt_, result.progress);
  line["samples"] = result.progress.samples;
  line["code"] = static_cast<int>(exit_code(result.stop));
  line["reason"] = name(result.stop);
  add(line);
  flush();
}

void MetricsFile::add(const Json& line) { waiting_ += line.dump() + "\n"; }

// A full disk must not end a run that trains: the lines are lost, and one warning says so.
void MetricsFile::flush() {
  try {
    if (!waiting_.empty()) file_.append(waiting_);
  } catch (const Error& error) {
    if (!has_failed_) log::warn("metrics are lost from here on: {}", error.what());
    has_failed_ = true;
  }
  waiting_.clear();
  flushed_ = Clock::now();
}

}  // namespace lockstep::train
