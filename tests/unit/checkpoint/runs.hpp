#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "checkpoint/catalog.hpp"
#include "checkpoint/checkpointer.hpp"
#include "support/parts.hpp"
#include "support/thread_group.hpp"

/// Saves and loads as a run of `world` ranks would, each rank with its own memory.
namespace lockstep::test {

inline checkpoint::Facts facts_of(std::int64_t step) {
  checkpoint::Facts facts;
  facts.step = step;
  facts.samples = step * 64;
  facts.run = "tiny";
  facts.attempt = 2;
  facts.config = "run:\n  name: tiny  # \"quoted\", \xC3\xA9\n";
  facts.versions = R"({"lockstep":"0.1.0"})";
  return facts;
}

/// A rank's random state.
inline Part own_state(int rank, int step) {
  Part part("random", "{\"words\": 40}");
  part.add("words", DType::u8, {40}, static_cast<std::uint32_t>(1000 * step + rank),
           checkpoint::Spread::per_rank);
  return part;
}

/// Saves step `step`, whose values are those of seed `step`.
inline std::vector<std::string> save_step(int world, const std::filesystem::path& root, int step,
                                          const std::string& token = "t") {
  return run_ranks(world, [&](checkpoint::Group& group) {
    Part model = odd_shapes(static_cast<std::uint32_t>(step));
    Part random = own_state(group.rank(), step);
    const std::array<checkpoint::Saveable*, 2> state{&model, &random};
    checkpoint::Checkpointer(root, group, token).save(facts_of(step), state);
  });
}

inline void expect_saved(int world, const std::filesystem::path& root, int step) {
  EXPECT_EQ(save_step(world, root, step),
            std::vector<std::string>(static_cast<std::size_t>(world), ""));
}

/// Loads the newest, and expects it to be `step`, with every byte right on every rank.
inline std::vector<checkpoint::PassedOver> expect_loads(int world,
                                                        const std::filesystem::path& root, int step,
                                                        int saved_by) {
  std::vector<checkpoint::PassedOver> passed_over;
  const auto thrown = run_ranks(world, [&](checkpoint::Group& group) {
    Part model = odd_shapes(77777);
    Part random = own_state(group.rank(), 77777);
    model.clear();
    random.clear();
    const auto untouched = random.memory();
    const std::array<checkpoint::Saveable*, 2> state{&model, &random};
    const auto loaded = checkpoint::Checkpointer(root, group, "t").load_newest(state);
    if (!loaded) throw std::runtime_error("nothing was there");
    if (group.rank() == 0) passed_over = loaded->passed_over;
    const bool is_exact = world == saved_by;
    const auto expect = [](bool holds, const char* what) {
      if (!holds) throw std::runtime_error(what);
    };
    expect(loaded->facts.step == step, "another step");
    expect(loaded->facts.samples == step * 64 && loaded->facts.run == "tiny" &&
               loaded->facts.attempt == 2 && loaded->facts.config == facts_of(1).config &&
               loaded->facts.versions == facts_of(1).versions,
           "other facts");
    expect(loaded->world == saved_by, "another world");
    expect((loaded->how == checkpoint::Restored::exact) == is_exact, "exact or elastic is wrong");
    const auto same = [](const Part& a, const Part& b) {
      for (std::size_t i = 0; i < a.memory().size(); ++i) {  // the last byte is a guard
        if (!std::equal(a.memory()[i].begin(), a.memory()[i].end() - 1, b.memory()[i].begin()))
          return false;
        if (a.memory()[i].back() != std::byte{0xAA}) return false;
      }
      return true;
    };
    expect(same(model, odd_shapes(static_cast<std::uint32_t>(step))), "other bytes in the model");
    expect(model.text_ == "{\"seed\": " + std::to_string(step) + "}", "another text");
    expect(random.how_ == loaded->how, "after_load was not told");
    expect(is_exact ? same(random, own_state(group.rank(), step)) : random.memory() == untouched,
           "wrong per-rank bytes");
  });
  EXPECT_EQ(thrown, std::vector<std::string>(static_cast<std::size_t>(world), ""))
      << "step " << step;
  return passed_over;
}

/// What every rank says when the newest cannot be loaded; "" where there is nothing.
inline std::vector<std::string> load_errors(int world, const std::filesystem::path& root) {
  return run_ranks(world, [&](checkpoint::Group& group) {
    Part model = odd_shapes(1);
    Part random = own_state(group.rank(), 1);
    const std::array<checkpoint::Saveable*, 2> state{&model, &random};
    if (checkpoint::Checkpointer(root, group, "t").load_newest(state))
      throw std::runtime_error("loaded");
  });
}

}  // namespace lockstep::test
