#include "train/evaluate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "data/synthetic.hpp"
#include "support/lone_communicator.hpp"
#include "support/tiny_net.hpp"

namespace lockstep::train {
namespace {

constexpr std::int64_t kSamples = 21;

class Evaluation : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { net_.parameters().allocate({.seed = 5}); }

  // One sample after the other, with nothing but the model.
  Scores by_hand() const {
    Scores scores{.samples = kSamples};
    for (std::int64_t id = 0; id < kSamples; ++id) {
      data::Batch batch;
      batch.shape = data_.validation->shape();
      batch.pixels.resize(batch.shape.size_bytes());
      const std::int64_t label = data_.validation->read(id, batch.pixels);
      const at::Tensor logits =
          net_.forward(input_.images(batch, 0, 1), {.mode = model::Mode::evaluation})[0].detach();
      const double mine = logits[label].item<double>();
      const auto better = logits.gt(mine).sum().item<std::int64_t>();
      scores.top1 += better < 1 ? 1.0 / kSamples : 0;
      scores.top5 += better < 5 ? 1.0 / kSamples : 0;
      scores.loss += (logits.exp().sum().log().item<double>() - mine) / kSamples;
    }
    return scores;
  }

  data::Datasets data_ = data::open_synthetic(
      {.shape = {6, 6, 3}, .classes = 8, .train_samples = 8, .validation_samples = kSamples});
  tests::TinyNet net_{{.classes = 8}};
  Input input_{{}, {}, 3, -1};
  tests::LoneCommunicator alone_;
};

TEST_P(Evaluation, ScoresEachSampleOnceWhateverTheBatch) {
  const Scores expected = by_hand();
  const Scores scores = evaluate(net_, *data_.validation, input_, alone_, {.batch = GetParam()});
  EXPECT_EQ(scores.samples, kSamples);
  EXPECT_NEAR(scores.top1, expected.top1, 1e-12);
  EXPECT_NEAR(scores.top5, expected.top5, 1e-12);
  EXPECT_NEAR(scores.loss, expected.loss, 1e-6);
  // Neither nothing nor everything is right, or the counts would prove little.
  EXPECT_GT(scores.top1, 0);
  EXPECT_LT(scores.top5, 1);
}

INSTANTIATE_TEST_SUITE_P(Batches, Evaluation, testing::Values(1, 4, 7, 256));

TEST(Scores, CountFiveBestAmongFewerClassesAsAlwaysRight) {
  const data::Datasets data = data::open_synthetic(
      {.shape = {6, 6, 3}, .classes = 3, .train_samples = 8, .validation_samples = 9});
  tests::TinyNet net({.classes = 3});
  net.parameters().allocate({});
  tests::LoneCommunicator alone;
  EXPECT_EQ(evaluate(net, *data.validation, Input({}, {}, 3, -1), alone, {}).top5, 1);
}

TEST(Evaluating, LeavesStatisticsAndGradientsAsTheyWere) {
  const data::Datasets data = data::open_synthetic(
      {.shape = {6, 6, 3}, .classes = 5, .train_samples = 8, .validation_samples = 9});
  tests::TinyNet net({.has_norm = true});
  net.parameters().allocate({});
  const std::vector<float> before(net.parameters().arena().begin(), net.parameters().arena().end());
  tests::LoneCommunicator alone;
  static_cast<void>(evaluate(net, *data.validation, Input({}, {}, 3, -1), alone, {}));
  EXPECT_TRUE(std::equal(before.begin(), before.end(), net.parameters().arena().begin()));
}

}  // namespace
}  // namespace lockstep::train
