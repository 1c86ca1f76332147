#include "train/reducer.hpp"

#include <ATen/ops/randn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/lone_communicator.hpp"
#include "support/networks.hpp"
#include "support/tiny_net.hpp"

namespace lockstep::train {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Rig {
  explicit Rig(std::size_t bucket_bytes, tests::TinyNet::Options options = {})
      : net(std::move(options)) {
    net.parameters().allocate({.report_count = 30});
    reducer.emplace(net.parameters(), ranks, bucket_bytes, clock);
  }
  void backward() {
    net.forward(at::randn({2, 3, 4, 4}), {.mode = model::Mode::training}).sum().backward();
  }

  tests::TinyNet net;
  tests::LoneCommunicator ranks;
  PhaseClock clock;
  std::optional<Reducer> reducer;
};

TEST(Reducer, SendsTheWholeArenaOnceInBucketsFromTheEnd) {
  Rig s(1);
  EXPECT_EQ(s.reducer->bucket_count(), 3U);
  for (int step = 1; step <= 2; ++step) {
    s.ranks.reduced.clear();
    s.reducer->arm();
    s.backward();
    s.reducer->finish();
    ASSERT_EQ(s.ranks.reduced.size(), 3U);
    const std::span<float> arena = s.net.parameters().arena();
    const float* end = arena.data() + arena.size();
    for (const BufferView& bucket : s.ranks.reduced) {
      EXPECT_EQ(static_cast<float*>(bucket.data) + bucket.count, end);
      end = static_cast<float*>(bucket.data);
    }
    EXPECT_EQ(end, arena.data());
  }
}

TEST(Reducer, SendsBucketsWhileTheBackwardPassIsStillUnderWay) {
  Rig s(1);
  s.reducer->arm();
  s.backward();
  EXPECT_EQ(s.ranks.reduced.size(), 3U) << "all gradients are there, so nothing is left for finish";
  s.reducer->finish();
  EXPECT_EQ(s.ranks.reduced.size(), 3U);
}

TEST(Reducer, SendsNothingForInnerMicroBatches) {
  Rig s(1);
  s.backward();
  s.backward();
  EXPECT_TRUE(s.ranks.reduced.empty());
  s.reducer->arm();
  s.backward();
  s.reducer->finish();
  EXPECT_EQ(s.ranks.reduced.size(), 3U);
}

TEST(Reducer, NamesAWeightWithoutGradientOnceAndCountsItAsZero) {
  Rig s(1, {.has_unused_layer = true});
  const auto step = [&] {
    s.ranks.reduced.clear();
    testing::internal::CaptureStderr();
    s.reducer->arm();
    s.backward();
    s.reducer->finish();
    return testing::internal::GetCapturedStderr();
  };
  const std::string first = step();
  EXPECT_THAT(first, HasSubstr("spare.weight, spare.bias"));
  EXPECT_THAT(first, Not(HasSubstr("fc.weight")));
  EXPECT_EQ(s.ranks.reduced.size(), s.reducer->bucket_count());
  EXPECT_EQ(step(), "");
  EXPECT_EQ(s.ranks.reduced.size(), s.reducer->bucket_count());
  for (const model::Entry& entry : s.net.parameters().entries()) {
    const bool is_spare = entry.name.starts_with("spare");
    EXPECT_EQ(entry.tensor.grad().eq(0).all().item<bool>(), is_spare) << entry.name;
  }
}

TEST(Reducer, LeavesAloneWhatOneRankHas) {
  const auto model = tests::network("resnet20", {.channels = 3, .classes = 10});
  model->parameters().allocate({});
  tests::LoneCommunicator ranks;
  PhaseClock clock;
  Reducer reducer(model->parameters(), ranks, 1 << 16U, clock);
  reducer.arm();
  model->forward(at::randn({2, 3, 8, 8}), {.mode = model::Mode::training}).sum().backward();
  const std::vector<float> before(model->parameters().arena().begin(),
                                  model->parameters().arena().end());
  reducer.finish();
  EXPECT_TRUE(std::equal(before.begin(), before.end(), model->parameters().arena().begin()));
}

TEST(Reducer, TakesItsHooksWithItWhenItGoes) {
  Rig s(1);
  s.reducer->arm();
  s.reducer.reset();
  s.backward();  // would touch freed memory
  EXPECT_TRUE(s.ranks.reduced.empty());
}

}  // namespace
}  // namespace lockstep::train
