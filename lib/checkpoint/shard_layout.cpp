#include <fmt/format.h>

#include "checkpoint/shard.hpp"

namespace lockstep::checkpoint {
namespace {

h5::Dataset dataset_of(const Entry& entry, const Piece& piece) {
  std::vector<std::int64_t> shape = entry.shape;
  if (!shape.empty()) shape.front() = piece.rows;
  return {
      entry.path,
      entry.dtype,
      std::move(shape),
      {{"dtype", std::string(name(entry.dtype))},
       {"global_shape", entry.shape},
       {"start", piece.start},
       {"spread", std::string(entry.spread == Spread::replicated ? "replicated" : "per_rank")}}};
}

}  // namespace

std::string shard_name(int rank, int world) {
  return fmt::format("shard-{:05}-of-{:05}.h5", rank, world);
}

ShardLayout layout_of(const Contents& contents, std::span<const Piece> plan, int rank) {
  ShardLayout layout;
  std::vector<h5::Dataset> datasets;
  if (rank == 0) {
    for (const Saveable* part : contents.parts) {
      datasets.push_back({text_path(*part), h5::Text{kTextCapacity}, {}, {}});
    }
  }
  const auto texts = static_cast<std::ptrdiff_t>(datasets.size());
  for (const Piece& piece : plan) {
    if (piece.rank != rank) continue;
    layout.pieces.push_back(piece);
    datasets.push_back(dataset_of(contents.entries[piece.entry], piece));
  }
  layout.image = h5::make_image(datasets);
  const std::vector<std::uint64_t>& offsets = layout.image.offsets;
  layout.text_offsets.assign(offsets.begin(), offsets.begin() + texts);
  layout.offsets.assign(offsets.begin() + texts, offsets.end());
  return layout;
}

}  // namespace lockstep::checkpoint
