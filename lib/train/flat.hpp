#pragma once

#include <span>

#include "model/parameter_store.hpp"

namespace lockstep::train {

/// Passes over the store's flat arrays, on the host or on its device.

/// values *= factor.
void scale(const model::ParameterStore& store, std::span<float> values, float factor);
/// Square root of the sum of squares, accumulated in double in a fixed order: the same on every
/// rank.
[[nodiscard]] double norm(const model::ParameterStore& store, std::span<const float> values);
/// No NaN and no infinity.
[[nodiscard]] bool is_finite(const model::ParameterStore& store, std::span<const float> values);

/// Device memory as the host sees it: itself on the CPU, a copy from the accelerator.
void read(const model::ParameterStore& store, std::span<const float> from, std::span<float> to);
void write(const model::ParameterStore& store, std::span<const float> from, std::span<float> to);

}  // namespace lockstep::train
