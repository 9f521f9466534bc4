#include "cost/arena.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/check.h"
#include "opscope/int128.h"

namespace opscope {

namespace {

std::int64_t Aligned(std::int64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

void Place(Arena& arena, const std::vector<Block>& blocks, std::size_t block, std::int64_t offset) {
  arena.offsets[block] = offset;
  arena.bytes = std::max(arena.bytes, offset + blocks[block].bytes);
}

// Blocks ordered by the step after which they are free again.
std::vector<std::size_t> ByLast(const std::vector<Block>& blocks) {
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return blocks[a].last < blocks[b].last; });
  return order;
}

// The free parts of an arena that grows where nothing fits. Sizes are multiples of the alignment.
class FreeList {
 public:
  std::int64_t Take(std::int64_t size) {
    const auto fits = by_size_.lower_bound({size, 0});
    if (fits != by_size_.end()) {
      const auto [length, offset] = *fits;
      Remove(offset, length);
      if (length > size) Insert(offset + size, length - size);
      return offset;
    }
    std::int64_t offset = end_;
    if (!by_offset_.empty()) {
      const auto [last, length] = *by_offset_.rbegin();
      if (last + length == end_) {
        Remove(last, length);
        offset = last;
      }
    }
    end_ = offset + size;
    return offset;
  }

  void Give(std::int64_t offset, std::int64_t size) {
    const auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.begin()) {
      const auto [before, length] = *std::prev(next);
      if (before + length == offset) {
        Remove(before, length);
        offset = before;
        size += length;
      }
    }
    const auto after = by_offset_.find(offset + size);
    if (after != by_offset_.end()) {
      const std::int64_t length = after->second;
      Remove(offset + size, length);
      size += length;
    }
    Insert(offset, size);
  }

 private:
  void Insert(std::int64_t offset, std::int64_t size) {
    by_offset_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }
  void Remove(std::int64_t offset, std::int64_t size) {
    by_offset_.erase(offset);
    by_size_.erase({size, offset});
  }

  std::map<std::int64_t, std::int64_t> by_offset_;
  std::set<std::pair<std::int64_t, std::int64_t>> by_size_;
  std::int64_t end_ = 0;
};

// As an allocator would do it while the model runs: the smallest free part that fits.
Arena InOrderOfTime(const std::vector<Block>& blocks) {
  Arena arena = {0, std::vector<std::int64_t>(blocks.size(), 0)};
  FreeList free;
  const std::vector<std::size_t> ends = ByLast(blocks);
  auto next = ends.begin();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (; next != ends.end() && blocks[*next].last < blocks[i].first; ++next)
      if (blocks[*next].bytes > 0) free.Give(arena.offsets[*next], Aligned(blocks[*next].bytes));
    if (blocks[i].bytes > 0) Place(arena, blocks, i, free.Take(Aligned(blocks[i].bytes)));
  }
  return arena;
}

// The blocks placed so far, to find those needed at the same time as another one: a tree over the
// blocks in the order of `first` that knows the largest `last` below each of its nodes.
class PlacedBlocks {
 public:
  explicit PlacedBlocks(const std::vector<Block>& blocks) : blocks_(blocks) {
    while (leaves_ < blocks.size()) leaves_ *= 2;
    until_.assign(2 * leaves_, 0);
  }

  void Add(std::size_t block) {
    // One more than `last`: 0 stands for a block that is not placed.
    for (std::size_t at = leaves_ + block; at > 0; at /= 2)
      until_[at] = std::max(until_[at], blocks_[block].last + 1);
  }

  // Calls found(index) for every placed block that shares a step with `block`.
  template <class F>
  void ForOverlaps(const Block& block, F found) const {
    const auto end = std::partition_point(blocks_.begin(), blocks_.end(), [&](const Block& other) {
      return other.first <= block.last;
    });
    Visit(1, 0, leaves_, static_cast<std::size_t>(end - blocks_.begin()), block.first, found);
  }

 private:
  // As deep as the tree is high.
  template <class F>
  void Visit(std::size_t at, std::size_t begin, std::size_t width, std::size_t limit,
             std::size_t first, F& found) const {
    if (begin >= limit || until_[at] <= first) return;
    if (width == 1) {
      found(begin);
      return;
    }
    Visit(2 * at, begin, width / 2, limit, first, found);
    Visit(2 * at + 1, begin + width / 2, width / 2, limit, first, found);
  }

