#include "h5/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "core/error.hpp"
#include "h5/handle.hpp"
#include "h5/memory_file.hpp"
#include "h5/types.hpp"

namespace lockstep::h5 {
namespace {

TypeHandle element_type(const Dataset& dataset) {
  if (const auto* text = std::get_if<Text>(&dataset.element)) return string_type(text->capacity);
  return type_of(std::get<DType>(dataset.element));
}

SpaceHandle space_of(std::span<const std::int64_t> shape, std::string_view object) {
  if (shape.empty()) return SpaceHandle(check(H5Screate(H5S_SCALAR), "H5Screate", object));
  std::vector<hsize_t> extents(shape.size());
  std::transform(shape.begin(), shape.end(), extents.begin(),
                 [](std::int64_t extent) { return static_cast<hsize_t>(extent); });
  return SpaceHandle(
      check(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
            "H5Screate_simple", object));
}

void add_attribute(hid_t dataset, const std::string& name, const TypeHandle& type,
                   const SpaceHandle& space, const void* value) {
  const AttributeHandle attribute(
      check(H5Acreate2(dataset, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
            "H5Acreate", name));
  check(H5Awrite(attribute.get(), type.get(), value), "H5Awrite", name);
}

void add_attribute(hid_t dataset, const Attribute& attribute) {
  const std::string& name = attribute.name;
  if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    const std::size_t bytes = std::max<std::size_t>(text->size(), 1);
    add_attribute(dataset, name, string_type(bytes), space_of({}, name), text->c_str());
  } else if (const auto* number = std::get_if<std::int64_t>(&attribute.value)) {
    add_attribute(dataset, name, type_of(DType::i64), space_of({}, name), number);
  } else {
    const auto& numbers = std::get<std::vector<std::int64_t>>(attribute.value);
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(numbers.size())};
    const std::int64_t none = 0;  // an empty list still needs an address
    add_attribute(dataset, name, type_of(DType::i64), space_of(shape, name),
                  numbers.empty() ? &none : numbers.data());
  }
}

// Space at once, no fill values, no times: offsets are known, nothing is written, equal state is
// equal bytes.
PropertiesHandle dataset_properties() {
  PropertiesHandle creation(check(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate", "dataset creation"));
  check(H5Pset_layout(creation.get(), H5D_CONTIGUOUS), "H5Pset_layout", "dataset creation");
  check(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time",
        "dataset creation");
  check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time",
        "dataset creation");
  check(H5Pset_obj_track_times(creation.get(), false), "H5Pset_obj_track_times",
        "dataset creation");
  return creation;
}

PropertiesHandle link_properties() {
  PropertiesHandle links(check(H5Pcreate(H5P_LINK_CREATE), "H5Pcreate", "link creation"));
  check(H5Pset_char_encoding(links.get(), H5T_CSET_UTF8), "H5Pset_char_encoding", "link creation");
  return links;
}

// Not by H5Pset_create_intermediate_group: groups that HDF5 makes by itself carry the time of day.
void add_groups(hid_t file, std::span<const Dataset> datasets, const PropertiesHandle& links) {
  const PropertiesHandle creation(
      check(H5Pcreate(H5P_GROUP_CREATE), "H5Pcreate", "group creation"));
  check(H5Pset_obj_track_times(creation.get(), false), "H5Pset_obj_track_times", "group creation");
  std::set<std::string> groups;
  for (const Dataset& dataset : datasets) {
    for (std::size_t end = dataset.path.find('/', 1); end != std::string::npos;
         end = dataset.path.find('/', end + 1)) {
      const auto [group, is_new] = groups.insert(dataset.path.substr(0, end));
      if (!is_new) continue;
      const GroupHandle made(
          check(H5Gcreate2(file, group->c_str(), links.get(), creation.get(), H5P_DEFAULT),
                "H5Gcreate", *group));
    }
  }
}

std::uint64_t add_dataset(hid_t file, const Dataset& plan, const PropertiesHandle& links,
                          const PropertiesHandle& creation) {
  const TypeHandle type = element_type(plan);
  const SpaceHandle space = space_of(plan.shape, plan.path);
  const DatasetHandle dataset(check(H5Dcreate2(file, plan.path.c_str(), type.get(), space.get(),
                                               links.get(), creation.get(), H5P_DEFAULT),
                                    "H5Dcreate", plan.path));
  for (const Attribute& attribute : plan.attributes) add_attribute(dataset.get(), attribute);
  const haddr_t offset = H5Dget_offset(dataset.get());
  if (offset != HADDR_UNDEF) return offset;
  const hssize_t elements =
      check(H5Sget_simple_extent_npoints(space.get()), "H5Sget_simple_extent_npoints", plan.path);
  expect(elements == 0, fmt::format("HDF5 gave {} no place in the file", plan.path));
  return 0;
}

// Measured: 0.4 to 0.7 KiB a dataset with our attributes. Too little would only put metadata
// between the data, and make the image as long as the file up to there.
std::uint64_t metadata_bytes(std::span<const Dataset> datasets) {
  std::uint64_t bytes = 4096;
  for (const Dataset& dataset : datasets) bytes += 1024 + 2 * dataset.path.size();
  return (bytes + 4095) / 4096 * 4096;
}

// HDF5 File Format Specification 3.0, II.A: the end-of-file address of superblock versions 2 and 3.
std::uint64_t end_of_file(std::span<const std::byte> header) {
  constexpr std::size_t kVersion = 8;
  constexpr std::size_t kEndOfFile = 28;
  expect(header.size() >= kEndOfFile + 8 &&
             (header[kVersion] == std::byte{2} || header[kVersion] == std::byte{3}),
         "HDF5 wrote a superblock of a version that lib/h5 does not know");
  std::uint64_t end = 0;
  std::memcpy(&end, header.data() + kEndOfFile, sizeof end);
  return end;
}

}  // namespace

Image make_image(std::span<const Dataset> datasets) {
  MemoryFile file(metadata_bytes(datasets));
  Image image;
  {
    const PropertiesHandle links = link_properties();
    const PropertiesHandle creation = dataset_properties();
    add_groups(file.id(), datasets, links);
    for (const Dataset& dataset : datasets) {
      image.offsets.push_back(add_dataset(file.id(), dataset, links, creation));
    }
  }
  image.header = file.close();
  image.file_bytes = end_of_file(image.header);
  if (image.header.size() > image.file_bytes) image.header.resize(image.file_bytes);
  return image;
}

}  // namespace lockstep::h5
