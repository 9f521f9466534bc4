// How the program uses its heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <thread>

namespace opscope::cli {

// A large model makes hundreds of megabytes of small values. Where the C library has such settings
// and address space is not rationed, the heap grows in large steps, of which the first may use huge
// pages, freed memory stays with the process, and memory that will be needed is got ready by a
// thread of its own: a third of the time of a graph of 100,000 nodes went into clearing pages.
// Make one before a model is read.
class Heap {
 public:
  Heap();

  // So many bytes will be needed soon. Small amounts are left to come by themselves.
  void Expect(std::size_t bytes);

 private:
  // The part of the heap that has been asked for at once.
  std::uintptr_t begin_ = 0, end_ = 0;
  std::jthread ahead_;  // ends before the heap does
};

}  // namespace opscope::cli
