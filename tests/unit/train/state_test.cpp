#include "train/state.hpp"

#include <ATen/ops/randn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/networks.hpp"

namespace lockstep::train {
namespace {

using checkpoint::Restored;
using testing::AllOf;
using testing::HasSubstr;

const data::Order kOrder{.seed = 7, .dataset_size = 100, .global_batch = 10};
const std::vector<std::string> kClasses = {"cat", "dog"};

// What a cursor of `order` and data says to a state that was saved under kOrder at step 3.
std::string refusal(const data::Order& order, const std::string& fingerprint = "data-1",
                    const std::vector<std::string>& classes = kClasses) {
  CursorState saved(kOrder, "data-1", kClasses);
  for (int i = 0; i < 3; ++i) saved.advance();
  CursorState resumed(order, fingerprint, classes);
  try {
    resumed.after_load(saved.text(), Restored::elastic);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(resumed.step(), 0) << "refused, but moved";
    return error.what();
  }
  EXPECT_EQ(resumed.step(), 3);
  return "";
}

TEST(CursorState, GoesOnWithTheSameData) { EXPECT_EQ(refusal(kOrder), ""); }

TEST(CursorState, CountsStepsEpochsAndSamples) {
  CursorState cursor(kOrder, "data-1", kClasses);
  for (int i = 0; i < 23; ++i) cursor.advance();
  EXPECT_EQ(cursor.step(), 23);
  EXPECT_EQ(cursor.epoch(), 2);
  EXPECT_EQ(cursor.samples(), 230);
}

TEST(CursorState, RefusesAnotherSeedByName) {
  data::Order order = kOrder;
  order.seed = 8;
  EXPECT_THAT(refusal(order), AllOf(HasSubstr("run.seed"), HasSubstr("7"), HasSubstr("8")));
}

TEST(CursorState, RefusesAnotherGlobalBatchByName) {
  data::Order order = kOrder;
  order.global_batch = 20;
  EXPECT_THAT(refusal(order),
              AllOf(HasSubstr("train.global_batch"), HasSubstr("10"), HasSubstr("20")));
}

TEST(CursorState, RefusesOtherDataByName) {
  data::Order larger = kOrder;
  larger.dataset_size = 200;
  EXPECT_THAT(refusal(larger), AllOf(HasSubstr("100"), HasSubstr("200")));
  EXPECT_THAT(refusal(kOrder, "data-2"), AllOf(HasSubstr("data-1"), HasSubstr("data-2")));
  EXPECT_THAT(refusal(kOrder, "data-1", {"dog", "cat"}), HasSubstr("classes"));
}

at::Tensor draw() { return at::randn({16}); }

TEST(RandomState, DrawsTheSameNumbersAfterAnExactLoad) {
  const CursorState cursor(kOrder, "data-1", kClasses);
  RandomState random(7, 0, cursor);
  static_cast<void>(draw());
  random.before_save();
  const at::Tensor expected = draw();
  static_cast<void>(draw());
  random.after_load("{}", Restored::exact);
  EXPECT_TRUE(draw().equal(expected));
}

TEST(RandomState, IsSeededFromStepAndRankAfterAnElasticLoad) {
  CursorState cursor(kOrder, "data-1", kClasses);
  const auto drawn = [&](int rank) {
    RandomState random(7, rank, cursor);
    random.after_load("{}", Restored::elastic);
    return draw();
  };
  const at::Tensor first = drawn(0);
  EXPECT_TRUE(drawn(0).equal(first));
  EXPECT_FALSE(drawn(1).equal(first));
  cursor.advance();
  EXPECT_FALSE(drawn(0).equal(first));
}

TEST(ModelState, ListsEveryTensorUnderItsName) {
  const auto model = tests::network("resnet20", {.channels = 3, .classes = 10});
  model->parameters().allocate({});
  ModelState state(*model);
  std::vector<std::string> names;
  for (const checkpoint::TensorView& view : state.tensors()) names.push_back(view.name);
  std::vector<std::string> expected;
  for (const model::Entry& entry : model->parameters().entries()) expected.push_back(entry.name);
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(expected));
}

TEST(ModelState, ShowsLiveMemoryInTheShapeOfTheEntry) {
  const auto model = tests::network("resnet20", {.channels = 3, .classes = 10});
  model->parameters().allocate({.channels_last = true});
  ModelState state(*model);
  state.before_save();
  for (const checkpoint::TensorView& view : state.tensors()) {
    for (const model::Entry& entry : model->parameters().entries()) {
      if (entry.name != view.name || entry.role == model::Role::counter) continue;
      EXPECT_EQ(view.data, entry.tensor.data_ptr()) << view.name;
      EXPECT_EQ(view.shape, entry.shape) << view.name;
      EXPECT_EQ(at::IntArrayRef(view.strides), entry.tensor.strides()) << view.name;
    }
  }
}

}  // namespace
}  // namespace lockstep::train
