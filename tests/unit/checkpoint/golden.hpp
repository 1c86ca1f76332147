#pragma once

#include "checkpoint/checkpointer.hpp"
#include "support/parts.hpp"

/// The state in checkpoints/golden, from formulas: what an old version wrote is compared with
/// these.
namespace lockstep::test {

inline Part golden_model() {
  Part part("model", R"({"epoch": 2, "name": "golden"})");
  const auto numbers = [](std::size_t count, auto value) {
    std::vector<decltype(value(std::size_t{0}))> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(value(i));
    return values;
  };
  using Size = std::size_t;
  part.add("conv1.weight", {3, 2, 2, 2},
           numbers(24, [](Size i) { return 0.5F * static_cast<float>(i) - 3.0F; }), DType::f32);
  part.add("split.weight", {9, 2048},
           numbers(18432, [](Size i) { return 0.25F * static_cast<float>(i % 4096); }), DType::f32);
  part.add("bn1.num_batches_tracked", {}, numbers(1, [](Size) { return std::int64_t{1} << 40; }),
           DType::i64);
  part.add("empty", {0, 3}, std::vector<float>(), DType::f32);
  part.add("words.bf16", {2, 3},
           std::vector<std::uint16_t>{0x3F80, 0x7FC0, 0xFF80, 0x0001, 0x8000, 0x7FA1}, DType::bf16);
  part.add("words.f16", {3}, std::vector<std::uint16_t>{0x3C00, 0xC000, 0x7E01}, DType::f16);
  part.add("bytes", {5}, numbers(5, [](Size i) { return static_cast<std::uint8_t>(250 + i); }),
           DType::u8);
  part.add("integers", {4}, numbers(4, [](Size i) { return static_cast<std::int32_t>(i) - 2; }),
           DType::i32);
  part.add("doubles", {2}, std::vector<double>{0.1, -1e300}, DType::f64);
  return part;
}

inline Part golden_random(int rank) {
  Part part("random", R"({"generator": "philox"})");
  std::vector<std::uint8_t> words;
  for (int i = 0; i < 16; ++i) words.push_back(static_cast<std::uint8_t>(100 * rank + i));
  part.add("words", DType::u8, {16}, 0, checkpoint::Spread::per_rank);
  part.set("words", words);
  return part;
}

inline checkpoint::Facts golden_facts() {
  checkpoint::Facts facts;
  facts.step = 3;
  facts.samples = 192;
  facts.run = "golden";
  facts.attempt = 1;
  facts.config = "run:\n  name: golden\n";
  facts.versions = R"({"hdf5":"1.10.8","lockstep":"0.1.0"})";
  return facts;
}

}  // namespace lockstep::test
