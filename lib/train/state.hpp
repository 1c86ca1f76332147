#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/saveable.hpp"
#include "data/order.hpp"
#include "model/model.hpp"
#include "train/host_mirror.hpp"

namespace lockstep::train {

/// The parts of the state that are neither optimizer nor schedule. With those two the list is
/// complete.

/// Weights, running statistics and counters, under torchvision's names.
class ModelState final : public checkpoint::Saveable {
 public:
  explicit ModelState(model::Model& model);

  [[nodiscard]] std::string_view name() const noexcept override { return "model"; }
  void before_save() override;
  [[nodiscard]] std::vector<checkpoint::TensorView> tensors() override;
  void after_load(std::string_view text, checkpoint::Restored how) override;

 private:
  model::ParameterStore& store_;
  HostMirror weights_;
  HostMirror statistics_;
};

/// Where in the data the run is: one number, from which every rank's samples follow. Refuses other
/// data, another seed and another global batch, by name.
class CursorState final : public checkpoint::Saveable {
 public:
  CursorState(data::Order order, std::string fingerprint, std::vector<std::string> classes)
      : order_(order), fingerprint_(std::move(fingerprint)), classes_(std::move(classes)) {}

  [[nodiscard]] std::int64_t step() const noexcept { return step_; }
  [[nodiscard]] std::int64_t epoch() const { return order_.epoch_of(step_); }
  [[nodiscard]] std::int64_t samples() const { return step_ * order_.global_batch; }
  void advance() { ++step_; }

  [[nodiscard]] std::string_view name() const noexcept override { return "cursor"; }
  [[nodiscard]] std::string text() const override;
  void after_load(std::string_view text, checkpoint::Restored how) override;

 private:
  data::Order order_;
  std::string fingerprint_;
  std::vector<std::string> classes_;
  std::int64_t step_ = 0;  // finished optimizer steps
};

/// LibTorch's default generator on this rank. After an elastic resume it is seeded anew from (seed,
/// step, rank).
class RandomState final : public checkpoint::Saveable {
 public:
  RandomState(std::uint64_t seed, int rank, const CursorState& cursor);

  [[nodiscard]] std::string_view name() const noexcept override { return "random"; }
  void before_save() override;
  [[nodiscard]] std::vector<checkpoint::TensorView> tensors() override;
  void after_load(std::string_view text, checkpoint::Restored how) override;

 private:
  void seed_for(std::int64_t step);

  std::uint64_t seed_;
  int rank_;
  const CursorState& cursor_;
  std::vector<std::byte> bytes_;
};

}  // namespace lockstep::train
