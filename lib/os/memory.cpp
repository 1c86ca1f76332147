#include "os/memory.hpp"

#include <malloc.h>

namespace lockstep::os {

void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  ::mallopt(M_TRIM_THRESHOLD, -1);
  ::mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace lockstep::os
