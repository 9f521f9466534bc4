#include "heap.h"

#include <algorithm>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace opscope::cli {

#ifdef __GLIBC__

namespace {

constexpr std::uintptr_t kHugePage = 2 << 20;
constexpr std::size_t kFirstStep = 512 << 20;
constexpr std::size_t kWorthAThread = 32 << 20;

std::uintptr_t PageAfter(std::uintptr_t at) { return (at + kHugePage - 1) / kHugePage * kHugePage; }

// Makes the heap grow, or tells where it goes on.
std::uintptr_t Probe(std::size_t bytes) {
  void* volatile block = std::malloc(bytes);  // volatile: the pair is not left out
  const auto at = reinterpret_cast<std::uintptr_t>(block);
  std::free(block);
  return at;
}

// Page by page, so that it ends soon when it is told to.
void GetReady(const std::stop_token& stop, std::uintptr_t begin, std::uintptr_t end) {
#ifdef MADV_POPULATE_WRITE
  for (std::uintptr_t at = begin; at < end && !stop.stop_requested(); at += kHugePage)
    if (madvise(reinterpret_cast<void*>(at), kHugePage, MADV_POPULATE_WRITE) != 0) return;
#else
  (void)stop, (void)begin, (void)end;
#endif
}

}  // namespace

Heap::Heap() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return;
  mallopt(M_TOP_PAD, static_cast<int>(kFirstStep));
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most there is
  const std::uintptr_t first = Probe(1 << 20);
  mallopt(M_TOP_PAD, 64 << 20);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  // Another allocator's memory lies elsewhere.
  if (first >= end || end - first < kFirstStep) return;
  begin_ = PageAfter(end - kFirstStep);
  end_ = end / kHugePage * kHugePage;
  madvise(reinterpret_cast<void*>(begin_), end_ - begin_, MADV_HUGEPAGE);
}

void Heap::Expect(std::size_t bytes) {
  if (bytes < kWorthAThread || begin_ == end_ || ahead_.joinable() ||
      std::thread::hardware_concurrency() < 2)
    return;
  const std::uintptr_t from = std::max(begin_, PageAfter(Probe(1 << 20)));
  const std::uintptr_t to = from + std::min<std::uintptr_t>(bytes, end_ - std::min(from, end_));
  ahead_ = std::jthread(GetReady, from, std::min(to, end_));
}

#else

Heap::Heap() = default;
void Heap::Expect(std::size_t) {}

#endif

}  // namespace opscope::cli
