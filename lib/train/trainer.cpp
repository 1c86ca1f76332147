#include "train/trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "core/log.hpp"
#include "train/autocast.hpp"
#include "train/evaluate.hpp"
#include "train/flat.hpp"

namespace lockstep::train {

Stop Trainer::run() {
  resume();
  Stop stop = cursor_.step() < steps_ ? Stop::no : Stop::finished;
  while (stop == Stop::no) {
    const data::Batch& batch = next_batch();
    forward_backward(batch);  // the reducer sends a bucket as soon as its gradients are there
    const StepReport total = reduce();
    stop = update(total);
    after_step(total, stop);
  }
  finish(stop);
  return stop;
}

void Trainer::forward_backward(const data::Batch& batch) {
  double loss = 0;
  for (std::int64_t i = 0; i < micro_batches_; ++i) {
    const at::Tensor part = forward(
        batch, data::share_of(batch.count, static_cast<int>(i), static_cast<int>(micro_batches_)));
    loss += part.item<double>();
    if (i + 1 == micro_batches_) {
      send_report(batch, loss);
      reducer_.arm();
    }
    const auto timed = clock_.in(Phase::backward);
    part.backward();
  }
}

at::Tensor Trainer::forward(const data::Batch& batch, data::Share samples) {
  const auto timed = clock_.in(Phase::forward);
  const std::int64_t count = samples.end - samples.begin;
  const Autocast autocast(settings_.train.precision, parts_.model.parameters().device());
  const model::Pass pass{
      .mode = model::Mode::training,
      .sum_over_ranks = settings_.model.sync_batch_norm ? &sum_over_ranks_ : nullptr};
  const at::Tensor logits = parts_.model.forward(input_.images(batch, samples.begin, count), pass);
  parts_.model.parameters().count_batch();
  return cross_entropy(logits, input_.labels(batch, samples.begin, count),
                       settings_.train.label_smoothing, static_cast<double>(order_.global_batch));
}

const data::Batch& Trainer::next_batch() {
  const auto timed = clock_.in(Phase::data);
  const data::Batch* batch = loader_->next();
  expect(batch != nullptr, "the training plan has no end");
  return *batch;
}

void Trainer::send_report(const data::Batch& batch, double loss) {
  StepReport mine;
  mine.loss = loss;
  mine.samples = batch.count;
  mine.stop = parts_.rules.vote(deadline_lead_s());
  mine.should_save = is_save_due();
  mine.busy_s = busy_s_;
  mine.ids.add(batch.ids);
  model::ParameterStore& store = parts_.model.parameters();
  std::vector<float> floats(store.report().size());
  write_report(mine, parts_.gradients.rank(), parts_.gradients.size(), floats);
  write(store, floats, store.report());
}

StepReport Trainer::reduce() {
  reducer_.finish();
  const model::ParameterStore& store = parts_.model.parameters();
  std::vector<float> floats(store.report().size());
  read(store, store.report(), floats);
  return read_report(floats, parts_.gradients.size());
}

// A loss that is not finite must not touch the weights; gradients alone can still be bad, and then
// the weights are spoilt on every rank alike: either way nothing is saved any more. What overflows
// in the update itself would show in the next loss, so what is about to be saved is looked at here.
Stop Trainer::update(const StepReport& total) {
  if (total.stop == Stop::diverged) return total.stop;
  const auto timed = clock_.in(Phase::optimizer);
  rate_ = schedule_.rate();
  const bool is_finite =
      optimizer_->step(rate_, clip_factor(parts_.model.parameters(), settings_.train.clip_norm));
  schedule_.advance();
  cursor_.advance();
  if (!is_finite) return Stop::diverged;
  const Stop stop = cursor_.step() >= steps_ ? Stop::finished : total.stop;
  const bool is_saved_now = total.should_save || stop != Stop::no;
  return is_saved_now && !has_finite_weights() ? Stop::diverged : stop;
}

bool Trainer::has_finite_weights() const {
  const model::ParameterStore& store = parts_.model.parameters();
  return is_finite(store, store.weights()) && is_finite(store, store.statistics());
}

void Trainer::after_step(const StepReport& total, Stop stop) {
  if (stop == Stop::no && total.should_save) save_if_possible();
  StepResult result{.progress = progress(),
                    .loss = total.loss,
                    .rate = rate_,
                    .ids_hash = total.ids.value(),
                    .seconds = clock_.lap(),
                    .busy_of_rank_s = total.busy_of_rank_s};
  const auto of = [&](Phase phase) { return result.seconds[static_cast<std::size_t>(phase)]; };
  const double all = std::accumulate(result.seconds.begin(), result.seconds.end(), 0.0);
  step_s_ = all - of(Phase::checkpoint) - of(Phase::evaluation);
  busy_s_ = step_s_ - of(Phase::communication);
  result.images_per_s = static_cast<double>(total.samples) / step_s_;
  // The step that failed was not made; its line must not stand for the one before it.
  if (total.stop == Stop::diverged) ++result.progress.step;
  for (Observer* observer : parts_.observers) observer->after_step(result);
  if (settings_.train.evaluate && is_epoch_end() && stop == Stop::no) evaluate();
}

EvaluationResult Trainer::evaluate() {
  const auto timed = clock_.in(Phase::evaluation);
  const Clock::time_point began = Clock::now();
  const Scores scores = train::evaluate(
      parts_.model, *parts_.datasets.validation, input_, parts_.control,
      {.precision = settings_.train.precision,
       .batch = std::min<std::int64_t>(256, settings_.train.micro_batch.value_or(256)),
       .loader = loader_options()});
  const EvaluationResult result{progress(),  scores.samples, scores.loss,
                                scores.top1, scores.top5,    seconds(Clock::now() - began)};
  evaluation_s_ = std::max(evaluation_s_, result.seconds);
  for (Observer* observer : parts_.observers) observer->after_evaluation(result);
  return result;
}

void Trainer::save() {
  if (saved_step_ == cursor_.step()) return;
  const auto timed = clock_.in(Phase::checkpoint);
  const Clock::time_point began = Clock::now();
  parts_.facts.step = cursor_.step();
  parts_.facts.samples = cursor_.samples();
  parts_.facts.is_finite = has_finite_weights();
  const std::vector<checkpoint::Saveable*> saveables = state();
  const checkpoint::Saved saved = parts_.checkpointer.save(parts_.facts, saveables);
  parts_.checkpointer.prune(static_cast<int>(settings_.checkpoint.keep));
  saved_step_ = cursor_.step();
  saved_at_ = Clock::now();
  save_s_ = std::max(save_s_, seconds(saved_at_ - began));
  const SaveResult result{progress(), saved.path, saved.bytes, seconds(saved_at_ - began),
                          saved.seconds};
  for (Observer* observer : parts_.observers) observer->after_save(result);
}

// A periodic checkpoint that fails costs nothing that was committed before, so training goes on.
void Trainer::save_if_possible() {
  try {
    save();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    saved_at_ = Clock::now();
    log::warn("no checkpoint at step {}, training goes on: {}", cursor_.step(), error.what());
  }
}

void Trainer::finish(Stop stop) {
  if (stop == Stop::finished ? settings_.checkpoint.at_end : stop != Stop::diverged) save();
  if (stop == Stop::finished && settings_.train.evaluate) evaluate();
  for (Observer* observer : parts_.observers) observer->at_stop({progress(), stop});
}

}  // namespace lockstep::train
