#include "h5/memory_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <new>
#include <string>

#include "core/error.hpp"

namespace lockstep::h5 {
namespace {

// The core driver takes its memory from these: `udata` is the vector that outlives the file.
using Memory = std::vector<std::byte>;

void* resize(std::size_t bytes, void* udata) noexcept {
  auto& memory = *static_cast<Memory*>(udata);
  try {
    memory.resize(bytes);
    return memory.data();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* allocate(std::size_t bytes, H5FD_file_image_op_t /*operation*/, void* udata) {
  return resize(bytes, udata);
}
void* reallocate(void* /*old*/, std::size_t bytes, H5FD_file_image_op_t /*operation*/,
                 void* udata) {
  return resize(bytes, udata);
}
void* copy(void* to, const void* from, std::size_t bytes, H5FD_file_image_op_t /*operation*/,
           void* /*udata*/) {
  return std::memcpy(to, from, bytes);
}
herr_t keep(void* /*memory*/, H5FD_file_image_op_t /*operation*/, void* /*udata*/) { return 0; }
void* same_udata(void* udata) { return udata; }
herr_t keep_udata(void* /*udata*/) { return 0; }

PropertiesHandle access_properties(std::uint64_t metadata_bytes, Memory& memory) {
  constexpr std::size_t kGrowBy = 65536;
  constexpr hsize_t kPage = 4096;
  PropertiesHandle access(check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate", "file access"));
  check(H5Pset_fapl_core(access.get(), kGrowBy, false), "H5Pset_fapl_core", "file access");
  H5FD_file_image_callbacks_t callbacks{allocate,   copy,       reallocate, keep,
                                        same_udata, keep_udata, &memory};
  check(H5Pset_file_image_callbacks(access.get(), &callbacks), "H5Pset_file_image_callbacks",
        "file access");
  // Object headers of this format carry checksums, and every reader from 1.10 on knows it.
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110),
        "H5Pset_libver_bounds", "file access");
  check(H5Pset_alignment(access.get(), kPage, kPage), "H5Pset_alignment", "file access");
  check(H5Pset_meta_block_size(access.get(), metadata_bytes), "H5Pset_meta_block_size",
        "file access");
  return access;
}

herr_t append_reason(unsigned /*n*/, const H5E_error2_t* error, void* reason) {
  auto& text = *static_cast<std::string*>(reason);
  text += fmt::format("{}{}", text.empty() ? "" : "; ", error->desc != nullptr ? error->desc : "");
  return 0;
}

}  // namespace

void fail(std::string_view call, std::string_view object) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, append_reason, &reason);
  throw Error(ErrorKind::internal, fmt::format("{} for {} failed: {}", call, object, reason));
}

MemoryFile::MemoryFile(std::uint64_t metadata_bytes) : memory_(std::make_unique<Memory>()) {
  check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), "H5Eset_auto2", "the error stack");
  const PropertiesHandle access = access_properties(metadata_bytes, *memory_);
  const PropertiesHandle creation(check(H5Pcreate(H5P_FILE_CREATE), "H5Pcreate", "file creation"));
  check(H5Pset_obj_track_times(creation.get(), false), "H5Pset_obj_track_times", "the root group");
  // HDF5 tells files in memory apart by name, and threads may hold several.
  const std::string name = fmt::format("lockstep-image-{}", fmt::ptr(memory_.get()));
  file_ = FileHandle(check(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()),
                           "H5Fcreate", name));
}

std::vector<std::byte> MemoryFile::close() {
  check(H5Fclose(file_.release()), "H5Fclose", "an image in memory");
  return std::move(*memory_);
}

}  // namespace lockstep::h5
