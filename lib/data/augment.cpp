#include "data/augment.hpp"

#include <algorithm>
#include <cstring>

#include "core/error.hpp"
#include "core/philox.hpp"

namespace lockstep::data {
namespace {

// Streams of one key that must never meet get different numbers.
constexpr std::uint64_t kAugmentStream = 1;

void mirror(std::span<std::byte> row, std::size_t pixel_bytes) {
  std::size_t left = 0;
  std::size_t right = row.size() - pixel_bytes;
  for (; left < right; left += pixel_bytes, right -= pixel_bytes) {
    std::swap_ranges(row.begin() + static_cast<std::ptrdiff_t>(left),
                     row.begin() + static_cast<std::ptrdiff_t>(left + pixel_bytes),
                     row.begin() + static_cast<std::ptrdiff_t>(right));
  }
}

// out[x] = in[x + shift], zero where that lies outside.
void shift_row(std::span<const std::byte> in, std::span<std::byte> out, std::int64_t shift_bytes) {
  const auto length = static_cast<std::int64_t>(in.size());
  const std::int64_t begin = std::clamp<std::int64_t>(-shift_bytes, 0, length);
  const std::int64_t end = std::clamp<std::int64_t>(length - shift_bytes, begin, length);
  std::memset(out.data(), 0, static_cast<std::size_t>(begin));
  std::memcpy(out.data() + begin, in.data() + std::min(begin + shift_bytes, length),
              static_cast<std::size_t>(end - begin));
  std::memset(out.data() + end, 0, static_cast<std::size_t>(length - end));
}

}  // namespace

void Augment::apply(std::int64_t epoch, std::int64_t id, const ImageShape& shape,
                    std::span<const std::byte> in, std::span<std::byte> out) const {
  expect(in.size() == shape.size_bytes() && out.size() == in.size(),
         "both buffers must have the size of a picture");
  expect(crop_padding >= 0, "padding is a number of pixels");
  Philox random(mix(seed, static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(id)),
                kAugmentStream);
  const auto offsets = static_cast<std::uint32_t>(2 * crop_padding + 1);
  // All three are drawn whatever is switched on: the crop of a sample does not depend on flip.
  const std::int64_t down = std::int64_t{random.below(offsets)} - crop_padding;
  const std::int64_t right = std::int64_t{random.below(offsets)} - crop_padding;
  const bool mirrored = random.below(2) == 1 && flip;

  const auto pixel_bytes = static_cast<std::size_t>(shape.channels);
  const std::size_t row_bytes = static_cast<std::size_t>(shape.width) * pixel_bytes;
  for (std::int64_t y = 0; y < shape.height; ++y) {
    const std::span<std::byte> row =
        out.subspan(static_cast<std::size_t>(y) * row_bytes, row_bytes);
    const std::int64_t from = y + down;
    if (from < 0 || from >= shape.height) {
      std::memset(row.data(), 0, row.size());
      continue;
    }
    shift_row(in.subspan(static_cast<std::size_t>(from) * row_bytes, row_bytes), row,
              right * shape.channels);
    if (mirrored) mirror(row, pixel_bytes);
  }
}

}  // namespace lockstep::data
