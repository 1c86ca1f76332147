#include "checkpoint/restore.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "checkpoint/blocks.hpp"
#include "checkpoint/shard_reader.hpp"
#include "checkpoint/strided.hpp"

namespace lockstep::checkpoint {
namespace {

constexpr std::byte kGood{0};
constexpr std::byte kBad{1};

}  // namespace

Restore::Restore(Group& group, const std::filesystem::path& step, const Manifest& manifest,
                 const Contents& contents)
    : group_(group),
      step_(step),
      manifest_(manifest),
      how_(manifest.world == group.size() ? Restored::exact : Restored::elastic),
      targets_(manifest.files.size()) {
  add_targets(contents);
  for (std::vector<Target>& file : targets_) {
    std::sort(file.begin(), file.end(),
              [](const Target& a, const Target& b) { return a.offset < b.offset; });
  }
}

void Restore::add_targets(const Contents& contents) {
  std::map<std::string_view, const Manifest::Tensor*> tensors;
  for (const Manifest::Tensor& tensor : manifest_.tensors) tensors[tensor.entry.path] = &tensor;
  std::map<std::string_view, const Manifest::Text*> texts;
  for (const Manifest::Text& text : manifest_.texts) texts[text.path] = &text;

  text_buffers_.resize(contents.parts.size());
  for (std::size_t i = 0; i < contents.parts.size(); ++i) {
    const Manifest::Text& text = *texts.at(text_path(*contents.parts[i]));
    text_buffers_[i].resize(text.capacity);
    targets_.front().push_back({text.offset, text.capacity, nullptr, 0, &text_buffers_[i]});
  }
  own_.reserve(contents.tensors.size());  // targets point into it
  for (std::size_t i = 0; i < contents.tensors.size(); ++i) {
    const Entry& entry = contents.entries[i];
    const Manifest::Tensor& tensor = *tensors.at(entry.path);
    if (entry.spread == Spread::per_rank) {
      if (how_ == Restored::exact) add_own(contents.tensors[i], tensor);
      continue;
    }
    for (const Manifest::Piece& piece : tensor.pieces) {
      targets_[static_cast<std::size_t>(piece.file)].push_back(
          {piece.offset, static_cast<std::uint64_t>(piece.rows) * entry.row_bytes(),
           &contents.tensors[i], static_cast<std::uint64_t>(piece.start) * entry.row_bytes(),
           nullptr});
    }
  }
}

void Restore::add_own(const TensorView& view, const Manifest::Tensor& tensor) {
  const auto rank = static_cast<std::size_t>(group_.rank());
  Own& own = own_.emplace_back(Own{&view, std::vector<std::byte>(tensor.entry.bytes())});
  targets_[rank].push_back({tensor.pieces[rank].offset, own.bytes.size(), nullptr, 0, &own.bytes});
}

// Round robin: with the same number of ranks everyone reads the file that it wrote.
std::vector<Restore::Job> Restore::jobs_of(int rank) const {
  std::vector<Job> jobs;
  for (auto file = static_cast<std::size_t>(rank); file < manifest_.files.size();
       file += static_cast<std::size_t>(group_.size())) {
    for (std::size_t block = 0; block < block_count(manifest_.files[file].bytes); ++block) {
      jobs.push_back({file, block});
    }
  }
  return jobs;
}

std::optional<std::string> Restore::run() {
  std::vector<std::vector<Job>> jobs;
  std::size_t rounds = 0;
  for (int rank = 0; rank < group_.size(); ++rank) {
    jobs.push_back(jobs_of(rank));
    rounds = std::max(rounds, jobs.back().size());
  }
  const auto me = static_cast<std::size_t>(group_.rank());
  for (std::size_t round = 0; round < rounds; ++round) {
    if (round < jobs[me].size()) read(jobs[me][round]);
    for (std::size_t rank = 0; rank < jobs.size(); ++rank) {
      if (round >= jobs[rank].size()) continue;
      const Job& job = jobs[rank][round];
      std::vector<std::byte>& payload = rank == me ? mine_ : theirs_;
      payload.resize(block_size(manifest_.files[job.file].bytes, job.block) + 1);
      group_.broadcast_bytes(payload, static_cast<int>(rank));
      if (payload.back() != kGood) return reason_of_failure();
      take(job, payload);
    }
  }
  for (const Own& own : own_) unpack(*own.tensor, 0, own.bytes);
  return std::nullopt;
}

void Restore::read(const Job& job) {
  const std::size_t bytes = block_size(manifest_.files[job.file].bytes, job.block);
  mine_.resize(bytes + 1);
  try {
    if (!reader_ || reading_ != job.file) reader_.emplace(step_, manifest_, job.file);
    reading_ = job.file;
    reader_->read_block(job.block, mine_);
    mine_.back() = kGood;
  } catch (const std::exception& error) {
    failure_ = error.what();
    mine_.back() = kBad;
  }
}

void Restore::take(const Job& job, std::span<const std::byte> payload) const {
  const std::uint64_t begin = job.block * kBlockBytes;
  const std::uint64_t end = begin + payload.size() - 1;
  for (const Target& target : targets_[job.file]) {
    if (target.offset >= end) break;
    const std::uint64_t first = std::max(begin, target.offset);
    const std::uint64_t last = std::min(end, target.offset + target.bytes);
    if (first >= last) continue;
    const std::span<const std::byte> bytes = payload.subspan(first - begin, last - first);
    const std::uint64_t place = target.first_byte + (first - target.offset);
    if (target.tensor != nullptr) {
      unpack(*target.tensor, place, bytes);
    } else {
      std::copy(bytes.begin(), bytes.end(),
                target.buffer->begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
}

std::string Restore::reason_of_failure() {
  std::vector<std::string> reasons = group_.gather(failure_);
  std::erase(reasons, "");
  return group_.broadcast(fmt::format("{}", fmt::join(reasons, "; ")));
}

std::vector<std::string> Restore::texts() const {
  std::vector<std::string> texts;
  for (const std::vector<std::byte>& buffer : text_buffers_) {
    const auto end = std::find(buffer.begin(), buffer.end(), std::byte{0});
    std::string& text = texts.emplace_back();
    std::transform(buffer.begin(), end, std::back_inserter(text),
                   [](std::byte byte) { return static_cast<char>(byte); });
  }
  return texts;
}

}  // namespace lockstep::checkpoint
