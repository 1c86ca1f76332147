#pragma once

#include <cstddef>

#include "core/dtype.hpp"
#include "h5/handle.hpp"

namespace lockstep::h5 {

/// The type in the file: little-endian, and readable by h5py as the NumPy type of the same meaning,
/// except bf16, which no HDF5 before 2.0 knows: its words, as they are.
[[nodiscard]] TypeHandle type_of(DType dtype);
/// A string of `bytes` bytes, UTF-8, padded with zeros.
[[nodiscard]] TypeHandle string_type(std::size_t bytes);

}  // namespace lockstep::h5
