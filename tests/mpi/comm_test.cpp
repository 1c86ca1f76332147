// One suite that every communicator must pass: each backend that was built, with and without a
// thread of its own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "comm/factory.hpp"
#include "core/error.hpp"
#include "mpi/session.hpp"
#include "support/device_array.hpp"
#include "support/mpi_main.hpp"

namespace lockstep::comm {
namespace {

using tests::DeviceArray;
using tests::world;

struct Variant {
  std::string backend;
  Overlap overlap;
  std::size_t piece_bytes;
};

std::vector<Variant> variants() {
  std::vector<Variant> result;
  for (const std::string_view backend : available()) {
    result.push_back({std::string(backend), Overlap::in_line, 0});
    result.push_back({std::string(backend), Overlap::in_line, 4096});
    result.push_back({std::string(backend), Overlap::thread, 4096});
  }
  return result;
}

class Collectives : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    if (GetParam().backend == "nccl") {
      // One rank a GPU; the same answer on all ranks, which share a machine.
      if (device::visible_count() < world().size()) GTEST_SKIP() << "needs a GPU for each rank";
      device_ = world().rank();
      device::select(device_);
    }
    comm_ = make(GetParam().backend, world(),
                 {.patience = [] { return Clock::duration(std::chrono::seconds(30)); },
                  .piece_bytes = GetParam().piece_bytes,
                  .device = device_});
    if (GetParam().overlap == Overlap::thread) comm_ = on_a_thread(std::move(comm_));
  }
  void TearDown() override {
    if (comm_) comm_->close();
  }

  template <typename T>
  DeviceArray<T> on_device(const std::vector<T>& values) const {
    return DeviceArray<T>(device_, values);
  }
  std::size_t size() const { return static_cast<std::size_t>(comm_->size()); }
  std::size_t rank() const { return static_cast<std::size_t>(comm_->rank()); }

  // Element i of rank r is i % 50 + r: every offset error shows, and sums stay exact.
  template <typename T>
  static std::vector<T> pattern(std::size_t count, std::size_t rank) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i % 50 + rank);
    return values;
  }

  template <typename T>
  void expect_reduced(std::size_t count, ReduceOp op) {
    DeviceArray<T> array = on_device(pattern<T>(count, rank()));
    comm_->all_reduce(array.view(), op).wait();
    const std::vector<T> got = array.values();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t expected = op == ReduceOp::min ? i % 50
                                   : op == ReduceOp::max
                                       ? i % 50 + size() - 1
                                       : i % 50 * size() + size() * (size() - 1) / 2;
      ASSERT_EQ(got[i], static_cast<T>(expected)) << "element " << i << " of " << count;
    }
  }

  int device_ = -1;
  std::unique_ptr<Communicator> comm_;
};

// Odd counts, one piece exactly (1024 floats), one element more, many pieces.
constexpr std::array<std::size_t, 7> kCounts = {0, 1, 3, 1023, 1024, 1025, 70001};

TEST_P(Collectives, ReduceEveryTypeOpAndCount) {
  for (const std::size_t count : kCounts) {
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max}) {
      expect_reduced<float>(count, op);
      expect_reduced<double>(count, op);
      expect_reduced<std::int32_t>(count, op);
      expect_reduced<std::int64_t>(count, op);
      expect_reduced<std::uint8_t>(count, op);
    }
  }
}

TEST_P(Collectives, GiveTheSameBitsOnEveryRankAndEveryTime) {
  std::vector<float> values(50001);
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Sums of these depend on the order of the additions.
    values[i] = 1.0F / static_cast<float>(1 + (i * 7919 + rank() * 104729) % 10007);
  }
  DeviceArray<float> first = on_device(values);
  DeviceArray<float> second = on_device(values);
  comm_->all_reduce(first.view(), ReduceOp::sum).wait();
  comm_->all_reduce(second.view(), ReduceOp::sum).wait();
  const std::vector<float> mine = first.values();
  EXPECT_EQ(std::memcmp(mine.data(), second.values().data(), mine.size() * sizeof(float)), 0);

  DeviceArray<float> of_rank_0 = on_device(mine);
  comm_->broadcast(of_rank_0.view(), 0).wait();
  EXPECT_EQ(std::memcmp(mine.data(), of_rank_0.values().data(), mine.size() * sizeof(float)), 0);
}

