#include "checkpoint/strided.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

namespace lockstep::checkpoint {
namespace {

struct Dimension {
  std::int64_t extent;
  std::int64_t stride;  // in elements
};

/// The fewest dimensions that describe the same order of elements: those of extent 1 are dropped,
/// and neighbours that follow each other in memory are merged. Contiguous is one dimension of
/// stride 1; a channels_last weight [O, I, H, W] is [O, I, H*W].
std::vector<Dimension> simplified(const TensorView& tensor) {
  std::vector<Dimension> dimensions;
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    const Dimension next{tensor.shape[d], tensor.strides[d]};
    if (next.extent == 1) continue;
    if (!dimensions.empty() && dimensions.back().stride == next.extent * next.stride) {
      dimensions.back() = {dimensions.back().extent * next.extent, next.stride};
    } else {
      dimensions.push_back(next);
    }
  }
  if (dimensions.empty()) dimensions.push_back({1, 1});
  return dimensions;
}

/// Walks elements [first, first + count) in row-major order, in straight runs along the last
/// dimension.
template <typename Run>
void for_each_run(const std::vector<Dimension>& dimensions, std::int64_t first, std::int64_t count,
                  const Run& run) {
  std::vector<std::int64_t> index(dimensions.size());
  std::int64_t place = 0;  // of the current element in memory
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    index[d] = first % dimensions[d].extent;
    first /= dimensions[d].extent;
    place += index[d] * dimensions[d].stride;
  }
  const Dimension last = dimensions.back();
  while (count > 0) {
    const std::int64_t length = std::min(count, last.extent - index.back());
    run(place, last.stride, length);
    count -= length;
    place -= index.back() * last.stride;
    index.back() = 0;
    for (std::size_t d = dimensions.size() - 1; d-- > 0;) {
      place += dimensions[d].stride;
      if (++index[d] < dimensions[d].extent) break;
      place -= dimensions[d].stride * dimensions[d].extent;
      index[d] = 0;
    }
  }
}

// `Byte` is std::byte when memory is written and const std::byte when the image is: the one that is
// not const is filled from the other.
template <typename Memory, typename Image>
void copy(Memory* memory, Image* image, std::size_t bytes) {
  if constexpr (std::is_const_v<Memory>) {
    std::memcpy(image, memory, bytes);
  } else {
    std::memcpy(memory, image, bytes);
  }
}

// The size is a constant, so each copy is one move of a word, whatever the image's alignment.
template <std::size_t Size, typename Memory, typename Image>
void copy_elements(const std::vector<Dimension>& dimensions, std::int64_t first, std::int64_t count,
                   Memory* memory, Image* image) {
  constexpr auto kSize = static_cast<std::int64_t>(Size);
  for_each_run(dimensions, first, count,
               [memory, &image](std::int64_t place, std::int64_t stride, std::int64_t length) {
                 Memory* element = memory + place * kSize;
                 for (std::int64_t i = 0; i < length; ++i) {
                   copy(element, image, Size);
                   element += stride * kSize;
                   image += kSize;
                 }
               });
}

template <typename Memory, typename Image>
void copy_whole(std::size_t size, const std::vector<Dimension>& dimensions, std::int64_t first,
                std::int64_t count, Memory* memory, Image* image) {
  switch (size) {
    case 1:
      return copy_elements<1>(dimensions, first, count, memory, image);
    case 2:
      return copy_elements<2>(dimensions, first, count, memory, image);
    case 4:
      return copy_elements<4>(dimensions, first, count, memory, image);
    default:
      return copy_elements<8>(dimensions, first, count, memory, image);
  }
}

template <typename Memory, typename Image>
void copy_range(const TensorView& tensor, std::uint64_t first_byte, std::span<Image> image) {
  if (image.empty()) return;  // a tensor without elements has an extent of 0
  const std::size_t size = size_of(tensor.dtype);
  const std::vector<Dimension> dimensions = simplified(tensor);
  auto* memory = static_cast<Memory*>(tensor.data);
  if (dimensions.size() == 1 && dimensions.front().stride == 1) {
    copy(memory + first_byte, image.data(), image.size());
    return;
  }
  const auto copy_part = [&](std::size_t skip, std::size_t bytes) {  // of the element at first_byte
    for_each_run(dimensions, static_cast<std::int64_t>(first_byte / size), 1,
                 [&](std::int64_t place, std::int64_t /*stride*/, std::int64_t /*length*/) {
                   copy(memory + place * static_cast<std::int64_t>(size) + skip, image.data(),
                        bytes);
                 });
    first_byte += bytes;
    image = image.subspan(bytes);
  };
  if (const std::size_t skip = first_byte % size; skip != 0) {
    copy_part(skip, std::min(size - skip, image.size()));
  }
  const std::size_t whole = image.size() / size;
  copy_whole(size, dimensions, static_cast<std::int64_t>(first_byte / size),
             static_cast<std::int64_t>(whole), memory, image.data());
  first_byte += whole * size;
  image = image.subspan(whole * size);
  if (!image.empty()) copy_part(0, image.size());
}

}  // namespace

void pack(const TensorView& tensor, std::uint64_t first_byte, std::span<std::byte> out) {
  copy_range<const std::byte>(tensor, first_byte, out);
}

void unpack(const TensorView& tensor, std::uint64_t first_byte, std::span<const std::byte> in) {
  copy_range<std::byte>(tensor, first_byte, in);
}

}  // namespace lockstep::checkpoint
