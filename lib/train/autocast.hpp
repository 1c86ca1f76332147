#pragma once

#include "train/settings.hpp"

namespace lockstep::train {

/// Forward passes in bf16 while it lives (bf16), or nothing at all (fp32). Leaves autocast's cache
/// of casted weights empty: a stale one would silently use the weights of the step before.
class Autocast {
 public:
  Autocast(Precision precision, int device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool is_on_;
  int device_;
};

}  // namespace lockstep::train