TEST_P(Collectives, ReduceScatterGivesEachRankItsPart) {
  for (const std::size_t count : kCounts) {
    const DeviceArray<float> in = on_device(pattern<float>(count * size(), rank()));
    const DeviceArray<float> out = on_device(std::vector<float>(count));
    comm_->reduce_scatter(in.view(), out.view(), ReduceOp::sum).wait();
    const std::vector<float> got = out.values();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t global = rank() * count + i;
      ASSERT_EQ(got[i], static_cast<float>(global % 50 * size() + size() * (size() - 1) / 2))
          << i << " of " << count;
    }
  }
}

TEST_P(Collectives, AllGatherKeepsRankOrder) {
  for (const std::size_t count : kCounts) {
    const DeviceArray<std::int32_t> in = on_device(pattern<std::int32_t>(count, rank() * 100));
    const DeviceArray<std::int32_t> out = on_device(std::vector<std::int32_t>(count * size()));
    comm_->all_gather(in.view(), out.view()).wait();
    const std::vector<std::int32_t> got = out.values();
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], static_cast<std::int32_t>(i % count % 50 + i / count * 100))
          << i << " of " << count;
    }
  }
}

TEST_P(Collectives, BroadcastFromEveryRoot) {
  for (std::size_t root = 0; root < size(); ++root) {
    for (const std::size_t count : kCounts) {
      const DeviceArray<double> array = on_device(pattern<double>(count, rank()));
      comm_->broadcast(array.view(), static_cast<int>(root)).wait();
      ASSERT_EQ(array.values(), pattern<double>(count, root));
    }
  }
}

TEST_P(Collectives, CompleteInOrderWhenSeveralAreOnTheirWay) {
  std::vector<DeviceArray<float>> arrays;
  std::vector<Pending> pending;
  for (std::size_t i = 0; i < 20; ++i)
    arrays.push_back(on_device(pattern<float>(2000 + i, rank())));
  for (const auto& array : arrays)
    pending.push_back(comm_->all_reduce(array.view(), ReduceOp::max));
  pending.push_back(comm_->barrier());
  for (Pending& one : pending) one.wait();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ(arrays[i].values(), pattern<float>(2000 + i, size() - 1));
  }
}

TEST_P(Collectives, ReduceHalfTypesOrRefuseThemBeforeAnyRankWaits) {
  // 1.0 in bf16; on several ranks the sum is their number, exactly.
  const DeviceArray<std::uint8_t> array =
      on_device(std::vector<std::uint8_t>{0x80, 0x3f, 0x80, 0x3f});
  const BufferView view{array.view().data, 2, DType::bf16};
  if (comm_->name() == "mpi") {
    EXPECT_THROW(comm_->all_reduce(view, ReduceOp::sum).wait(), Error);
    return;
  }
  comm_->all_reduce(view, ReduceOp::max).wait();
  EXPECT_EQ(array.values(), (std::vector<std::uint8_t>{0x80, 0x3f, 0x80, 0x3f}));
}

std::string variant_name(const testing::TestParamInfo<Variant>& info) {
  return info.param.backend + (info.param.overlap == Overlap::thread ? "_thread" : "") +
         (info.param.piece_bytes > 0 ? "_pieces" : "");
}
INSTANTIATE_TEST_SUITE_P(AllCommunicators, Collectives, testing::ValuesIn(variants()),
                         variant_name);

TEST(Factory, SaysWhatWasBuiltWhenItIsAskedForSomethingElse) {
  try {
    static_cast<void>(make("pigeon", world(),
                           {.patience = [] { return Clock::duration(std::chrono::seconds(30)); }}));
    FAIL() << "made a pigeon";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("mpi"), std::string::npos) << error.what();
  }
}

TEST(MessagingLayer, IsTheOneThatThisEntryIsFor) {
  const char* const forced = std::getenv("OMPI_MCA_pml");
  const std::string pml = mpi::library().pml;
  if (forced != nullptr) {
    EXPECT_EQ(pml, forced);
  } else {
    EXPECT_NE(pml, "unknown");
  }
}

}  // namespace
}  // namespace lockstep::comm