  const std::vector<Block>& blocks_;
  std::size_t leaves_ = 1;
  std::vector<std::size_t> until_;
};

enum class Fit { kTightest, kLowest };

// Where a block fits between others that are in its way; `taken` are begins and ends.
std::int64_t FindOffset(std::vector<std::pair<std::int64_t, std::int64_t>>& taken,
                        std::int64_t bytes, Fit fit) {
  std::sort(taken.begin(), taken.end());
  std::int64_t cursor = 0;
  std::optional<std::pair<std::int64_t, std::int64_t>> best;  // gap, offset
  for (const auto& [begin, end] : taken) {
    const std::int64_t gap = begin - cursor;
    if (gap >= bytes && (!best || gap < best->first)) {
      if (fit == Fit::kLowest) return cursor;
      best = {gap, cursor};
    }
    cursor = std::max(cursor, Aligned(end));
  }
  return best ? best->second : cursor;
}

// Places the blocks in the order given. Nullopt when that takes more than `budget` looks at blocks
// that are in the way.
std::optional<Arena> InOrder(const std::vector<Block>& blocks,
                             const std::vector<std::size_t>& order, Fit fit, std::size_t budget) {
  Arena arena = {0, std::vector<std::int64_t>(blocks.size(), 0)};
  PlacedBlocks placed(blocks);
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (const std::size_t block : order) {
    const std::int64_t bytes = blocks[block].bytes;
    if (bytes == 0) continue;
    taken.clear();
    placed.ForOverlaps(blocks[block], [&](std::size_t other) {
      taken.emplace_back(arena.offsets[other], arena.offsets[other] + blocks[other].bytes);
    });
    if (taken.size() > budget) return std::nullopt;
    budget -= taken.size();
    Place(arena, blocks, block, FindOffset(taken, bytes, fit));
    placed.Add(block);
  }
  return arena;
}

std::vector<std::size_t> ByFallingSize(const std::vector<Block>& blocks) {
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  return order;
}

// Size times duration: what is in the way longest is placed first.
std::vector<std::size_t> ByFallingArea(const std::vector<Block>& blocks) {
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto area = [&](std::size_t i) {
    return static_cast<Int128>(blocks[i].bytes) * (blocks[i].last - blocks[i].first + 1);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return area(a) > area(b); });
  return order;
}

}  // namespace

std::int64_t LivePeak(const std::vector<Block>& blocks) {
  const std::vector<std::size_t> ends = ByLast(blocks);
  auto next = ends.begin();
  std::int64_t live = 0, peak = 0;
  for (const Block& block : blocks) {
    for (; next != ends.end() && blocks[*next].last < block.first; ++next)
      live -= blocks[*next].bytes;
    live += block.bytes;
    peak = std::max(peak, live);
  }
  return peak;
}

std::optional<Arena> PlanArena(const std::vector<Block>& blocks) {
  CHECK(std::is_sorted(blocks.begin(), blocks.end(),
                       [](const Block& a, const Block& b) { return a.first < b.first; }));
  Int128 sum = 0;
  for (const Block& block : blocks) sum += static_cast<Int128>(block.bytes) + kArenaAlignment;
  if (sum > (Int128{1} << 62)) return std::nullopt;

  // A plan as small as this is good enough: it wastes nothing but what the alignment does.
  std::vector<Block> aligned = blocks;
  for (Block& block : aligned) block.bytes = Aligned(block.bytes);
  const std::int64_t enough = LivePeak(aligned);
  Arena best = InOrderOfTime(blocks);
  // Some ten milliseconds; with few blocks alive at once a plan looks at a few a block.
  const std::size_t budget = 1'000'000 + 16 * blocks.size();
  for (const auto order : {ByFallingSize, ByFallingArea}) {
    if (best.bytes <= enough) break;
    const std::vector<std::size_t> blocks_in_order = order(blocks);
    for (const Fit fit : {Fit::kTightest, Fit::kLowest}) {
      if (best.bytes <= enough) break;
      std::optional<Arena> plan = InOrder(blocks, blocks_in_order, fit, budget);
      if (plan && plan->bytes < best.bytes) best = std::move(*plan);
    }
  }
  return best;
}

}  // namespace opscope
