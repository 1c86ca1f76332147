#include "train/mpi_group.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace lockstep::train {

bool MpiGroup::all(bool mine) {
  std::int32_t value = mine ? 1 : 0;
  ranks_.all_reduce({&value, 1, DType::i32}, comm::ReduceOp::min).wait();
  return value == 1;
}

// Through an all-gather of equal parts: rank 0 alone needs them, but it has a limit on waiting.
std::vector<std::string> MpiGroup::gather(std::string_view mine) {
  const auto ranks = static_cast<std::size_t>(size());
  std::int64_t length = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> lengths(ranks);
  ranks_.all_gather({&length, 1, DType::i64}, view_of(std::span<std::int64_t>(lengths))).wait();
  const auto part = static_cast<std::size_t>(*std::max_element(lengths.begin(), lengths.end()));
  std::vector<std::byte> own(part);
  std::memcpy(own.data(), mine.data(), mine.size());
  std::vector<std::byte> everybodys(part * ranks);
  if (part > 0) {
    ranks_.all_gather(view_of(std::span<std::byte>(own)), view_of(std::span<std::byte>(everybodys)))
        .wait();
  }
  std::vector<std::string> texts;
  if (rank() != 0) return texts;
  for (std::size_t i = 0; i < ranks; ++i) {
    texts.emplace_back(reinterpret_cast<const char*>(everybodys.data() + i * part),
                       static_cast<std::size_t>(lengths[i]));
  }
  return texts;
}

std::string MpiGroup::broadcast(std::string_view from_root) {
  std::int64_t length = static_cast<std::int64_t>(from_root.size());
  ranks_.broadcast({&length, 1, DType::i64}, 0).wait();
  std::string text(from_root);
  text.resize(static_cast<std::size_t>(length));
  if (length > 0) ranks_.broadcast({text.data(), text.size(), DType::u8}, 0).wait();
  return text;
}

void MpiGroup::broadcast_bytes(std::vector<std::byte>& bytes, int root) {
  if (!bytes.empty()) ranks_.broadcast(view_of(std::span<std::byte>(bytes)), root).wait();
}

}  // namespace lockstep::train
