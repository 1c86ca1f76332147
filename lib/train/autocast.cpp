#include "train/autocast.hpp"

#include <ATen/autocast_mode.h>

namespace lockstep::train {
namespace {

at::DeviceType type_of(int device) { return device < 0 ? at::kCPU : at::kCUDA; }

}  // namespace

Autocast::Autocast(Precision precision, int device)
    : is_on_(precision == Precision::bf16), device_(device) {
  if (!is_on_) return;
  at::autocast::set_autocast_enabled(type_of(device_), true);
  at::autocast::set_autocast_dtype(type_of(device_), at::kBFloat16);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!is_on_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(type_of(device_), false);
}

}  // namespace lockstep::train
