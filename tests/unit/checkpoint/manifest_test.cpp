#include "checkpoint/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/manifest_seal.hpp"
#include "core/error.hpp"

namespace lockstep::checkpoint {
namespace {

using testing::HasSubstr;

Manifest small() {
  Manifest manifest;
  manifest.facts = {12, 768, "tiny", 3, "a: \"b\"\n", R"({"lockstep":"0.1.0"})", false};
  manifest.world = 2;
  manifest.files = {{"shard-00000-of-00002.h5", 100000, {0x01234567}},
                    {"shard-00001-of-00002.h5", 5000000, {1, 2}}};
  manifest.texts = {{"/model/state", 4096, 65536}};
  manifest.tensors = {
      {{"/model/w", DType::f32, {5, 4}, Spread::replicated}, {{0, 70000, 0, 2}, {1, 4096, 2, 3}}},
      {{"/random/words", DType::u8, {8}, Spread::per_rank}, {{0, 80000, 0, 8}, {1, 9000, 0, 8}}}};
  return manifest;
}

std::string why(const Manifest& manifest) {
  try {
    (void)Manifest::parse(manifest.to_text());
    return "parsed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    return error.what();
  }
}

TEST(Manifest, IsTheSameAfterATripThroughItsText) {
  const Manifest manifest = Manifest::parse(small().to_text());
  EXPECT_EQ(manifest.to_text(), small().to_text());
  EXPECT_EQ(manifest.facts.step, 12);
  EXPECT_FALSE(manifest.facts.is_finite);
  EXPECT_EQ(manifest.tensors[0].pieces[1].start, 2);
  EXPECT_EQ(manifest.bytes(), 5100000U);
}

TEST(Manifest, AnyFlippedBitOrMissingEndIsFound) {
  const std::string text = small().to_text();
  for (std::size_t byte = 0; byte < text.size(); ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string spoiled = text;
      spoiled[byte] = static_cast<char>(static_cast<unsigned char>(spoiled[byte]) ^ (1U << bit));
      EXPECT_FALSE(is_sealed(spoiled)) << byte << "." << bit;
    }
    EXPECT_FALSE(is_sealed(text.substr(0, byte)));
  }
  EXPECT_FALSE(is_sealed(text + "\n"));
  EXPECT_TRUE(is_sealed(text));
}

TEST(Manifest, RefusesWhatItsOwnCrcCannotTell) {
  EXPECT_EQ(why(small()), "parsed");
  Manifest manifest = small();
  manifest.files[1].name = "../../etc/passwd";
  EXPECT_THAT(why(manifest), HasSubstr("passwd"));
  manifest = small();
  manifest.files.pop_back();
  EXPECT_THAT(why(manifest), HasSubstr("1 files of 2 ranks"));
  manifest = small();
  manifest.files[1].block_crcs.pop_back();
  EXPECT_THAT(why(manifest), HasSubstr("not one CRC a block"));
  manifest = small();
  manifest.tensors[0].pieces[0].offset = 99990;
  EXPECT_THAT(why(manifest), HasSubstr("piece 0 of /model/w reaches beyond"));
  manifest = small();
  manifest.tensors[0].pieces[1].start = 1;
  EXPECT_THAT(why(manifest), HasSubstr("2 is next"));
  manifest = small();
  manifest.tensors[0].pieces.pop_back();
  EXPECT_THAT(why(manifest), HasSubstr("2 of 5 rows"));
  manifest = small();
  manifest.tensors[1].pieces.pop_back();
  EXPECT_THAT(why(manifest), HasSubstr("/random/words"));
  manifest = small();
  manifest.tensors[0].pieces[1].file = 2;
  EXPECT_THAT(why(manifest), HasSubstr("file 2 of 2"));
  manifest = small();
  manifest.tensors[1].entry.path = "/model/w";
  EXPECT_THAT(why(manifest), HasSubstr("twice"));
  manifest = small();
  manifest.tensors[0].entry.shape = {5, 1LL << 39U, 1LL << 39U};
  EXPECT_THAT(why(manifest), HasSubstr("has the shape"));
}

TEST(Manifest, NamesAVersionThatItDoesNotKnow) {
  std::string text = small().to_text();
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
  text.resize(text.rfind("  \"crc32c\""));
  EXPECT_THAT([&] { (void)Manifest::parse(sealed(text)); },
              testing::ThrowsMessage<Error>(
                  HasSubstr("format version 2, and this program reads version 1")));
}

}  // namespace
}  // namespace lockstep::checkpoint
