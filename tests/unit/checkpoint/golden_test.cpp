#include "golden.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "support/thread_group.hpp"

namespace lockstep {
namespace {

/// Every version of the format that there ever was, on as many ranks as wrote it, fewer and more.
class GoldenTest : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(GoldenTest, EveryValueIsStillRead) {
  const auto& [version, world] = GetParam();
  const std::filesystem::path root = std::filesystem::path(LOCKSTEP_GOLDEN) / version;
  const auto thrown =
      test::run_ranks(world, [&root = root, world = world](checkpoint::Group& group) {
        const auto expect = [](bool holds, const std::string& what) {
          if (!holds) throw std::runtime_error(what);
        };
        test::Part model = test::golden_model();
        test::Part random = test::golden_random(group.rank());
        const auto expected = model.memory();
        const auto expected_random = random.memory();
        model.clear();
        random.clear();
        const std::array<checkpoint::Saveable*, 2> state{&model, &random};
        const auto loaded = checkpoint::Checkpointer(root, group, "t").load_newest(state);
        expect(loaded.has_value(), "there is nothing in " + root.string());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          expect(std::equal(expected[i].begin(), expected[i].end() - 1, model.memory()[i].begin()),
                 model.views()[i].name);
        }
        const bool has_own = std::equal(expected_random[0].begin(), expected_random[0].end() - 1,
                                        random.memory()[0].begin());
        expect(has_own == (world == 3), "random state");
        expect(model.text_ == test::golden_model().text_ &&
                   random.text_ == test::golden_random(0).text_,
               "a text");
        const checkpoint::Facts facts = test::golden_facts();
        expect(loaded->facts.step == facts.step && loaded->facts.samples == facts.samples &&
                   loaded->facts.run == facts.run && loaded->facts.attempt == facts.attempt &&
                   loaded->facts.config == facts.config &&
                   loaded->facts.versions == facts.versions && loaded->facts.is_finite,
               "the facts");
      });
  EXPECT_THAT(thrown, testing::Each(""));
}

INSTANTIATE_TEST_SUITE_P(Versions, GoldenTest,
                         testing::Combine(testing::Values("v1"), testing::Values(1, 2, 3, 4)));

}  // namespace
}  // namespace lockstep
