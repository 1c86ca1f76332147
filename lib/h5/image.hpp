#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/dtype.hpp"

/// HDF5 lays a file out, and our own writes fill it: the bulk of the data never passes through the
/// library, which would hold its global lock, never fsync, and crash at exit once the disk was
/// full.
namespace lockstep::h5 {

/// A small fact beside a dataset.
struct Attribute {
  std::string name;
  std::variant<std::string, std::int64_t, std::vector<std::int64_t>> value;
};

/// One string of fixed capacity in UTF-8, padded with zeros.
struct Text {
  std::size_t capacity = 0;
};

struct Dataset {
  std::string path;  ///< absolute: "/model/conv1.weight"; missing groups are made
  std::variant<DType, Text> element = DType::f32;  ///< bf16 is stored as unsigned 16-bit words
  std::vector<std::int64_t> shape;                 ///< empty: a scalar
  std::vector<Attribute> attributes;
};

/// An HDF5 file without its data: what stands in it besides them, and where each dataset's bytes
/// go. Whoever writes `header` at 0, the data at their offsets and zeros elsewhere, `file_bytes` in
/// all, has a file that any HDF5 from 1.10 on opens. Equal datasets give equal images, bit for bit.
struct Image {
  std::uint64_t file_bytes = 0;
  std::vector<std::byte> header;       ///< the first bytes of the file
  std::vector<std::uint64_t> offsets;  ///< one a dataset; 0 for one without bytes
};

/// Contiguous, unfiltered datasets; those of 4 KiB and more begin at multiples of 4 KiB. Throws
/// Error{internal} for what HDF5 refuses, as two datasets of one path.
[[nodiscard]] Image make_image(std::span<const Dataset> datasets);

}  // namespace lockstep::h5
