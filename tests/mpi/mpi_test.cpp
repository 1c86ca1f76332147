#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/deadline.hpp"
#include "core/error.hpp"
#include "mpi/session.hpp"
#include "support/mpi_main.hpp"

namespace lockstep::mpi {
namespace {

using tests::world;

template <typename T>
BufferView view(std::vector<T>& values) {
  return view_of(std::span<T>(values));
}

TEST(Comm, SumsWhatEveryRankBrings) {
  std::vector<double> values = {1.0, static_cast<double>(world().rank())};
  world().all_reduce(view(values), Op::sum);
  const int size = world().size();
  EXPECT_THAT(values, testing::ElementsAre(size, size * (size - 1) / 2.0));
}

TEST(Comm, TellsWhetherAllAgree) {
  EXPECT_TRUE(world().all(true));
  EXPECT_FALSE(world().all(world().rank() != world().size() - 1));
  EXPECT_DOUBLE_EQ(world().max(world().rank()), world().size() - 1);
}

TEST(Comm, GathersTextsOfDifferentLengths) {
  const std::string mine(static_cast<std::size_t>(world().rank()) * 3, 'x');
  const std::vector<std::string> all = world().all_gather_text(mine);
  ASSERT_EQ(std::ssize(all), world().size());
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    EXPECT_EQ(all[rank], std::string(rank * 3, 'x'));

  const int root = world().size() - 1;
  const std::vector<std::string> at_root = world().gather_text(mine, root);
  EXPECT_EQ(at_root, world().rank() == root ? all : std::vector<std::string>());
}

TEST(Comm, BroadcastsATextOfUnknownLength) {
  const int root = world().size() - 1;
  EXPECT_EQ(world().broadcast_text(world().rank() == root ? "from the last" : "", root),
            "from the last");
}

TEST(Comm, GathersInPlaceAndFromElsewhereAlike) {
  const auto size = static_cast<std::size_t>(world().size());
  const auto rank = static_cast<std::size_t>(world().rank());
  std::vector<std::int32_t> mine = {world().rank(), -world().rank()};
  std::vector<std::int32_t> from_elsewhere(2 * size);
  world().all_gather(view(mine), view(from_elsewhere));
  std::vector<std::int32_t> in_place(2 * size);
  std::copy(mine.begin(), mine.end(), in_place.begin() + static_cast<std::ptrdiff_t>(2 * rank));
  world().all_gather(view(in_place).slice(2 * rank, 2), view(in_place));
  EXPECT_EQ(in_place, from_elsewhere);
  EXPECT_EQ(in_place.back(), -(world().size() - 1));
}

TEST(Comm, GivesEachRankItsPartOfTheSum) {
  const auto size = static_cast<std::size_t>(world().size());
  std::vector<float> in(3 * size);
  std::iota(in.begin(), in.end(), 0.0F);
  std::vector<float> out(3);
  world().reduce_scatter(view(in), view(out), Op::sum);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(out[i],
              static_cast<float>(size * (static_cast<std::size_t>(world().rank()) * 3 + i)));
  }
}

TEST(Comm, DeliversAMessageToTheRightTagOnly) {
  const Comm comm = world().duplicate();
  std::string text = "from " + std::to_string(comm.rank());
  Request sent =
      comm.start_send(std::as_bytes(std::span(text)), (comm.rank() + 1) % comm.size(), 5);
  std::optional<Comm::Message> message;
  const Deadline deadline = Deadline::after(std::chrono::seconds(10));
  while (!message && !deadline.passed()) {
    EXPECT_FALSE(comm.poll(6).has_value());
    message = comm.poll(5);
  }
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->from, (comm.rank() + comm.size() - 1) % comm.size());
  EXPECT_EQ(message->bytes.size(), text.size());
  while (!sent.test() && !deadline.passed()) {
  }
  EXPECT_FALSE(deadline.passed());
}

TEST(Comm, RefusesToReduceWhatMpiCannotAdd) {
  std::vector<std::byte> bytes(4);
  EXPECT_THROW(world().all_reduce({bytes.data(), 2, DType::bf16}, Op::sum), Error);
}

TEST(Comm, KnowsTheRanksOfItsNode) {
  // All test ranks share a machine.
  EXPECT_EQ(world().split_by_node().size(), world().size());
}

TEST(Library, NamesTheMessagingLayerThatIsInUse) {
  const char* const forced = std::getenv("OMPI_MCA_pml");
  EXPECT_THAT(library().version, testing::HasSubstr("MPI"));
  EXPECT_EQ(library().pml, forced == nullptr ? "ob1" : forced);
}

}  // namespace
}  // namespace lockstep::mpi
