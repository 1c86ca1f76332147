#include "train/host_mirror.hpp"

#include "train/flat.hpp"

namespace lockstep::train {

HostMirror::HostMirror(const model::ParameterStore& store, std::span<float> live)
    : store_(store), live_(live), host_(live) {
  if (store.device() < 0) return;
  copy_ = std::make_unique<device::HostMemory>(live.size_bytes());
  host_ = {reinterpret_cast<float*>(copy_->bytes().data()), live.size()};
}

void HostMirror::pull() { read(store_, live_, host_); }

void HostMirror::push() { write(store_, host_, live_); }

void append_views(std::vector<checkpoint::TensorView>& views, const model::ParameterStore& store,
                  model::Role role, std::span<float> flat, const std::string& prefix) {
  for (const model::Entry& entry : store.entries()) {
    if (entry.role != role) continue;
    views.push_back({.name = prefix + entry.name,
                     .dtype = DType::f32,
                     .shape = entry.shape,
                     .strides = entry.strides,
                     .data = flat.data() + entry.offset});
  }
}

}  // namespace lockstep::train
