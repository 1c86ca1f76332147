#pragma once

#include <cstdint>
#include <vector>

#include "data/order.hpp"

namespace lockstep::data {

/// What a loader loads: batch `index` holds these ids. Pure and thread-safe.
class Plan {
 public:
  virtual ~Plan() = default;
  /// Empty after the last batch.
  [[nodiscard]] virtual std::vector<std::int64_t> ids(std::int64_t index) const = 0;
  /// Augmentation draws from (seed, epoch, sample id).
  [[nodiscard]] virtual std::int64_t epoch(std::int64_t index) const = 0;
  [[nodiscard]] virtual std::int64_t largest_batch() const = 0;
};

/// This rank's shares of the training steps, without end.
class TrainingPlan final : public Plan {
 public:
  /// Throws Error{usage} if the order does not fit the number of ranks.
  TrainingPlan(Order order, int rank, int size);
  [[nodiscard]] std::vector<std::int64_t> ids(std::int64_t index) const override;
  [[nodiscard]] std::int64_t epoch(std::int64_t index) const override {
    return order_.epoch_of(index);
  }
  [[nodiscard]] std::int64_t largest_batch() const override;

 private:
  Order order_;
  int rank_;
  int size_;
};

/// Every sample of [0, dataset_size) exactly once over all ranks, in order; ranks may have
/// different numbers of batches, or none.
class EvaluationPlan final : public Plan {
 public:
  EvaluationPlan(std::int64_t dataset_size, std::int64_t batch, int rank, int size);
  [[nodiscard]] std::vector<std::int64_t> ids(std::int64_t index) const override;
  [[nodiscard]] std::int64_t epoch(std::int64_t /*index*/) const override { return 0; }
  [[nodiscard]] std::int64_t largest_batch() const override { return batch_; }

 private:
  Share share_;
  std::int64_t batch_;
};

}  // namespace lockstep::data
