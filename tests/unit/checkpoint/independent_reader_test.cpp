#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "os/file.hpp"
#include "runs.hpp"
#include "support/temp_folder.hpp"

namespace lockstep {
namespace {

using std::filesystem::path;

int exit_code(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string bytes_of(const std::vector<std::byte>& memory) {  // the last byte is a guard
  return {reinterpret_cast<const char*>(memory.data()), memory.size() - 1};
}

TEST(IndependentReader, H5pyRebuildsEveryTensorFromTheShardsAlone) {
  if (exit_code("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) {
    GTEST_SKIP() << "SKIPPED: /usr/bin/python3 has no h5py (apt-get install python3-h5py): nothing "
                    "but our own "
                    "code has read the shards";
  }
  constexpr int kWorld = 3;
  const test::TempFolder folder;
  test::expect_saved(kWorld, folder.path(), 6);
  const path out = folder.path() / "out";
  std::filesystem::create_directory(out);
  ASSERT_EQ(exit_code(std::string("/usr/bin/python3 ") + LOCKSTEP_READER + " " +
                      (folder.path() / "step-000000006").string() + " " + out.string() + " > " +
                      (folder.path() / "lines").string()),
            0);

  test::Part model = test::odd_shapes(6);
  for (std::size_t i = 0; i < model.views().size(); ++i) {
    const std::string& name = model.views()[i].name;
    EXPECT_TRUE(os::read_text(out / ("model." + name)) == bytes_of(model.memory()[i])) << name;
  }
  EXPECT_EQ(os::read_text(out / "model.state"), "{\"seed\": 6}");
  for (int rank = 0; rank < kWorld; ++rank) {
    EXPECT_TRUE(os::read_text(out / ("random.words.0000" + std::to_string(rank))) ==
                bytes_of(test::own_state(rank, 6).memory()[0]));
  }
  const std::string lines = os::read_text(folder.path() / "lines");
  EXPECT_THAT(lines, testing::HasSubstr("/model/half bf16 [3, 5, 7]"));
  EXPECT_THAT(lines, testing::HasSubstr("/model/scalar i64 []"));
}

}  // namespace
}  // namespace lockstep
