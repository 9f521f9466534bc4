#include "cost/run_arena.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cost/arena.h"
#include "cost/inplace.h"

namespace opscope {

namespace {

// The block of a lifetime, or of the bodies of the container at `first`.
struct Entry {
  std::size_t lifetime = kNever;
  Block plain = {};
  std::int64_t inplace_bytes = 0;  // differs for bodies
};

class RunArenaPlanner {
 public:
  RunArenaPlanner(Model& model, const Schedule& schedule, std::size_t index,
                  const std::vector<Dim>& tensor_bytes, const StaticAnalysis& analysis,
                  std::vector<RunMemory>& memory)
      : model_(model),
        schedule_(schedule),
        run_(schedule.runs[index]),
        bytes_(tensor_bytes),
        analysis_(analysis),
        memory_(memory),
        out_(memory[index]) {}

  void Run() {
    if (!ListEntries()) return;
    std::vector<Block> blocks;
    blocks.reserve(entries_.size());
    for (const Entry& entry : entries_) blocks.push_back(entry.plain);
    const std::optional<Arena> plain = PlanArena(blocks);
    if (!plain) return Refuse(NoArena::kTooLarge);
    const Arena inplace = PlanInPlace(*plain);
    out_.arena_bytes = plain->bytes;
    out_.arena_inplace_bytes = inplace.bytes;
    for (std::size_t i = 0; i < entries_.size(); ++i)
      out_.plan.push_back(Row(entries_[i], plain->offsets[i], inplace.offsets[i]));
  }

 private:
  void Refuse(NoArena why) { out_.no_arena = why; }

  const std::vector<std::size_t>& BodiesAt(std::size_t step) const {
    return schedule_.bodies[run_.steps[step].index()];
  }

  // In the order of their first step. False when a size is not known.
  bool ListEntries() {
    std::size_t next = 0;
    for (std::size_t step = 0; step < run_.steps.size(); ++step) {
      if (BodiesAt(step).empty()) continue;
      if (!AddLifetimes(next, step) || !AddBodies(step)) return false;
    }
    return AddLifetimes(next, kNever);
  }

  bool AddLifetimes(std::size_t& next, std::size_t until) {
    for (; next < run_.lifetimes.size() && run_.lifetimes[next].first <= until; ++next) {
      const Lifetime& lifetime = run_.lifetimes[next];
      const Dim bytes = bytes_[lifetime.tensor.index()];
      if (!bytes.is_number()) {
        Refuse(bytes.is_unknown() ? NoArena::kUnknownSize : NoArena::kFreeSize);
        return false;
      }
      entries_.push_back({next, {lifetime.first, lifetime.last, bytes.number()}, bytes.number()});
    }
    return true;
  }

  bool AddBodies(std::size_t step) {
    Entry entry = {kNever, {step, step, 0}, 0};
    for (const std::size_t body : BodiesAt(step)) {
      const RunMemory& inside = memory_[body];
      if (!inside.arena_bytes) {
        Refuse(inside.no_arena);
        return false;
      }
      entry.plain.bytes = std::max(entry.plain.bytes, *inside.arena_bytes);
      entry.inplace_bytes = std::max(entry.inplace_bytes, *inside.arena_inplace_bytes);
    }
    entries_.push_back(entry);
    return true;
  }

  // Outputs that take over an operand become one block with it. The plain plan is a plan in place
  // as well, one that reuses nothing: it is taken where it is the smaller one.
  Arena PlanInPlace(const Arena& plain) const {
    const std::vector<std::size_t> from = ReuseInPlace(model_, analysis_, bytes_, run_);
    std::vector<std::size_t> block_of_lifetime(run_.lifetimes.size());
    std::vector<std::size_t> block_of(entries_.size());
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      const bool reuses = entry.lifetime != kNever && from[entry.lifetime] != entry.lifetime;
      block_of[i] = reuses ? block_of_lifetime[from[entry.lifetime]] : blocks.size();
      if (entry.lifetime != kNever) block_of_lifetime[entry.lifetime] = block_of[i];
      if (reuses)
        blocks[block_of[i]].last = std::max(blocks[block_of[i]].last, entry.plain.last);
      else
        blocks.push_back({entry.plain.first, entry.plain.last, entry.inplace_bytes});
    }
    const std::optional<Arena> merged = PlanArena(blocks);
    if (!merged || merged->bytes >= plain.bytes) return plain;
    Arena out = {merged->bytes, {}};
    out.offsets.reserve(entries_.size());
    for (const std::size_t block : block_of) out.offsets.push_back(merged->offsets[block]);
    return out;
  }

  LayerId LayerAt(std::size_t step) const {
    return step < run_.steps.size() ? analysis_.layer_of[run_.steps[step].index()] : LayerId{};
  }

  ArenaBlock Row(const Entry& entry, std::int64_t offset, std::int64_t inplace_offset) const {
    ArenaBlock row = {.tensor = {},
                      .first = LayerAt(entry.plain.first),
                      .last = LayerAt(entry.plain.last),
                      .bytes = entry.plain.bytes,
                      .offset = offset,
                      .inplace_offset = inplace_offset};
    if (entry.lifetime == kNever) return row;
    const Lifetime& lifetime = run_.lifetimes[entry.lifetime];
    row.tensor = lifetime.tensor;
    if (lifetime.from_start) row.first = {};
    if (lifetime.to_end) row.last = {};
    return row;
  }

  Model& model_;
  const Schedule& schedule_;
  const GraphRun& run_;
  const std::vector<Dim>& bytes_;
  const StaticAnalysis& analysis_;
  const std::vector<RunMemory>& memory_;
  RunMemory& out_;
  std::vector<Entry> entries_;
};

}  // namespace

void PlanRunArena(Model& model, const Schedule& schedule, std::size_t index,
                  const std::vector<Dim>& tensor_bytes, const StaticAnalysis& analysis,
                  std::vector<RunMemory>& memory) {
  RunArenaPlanner(model, schedule, index, tensor_bytes, analysis, memory).Run();
}

}  // namespace opscope
