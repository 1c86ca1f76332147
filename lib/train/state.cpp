#include "train/state.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/philox.hpp"

namespace lockstep::train {
namespace {

// Changes when the same (seed, epoch, position) would mean another sample.
constexpr int kOrderVersion = 1;

template <typename T>
void must_equal(std::string_view what, const T& stored, const T& now) {
  if (stored == now) return;
  throw Error(ErrorKind::usage,
              fmt::format("this checkpoint was made with {} {}, but now it is {}: resume with the "
                          "old one, or start another "
                          "run (--set run.name=...)",
                          what, nlohmann::json(stored).dump(), nlohmann::json(now).dump()));
}

}  // namespace

ModelState::ModelState(model::Model& model)
    : store_(model.parameters()),
      weights_(store_, store_.weights()),
      statistics_(store_, store_.statistics()) {}

void ModelState::before_save() {
  weights_.pull();
  statistics_.pull();
}

std::vector<checkpoint::TensorView> ModelState::tensors() {
  std::vector<checkpoint::TensorView> views;
  append_views(views, store_, model::Role::weight, weights_.host(), "");
  append_views(views, store_, model::Role::statistic, statistics_.host(), "");
  for (const model::Entry& entry : store_.entries()) {
    if (entry.role != model::Role::counter) continue;
    views.push_back({.name = entry.name,
                     .dtype = DType::i64,
                     .shape = {},
                     .strides = {},
                     .data = &store_.counters()[entry.offset]});
  }
  return views;
}

void ModelState::after_load(std::string_view /*text*/, checkpoint::Restored /*how*/) {
  weights_.push();
  statistics_.push();
}

std::string CursorState::text() const {
  return nlohmann::json{{"step", step_},
                        {"samples", samples()},
                        {"seed", order_.seed},
                        {"global_batch", order_.global_batch},
                        {"dataset_size", order_.dataset_size},
                        {"dataset", fingerprint_},
                        {"classes", classes_},
                        {"order_version", kOrderVersion}}
      .dump();
}

void CursorState::after_load(std::string_view text, checkpoint::Restored /*how*/) {
  const auto stored = nlohmann::json::parse(text);
  must_equal("order version", stored.at("order_version").get<int>(), kOrderVersion);
  must_equal("run.seed", stored.at("seed").get<std::uint64_t>(), order_.seed);
  must_equal("train.global_batch", stored.at("global_batch").get<std::int64_t>(),
             order_.global_batch);
  must_equal("a data set of size", stored.at("dataset_size").get<std::int64_t>(),
             order_.dataset_size);
  must_equal("classes", stored.at("classes").get<std::vector<std::string>>(), classes_);
  must_equal("data whose fingerprint is", stored.at("dataset").get<std::string>(), fingerprint_);
  step_ = stored.at("step").get<std::int64_t>();
}

RandomState::RandomState(std::uint64_t seed, int rank, const CursorState& cursor)
    : seed_(seed),
      rank_(rank),
      cursor_(cursor),
      bytes_(at::detail::getDefaultCPUGenerator().get_state().nbytes()) {
  seed_for(0);
}

void RandomState::seed_for(std::int64_t step) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::scoped_lock lock(generator.mutex());
  generator.set_current_seed(
      mix(seed_, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(rank_)));
}

void RandomState::before_save() {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::scoped_lock lock(generator.mutex());
  const at::Tensor state = generator.get_state();
  std::memcpy(bytes_.data(), state.data_ptr(), bytes_.size());
}

std::vector<checkpoint::TensorView> RandomState::tensors() {
  return {{.name = "cpu",
           .dtype = DType::u8,
           .shape = {static_cast<std::int64_t>(bytes_.size())},
           .strides = {1},
           .data = bytes_.data(),
           .spread = checkpoint::Spread::per_rank}};
}

void RandomState::after_load(std::string_view /*text*/, checkpoint::Restored how) {
  if (how == checkpoint::Restored::elastic) {
    seed_for(cursor_.step());
    return;
  }
  at::Tensor state =
      at::empty({static_cast<std::int64_t>(bytes_.size())}, at::TensorOptions().dtype(at::kByte));
  std::memcpy(state.data_ptr(), bytes_.data(), bytes_.size());
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::scoped_lock lock(generator.mutex());
  generator.set_state(state);
}

}  // namespace lockstep::train
