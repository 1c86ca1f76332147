#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "data/augment.hpp"
#include "data/batch.hpp"
#include "data/dataset.hpp"
#include "data/plan.hpp"

namespace lockstep::data {

struct LoaderOptions {
  std::int64_t threads = 1;
  std::int64_t ring =
      4;  ///< slots: batches ready, being filled, or in the caller's hands; at least 2
  std::chrono::milliseconds patience{120'000};
};

/// Batches of a plan, strictly in order, read and augmented by threads into a bounded ring of
/// reused buffers. The content does not depend on the number of threads. An exception in a thread
/// comes out of next().
class Loader {
 public:
  /// Borrows dataset and plan for its life. `first` is the index of the first batch: resuming costs
  /// nothing.
  Loader(const Dataset& dataset, const Plan& plan, Augment augment, LoaderOptions options,
         std::int64_t first = 0);
  /// Waits for reads that have begun, for nothing else.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// The next batch, valid until the following call; nullptr after the last one. Waits at most
  /// options.patience, then throws Error{data} that names the batch and the sample still being
  /// read.
  [[nodiscard]] const Batch* next();

 private:
  struct Ring;
  std::unique_ptr<Ring> ring_;
};

}  // namespace lockstep::data
