#include "os/memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace lockstep::os {
namespace {

constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20U;
constexpr std::size_t kBlock = std::size_t{1} << 29U;
constexpr std::size_t kBlocks = 8;

// Grows the heap once, by address space that nothing touches yet, so that one piece of advice
// covers all that is taken from it later.
void advise_huge_pages_for_heap() {
  std::array<void*, kBlocks> blocks{};
  for (void*& block : blocks) block = std::malloc(kBlock);
  const auto begin = reinterpret_cast<std::uintptr_t>(blocks.front());
  for (void* const block : blocks) std::free(block);
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(::sbrk(0)) / kHugePage * kHugePage;
  const std::uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  // Where the blocks came from elsewhere (another malloc, a limit on the heap) there is no heap
  // here to advise; a kernel without huge pages refuses, and nothing is lost but speed.
  if (begin != 0 && first < end) {
    ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
  }
}

}  // namespace

void keep_freed_memory() {
  // 0: another malloc is in place (a sanitizer's, a preloaded one) and has its own ways.
  if (::mallopt(M_MMAP_THRESHOLD, 1 << 30) == 0) return;
  ::mallopt(M_TRIM_THRESHOLD, -1);
  ::mallopt(M_TOP_PAD, 64 << 20);
  advise_huge_pages_for_heap();
}

}  // namespace lockstep::os
