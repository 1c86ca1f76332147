#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "h5/handle.hpp"

namespace lockstep::h5 {

/// A new HDF5 file in memory that grows only as far as something is written: with early allocation
/// and no fill values that is the metadata alone, however large the datasets. No path, no disk that
/// may be full.
class MemoryFile {
 public:
  /// `metadata_bytes`: room kept together at the front for everything that is not data.
  explicit MemoryFile(std::uint64_t metadata_bytes);

  [[nodiscard]] hid_t id() const noexcept { return file_.get(); }
  /// Ends the file; what HDF5 had written into it.
  [[nodiscard]] std::vector<std::byte> close();

 private:
  std::unique_ptr<std::vector<std::byte>> memory_;
  FileHandle file_;
};

}  // namespace lockstep::h5
