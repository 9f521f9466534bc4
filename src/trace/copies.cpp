#include "trace/copies.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "base/checked.h"

namespace opscope {

namespace {

struct Word {
  std::string_view text, meaning;
};
constexpr std::array kDirections = {
    Word{"HtoD", "HtoD"},           Word{"DtoH", "DtoH"},         Word{"DtoD", "DtoD"},
    Word{"HtoH", "HtoH"},           Word{"PtoP", "PtoP"},         Word{"HtoA", "HtoA"},
    Word{"AtoH", "AtoH"},           Word{"AtoA", "AtoA"},         Word{"AtoD", "AtoD"},
    Word{"DtoA", "DtoA"},           Word{"HostToDevice", "HtoD"}, Word{"DeviceToHost", "DtoH"},
    Word{"DeviceToDevice", "DtoD"}, Word{"HostToHost", "HtoH"},
};
constexpr std::array kMemories = {Word{"Pageable", "pageable"}, Word{"Pinned", "pinned"},
                                  Word{"Managed", "managed"}, Word{"Device", "device"}};

}  // namespace

CopyKind KindOfCopy(std::string_view name) {
  CopyKind out{std::string(name), "unknown"};
  for (const Word& word : kDirections)
    if (name.find(word.text) != std::string_view::npos) {
      out.kind = word.meaning;
      break;
    }
  const std::size_t open = name.find('(');
  if (open == std::string_view::npos) return out;
  for (const Word& word : kMemories)
    if (name.find(word.text, open) != std::string_view::npos) {
      out.memory = word.meaning;
      break;
    }
  return out;
}

std::vector<CopyRow> CopyRows(const Trace& trace, const std::vector<DeviceWork>& work) {
  std::map<std::pair<std::string, std::string>, CopyRow> rows;
  std::map<Str, CopyRow*> by_name;
  for (const DeviceWork& item : work) {
    if (trace.kind[item.event] != EventKind::kCopy) continue;
    CopyRow*& row = by_name[trace.name[item.event]];
    if (row == nullptr) {
      const CopyKind kind = KindOfCopy(trace.name_of(item.event));
      row = &rows[{kind.kind, kind.memory}];
      row->kind = kind.kind;
      row->memory = kind.memory;
    }
    const DeviceArgs* args = trace.device_of(item.event);
    ++row->count;
    row->ns += trace.duration(item.event);
    if (args != nullptr && args->bytes >= 0)
      row->bytes = SaturatingAdd(row->bytes, args->bytes);
    else
      ++row->unsized;
  }
  std::vector<CopyRow> out;
  for (auto& [key, row] : rows) out.push_back(std::move(row));
  std::stable_sort(out.begin(), out.end(),
                   [](const CopyRow& a, const CopyRow& b) { return a.ns > b.ns; });
  return out;
}

std::vector<RepeatedUpload> RepeatedUploads(const Trace& trace,
                                            const std::vector<DeviceWork>& work) {
  constexpr std::int64_t kRepeated = 3;
  std::map<std::tuple<std::int64_t, Str, std::int64_t>, RepeatedUpload> uploads;
  std::map<Str, bool> is_upload;
  for (const DeviceWork& item : work) {
    const DeviceArgs* args = trace.device_of(item.event);
    if (trace.kind[item.event] != EventKind::kCopy || args == nullptr || args->bytes <= 0) continue;
    const auto [known, is_new] = is_upload.try_emplace(trace.name[item.event], false);
    if (is_new) known->second = KindOfCopy(trace.name_of(item.event)).kind == "HtoD";
    if (!known->second) continue;
    const EventId cause = item.op.valid() ? item.op : item.call;
    const Str op = cause.valid() ? trace.name[cause.index()] : Str{0};
    const std::int64_t device = DeviceOf(trace, item.event);
    RepeatedUpload& upload = uploads[{device, op, args->bytes}];
    upload.device = device;
    upload.op = op;
    upload.bytes = args->bytes;
    ++upload.count;
    upload.ns += trace.duration(item.event);
  }
  std::vector<RepeatedUpload> out;
  for (const auto& [key, upload] : uploads)
    if (upload.count >= kRepeated) out.push_back(upload);
  std::stable_sort(out.begin(), out.end(), [](const RepeatedUpload& a, const RepeatedUpload& b) {
    return static_cast<Int128>(a.bytes) * a.count > static_cast<Int128>(b.bytes) * b.count;
  });
  return out;
}

}  // namespace opscope
