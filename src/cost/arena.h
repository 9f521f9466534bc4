// Arena: one block of memory for all activations, each at an offset of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace opscope {

// Something that needs `bytes` from step `first` to step `last`, both included.
struct Block {
  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t bytes = 0;
};

// Offsets are multiples of this: a cache line, and what vector instructions of 512 bits want.
constexpr std::int64_t kArenaAlignment = 64;

struct Arena {
  std::int64_t bytes = 0;             // where the last block ends
  std::vector<std::int64_t> offsets;  // by block
};

// The smallest of a few plans, none of which lets two blocks overlap that are needed at the same
// step: best fit in the order of time, best fit by falling size, and the like. Blocks are given by
// rising `first`. O(n log n) for n blocks of which few live at once; plans that would take much
// longer are given up, but for the one in the order of time. Nullopt when the bytes together pass
// 2^62. Not monotone: smaller blocks may need a larger arena.
std::optional<Arena> PlanArena(const std::vector<Block>& blocks);

// The largest sum of bytes needed at one step: no arena is smaller.
std::int64_t LivePeak(const std::vector<Block>& blocks);

}  // namespace opscope
