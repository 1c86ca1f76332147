#include "train/buckets.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace lockstep::train {

std::vector<Bucket> cut_buckets(std::span<const std::size_t> gradient_offsets,
                                std::size_t arena_floats, std::size_t bucket_floats) {
  expect(std::is_sorted(gradient_offsets.begin(), gradient_offsets.end()),
         "gradients lie in ascending order");
  std::vector<Bucket> buckets;
  Bucket open{arena_floats, arena_floats, 0};
  for (std::size_t weight = gradient_offsets.size(); weight-- > 0;) {
    open.begin = gradient_offsets[weight];
    ++open.weights;
    if (open.end - open.begin >= bucket_floats && weight > 0) {
      buckets.push_back(open);
      open = {open.begin, open.begin, 0};
    }
  }
  open.begin = 0;
  buckets.push_back(open);
  return buckets;
}

std::vector<std::size_t> bucket_of_weight(std::span<const Bucket> buckets,
                                          std::span<const std::size_t> gradient_offsets) {
  std::vector<std::size_t> result;
  result.reserve(gradient_offsets.size());
  for (const std::size_t offset : gradient_offsets) {
    const auto holder = std::find_if(buckets.begin(), buckets.end(), [&](const Bucket& b) {
      return b.begin <= offset && offset < b.end;
    });
    expect(holder != buckets.end(), "every gradient lies in a bucket");
    result.push_back(static_cast<std::size_t>(holder - buckets.begin()));
  }
  return result;
}

}  // namespace lockstep::train
