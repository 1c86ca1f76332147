#include <array>
#include <cstdio>

#include "golden.hpp"
#include "support/thread_group.hpp"

/// make_golden_checkpoint FOLDER: writes the golden state as three ranks would: the first has the
/// texts, the others share one tensor. Run once for each version of the format; what it wrote is
/// committed and never made anew.
int main(int argc, char** argv) {
  using namespace lockstep;
  if (argc != 2) {
    std::fputs("usage: make_golden_checkpoint FOLDER\n", stderr);
    return 64;
  }
  int failed = 0;
  for (const std::string& thrown : test::run_ranks(3, [&](checkpoint::Group& group) {
         test::Part model = test::golden_model();
         test::Part random = test::golden_random(group.rank());
         const std::array<checkpoint::Saveable*, 2> state{&model, &random};
         checkpoint::Checkpointer(argv[1], group, "golden").save(test::golden_facts(), state);
       })) {
    if (thrown.empty()) continue;
    std::fprintf(stderr, "%s\n", thrown.c_str());
    failed = 74;
  }
  return failed;
}
