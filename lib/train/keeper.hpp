#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "job/run_directory.hpp"
#include "train/observer.hpp"

namespace lockstep::train {

/// Says "still here" in the run directory's claim, also while a step or an evaluation takes long,
/// and ends the run if another one has taken the directory over. Calls `begin` once the run has
/// begun.
class Keeper final : public Observer {
 public:
  Keeper(job::Ownership& ownership, std::function<void()> begin);

  void after_resume() override { begin_(); }
  void after_step(const StepResult& result) override;

 private:
  void keep(const std::stop_token& stop);

  job::Ownership& ownership_;
  std::function<void()> begin_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::exception_ptr taken_over_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace lockstep::train
