#include "device/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "device/host_identity.hpp"

namespace lockstep::device {
namespace {

bool is_all_zero(const std::byte* data, std::size_t size) {
  return std::all_of(data, data + size, [](std::byte value) { return value == std::byte{0}; });
}

TEST(Memory, OfTheHostIsZeroAndAligned) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kHugePage - 1, kHugePage, 3 * kHugePage + 17}) {
    const Memory memory(-1, size);
    ASSERT_NE(memory.data(), nullptr);
    EXPECT_EQ(memory.size_bytes(), size);
    EXPECT_TRUE(is_all_zero(memory.data(), size));
    const std::size_t alignment = size < kHugePage ? 64 : kHugePage;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % alignment, 0U) << size;
    std::fill_n(memory.data(), size, std::byte{1});  // all of it is ours to write
  }
}

TEST(Memory, GoesToItsNewOwnerAndLeavesTheOldOneEmpty) {
  Memory first(-1, 100);
  std::byte* const data = first.data();
  const Memory second = std::move(first);
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(first.size_bytes(), 0U);
}

TEST(Memory, OfAMissingDeviceIsRefused) { EXPECT_THROW(Memory(visible_count() + 7, 100), Error); }

TEST(Memory, LargerThanTheMachineIsAnErrorThatSaysSo) {
  try {
    const Memory memory(-1, std::size_t{1} << 60U);
    FAIL() << "an exbibyte was given";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_NE(std::string(error.what()).find("1.0 EiB"), std::string::npos) << error.what();
  }
}

TEST(HostMemory, HoldsWhatACopyBrings) {
  Memory from(-1, 1000);
  std::fill_n(from.data(), 1000, std::byte{7});
  HostMemory to(1000);
  EXPECT_TRUE(is_all_zero(to.bytes().data(), to.bytes().size()));
  copy_to_host(to.bytes(), from.data());
  EXPECT_EQ(to.bytes()[999], std::byte{7});
  to.bytes()[0] = std::byte{9};
  copy_to_device(from.data(), to.bytes());
  EXPECT_EQ(from.data()[0], std::byte{9});
}

TEST(Identity, NamesTheProcessor) {
  EXPECT_EQ(identity(-1).uuid, "cpu");
  EXPECT_FALSE(identity(-1).name.empty());
  EXPECT_EQ(processor_name("processor\t: 0\nmodel name\t: Fast One 9000\nflags\t: fpu\n"),
            "Fast One 9000");
  EXPECT_EQ(processor_name("processor\t: 0\nCPU part\t: 0xd0c\n"), "cpu");
  EXPECT_EQ(processor_name(""), "cpu");
  EXPECT_EQ(processor_name("model name\t:"), "cpu");
}

TEST(Device, TheHostNeedsNoSelection) {
  select(-1);
  synchronize(-1);
  EXPECT_THROW(select(visible_count() + 7), Error);
}

}  // namespace
}  // namespace lockstep::device
