#include "comm/call.hpp"

#include <gtest/gtest.h>

#include <set>

namespace lockstep::comm {
namespace {

const Call kReduce{
    .collective = "all_reduce", .count = 2097152, .dtype = DType::f32, .op = ReduceOp::sum};

TEST(Call, ReadsAsASentencePart) {
  EXPECT_EQ(kReduce.text(), "all_reduce of 2097152 f32 (8.0 MiB), sum");
  EXPECT_EQ(Call{.collective = "barrier"}.text(), "barrier");
  EXPECT_EQ((Call{.collective = "broadcast", .count = 1, .dtype = DType::u8, .root = 0}.text()),
            "broadcast of 1 u8 (1 B), root 0");
}

TEST(Call, HasAFingerprintOfEverythingThatMustAgree) {
  std::set<std::int64_t> seen;
  Call call = kReduce;
  seen.insert(call.fingerprint(1));
  seen.insert(call.fingerprint(2));
  call.count -= 1;
  seen.insert(call.fingerprint(1));
  call = kReduce;
  call.dtype = DType::i32;
  seen.insert(call.fingerprint(1));
  call = kReduce;
  call.op = ReduceOp::max;
  seen.insert(call.fingerprint(1));
  call = kReduce;
  call.collective = "all_gather";
  seen.insert(call.fingerprint(1));
  call = kReduce;
  call.op.reset();
  call.root = 0;
  seen.insert(call.fingerprint(1));
  call.root = 1;
  seen.insert(call.fingerprint(1));
  EXPECT_EQ(seen.size(), 8U);
  EXPECT_GE(*seen.begin(), 0);
  EXPECT_EQ(kReduce.fingerprint(1), Call(kReduce).fingerprint(1));
}

TEST(Position, SaysWhichCollectiveAndWhatTheRankIsAt) {
  const Position position{57, "barrier", "step 3, backward"};
  EXPECT_EQ(position.text(), "barrier, collective 57, step 3, backward");
  EXPECT_TRUE(position.is_with({57, "barrier", "step 4"}));
  EXPECT_FALSE(position.is_with({58, "barrier", ""}));
}

}  // namespace
}  // namespace lockstep::comm
