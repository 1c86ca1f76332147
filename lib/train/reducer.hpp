#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "model/parameter_store.hpp"
#include "train/buckets.hpp"
#include "train/phase_clock.hpp"

namespace lockstep::train {

/// Sums the arena (report, running statistics, gradients) over the ranks, bucket by bucket, while
/// the backward pass is still under way: a hook on each weight counts its bucket down, and a bucket
/// goes out once all gradients in it and all buckets before it are there. Strictly in index order,
/// or ranks could disagree.
class Reducer {
 public:
  Reducer(model::ParameterStore& parameters, comm::Communicator& communicator,
          std::size_t bucket_bytes, PhaseClock& clock);
  ~Reducer();
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  /// Called before the last backward pass of a step: from now on hooks send buckets.
  void arm();
  /// Waits for the rest and leaves sums in the gradients and means in the running statistics. A
  /// weight that got no gradient is named once, and counts as zero.
  void finish();

  [[nodiscard]] std::size_t bucket_count() const noexcept { return buckets_.size(); }

 private:
  class Hook;
  void on_gradient(std::size_t weight);
  void launch_ready();
  void warn_of_missing();

  model::ParameterStore& parameters_;
  comm::Communicator& communicator_;
  PhaseClock& clock_;
  std::vector<Bucket> buckets_;
  std::vector<std::size_t> bucket_of_;
  std::vector<std::string> names_;

  bool is_armed_ = false;
  bool has_warned_ = false;
  std::vector<std::size_t> missing_;  // gradients that a bucket still waits for
  std::vector<bool> arrived_;
  std::size_t next_ = 0;  // first bucket that has not been sent
  std::vector<comm::Pending> pending_;
};

}  // namespace lockstep::train
