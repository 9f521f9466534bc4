#include "heap.h"

#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace opscope::cli {

void PrepareHeap() {
#ifdef __GLIBC__
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return;
  constexpr int kStep = 256 << 20;
  mallopt(M_TOP_PAD, kStep);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most there is
  // Makes the heap take its first step, on which the kernel is then asked for huge pages.
  void* volatile first = std::malloc(1 << 20);  // volatile: the pair is not left out
  std::free(first);
  constexpr std::uintptr_t kHuge = 2 << 20;
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  const std::uintptr_t begin = (end - kStep + kHuge - 1) / kHuge * kHuge;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace opscope::cli
