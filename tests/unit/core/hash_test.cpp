#include "core/hash.hpp"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

// The authors' test vectors, http://www.isthe.com/chongo/src/fnv/test_fnv.c.
TEST(Fnv1a, AgreesWithItsAuthors) {
  EXPECT_EQ(fnv1a(""), 0xCBF29CE484222325ULL);
  EXPECT_EQ(fnv1a("a"), 0xAF63DC4C8601EC8CULL);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171F73967E8ULL);
}

TEST(Fnv1a, ContinuesFromItsSeed) { EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar")); }

TEST(Fnv1a, TakesBytesAsUnsigned) {
  EXPECT_EQ(fnv1a("\xFF"), (0xCBF29CE484222325ULL ^ 0xFFU) * 0x100000001B3ULL);
}

TEST(Hex, HasSixteenDigits) {
  EXPECT_EQ(hex(0), "0000000000000000");
  EXPECT_EQ(hex(0xABCULL), "0000000000000abc");
  EXPECT_EQ(hex(~std::uint64_t{0}), "ffffffffffffffff");
}

}  // namespace
}  // namespace lockstep
