#pragma once

#include <hdf5.h>

#include <string_view>

#include "core/unique_handle.hpp"

/// HDF5's identifiers, owned, and its calls, checked. For this module's sources only.
namespace lockstep::h5 {

template <herr_t (*Close)(hid_t)>
struct HandleTraitsOf {
  using value_type = hid_t;
  static hid_t null() noexcept { return H5I_INVALID_HID; }
  static void close(hid_t handle) noexcept { Close(handle); }
};

using FileHandle = UniqueHandle<HandleTraitsOf<H5Fclose>>;
using GroupHandle = UniqueHandle<HandleTraitsOf<H5Gclose>>;
using DatasetHandle = UniqueHandle<HandleTraitsOf<H5Dclose>>;
using SpaceHandle = UniqueHandle<HandleTraitsOf<H5Sclose>>;
using TypeHandle = UniqueHandle<HandleTraitsOf<H5Tclose>>;
using AttributeHandle = UniqueHandle<HandleTraitsOf<H5Aclose>>;
using PropertiesHandle = UniqueHandle<HandleTraitsOf<H5Pclose>>;

/// Throws Error{internal} with HDF5's own reason: what we ask for in memory can only fail by a
/// mistake.
[[noreturn]] void fail(std::string_view call, std::string_view object);

/// For identifiers and herr_t alike: both are negative when the call failed.
template <typename Result>
Result check(Result result, std::string_view call, std::string_view object) {
  if (result < 0) fail(call, object);
  return result;
}

}  // namespace lockstep::h5
