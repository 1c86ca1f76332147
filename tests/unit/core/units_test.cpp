#include "core/units.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace lockstep {
namespace {

std::string duration_of(double seconds) {
  return units::duration(std::chrono::duration<double>(seconds));
}

TEST(Units, BytesTakeBinaryMultiples) {
  EXPECT_EQ(units::bytes(0), "0 B");
  EXPECT_EQ(units::bytes(512), "512 B");
  EXPECT_EQ(units::bytes(1023), "1023 B");
  EXPECT_EQ(units::bytes(1024), "1.0 KiB");
  EXPECT_EQ(units::bytes(4096), "4.0 KiB");
  EXPECT_EQ(units::bytes(107'164'467), "102.2 MiB");
  EXPECT_EQ(units::bytes(std::uint64_t{3} << 29U), "1.5 GiB");
  EXPECT_EQ(units::bytes(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

TEST(Units, DurationsTakeTwoUnits) {
  EXPECT_EQ(duration_of(0), "0.0 s");
  EXPECT_EQ(duration_of(0.4), "0.4 s");
  EXPECT_EQ(duration_of(9.94), "9.9 s");
  EXPECT_EQ(duration_of(9.96), "10 s");
  EXPECT_EQ(duration_of(59.4), "59 s");
  EXPECT_EQ(duration_of(59.6), "1 min 00 s");
  EXPECT_EQ(duration_of(185), "3 min 05 s");
  EXPECT_EQ(duration_of(7620), "2 h 07 min");
  EXPECT_EQ(duration_of(273'600), "3 d 04 h");
}

TEST(Units, ADurationThatIsNoneIsUnknown) {
  EXPECT_EQ(duration_of(-1), "unknown");
  EXPECT_EQ(duration_of(std::numeric_limits<double>::infinity()), "unknown");
  EXPECT_EQ(duration_of(std::numeric_limits<double>::quiet_NaN()), "unknown");
}

TEST(Units, RatesNameWhatTheyCount) {
  EXPECT_EQ(units::rate(1234.54, "images"), "1234.5 images/s");
}

}  // namespace
}  // namespace lockstep
