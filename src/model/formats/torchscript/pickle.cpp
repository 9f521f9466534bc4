#include "model/formats/torchscript/pickle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/import_log.h"
#include "base/text.h"
#include "model/formats/torchscript/pickle_names.h"

namespace opscope::torchscript {

namespace {

using Kind = PickleValue::Kind;

constexpr std::size_t kMaxValues = 20'000'000;
constexpr std::size_t kMaxText = 1 << 24;

template <std::size_t kSize>
bool Holds(const std::array<std::string_view, kSize>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

class Machine {
 public:
  explicit Machine(std::string_view bytes) : bytes_(bytes) {}

  Result<Pickle> Run() {
    while (true) {
      if (at_ >= bytes_.size()) return Damaged("ends without a STOP");
      if (out_.values.size() > kMaxValues) return Damaged("holds too many values");
      const auto opcode = static_cast<unsigned char>(bytes_[at_++]);
      if (opcode == '.') break;
      TRY(Step(opcode));
    }
    TRY_ASSIGN(out_.top, Pop());
    return std::move(out_);
  }

 private:
  static constexpr std::uint32_t kMark = 0xffffffffU;

  Error Damaged(const std::string& what) const {
    return {"pickle.damaged", "the pickle " + what, AtByte(at_)};
  }
  Error Refused(const std::string& what) const {
    return {"pickle.refused",
            "the pickle asks to " + what +
                ", which would run code; files of tensors need no such thing, and it was not done",
            AtByte(at_)};
  }

  Result<std::string_view> Take(std::size_t size) {
    if (size > bytes_.size() - at_) return Damaged("is cut");
    const std::string_view taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }
  Result<std::uint64_t> Number(std::size_t size) {
    TRY_ASSIGN(const std::string_view raw, Take(size));
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = (value << 8) | static_cast<unsigned char>(raw[i]);
    return value;
  }
  Result<std::string_view> Line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) return Damaged("is cut");
    const std::string_view line = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

  std::uint32_t Add(PickleValue value) {
    out_.values.push_back(std::move(value));
    return static_cast<std::uint32_t>(out_.values.size() - 1);
  }
  Result<void> Push(PickleValue value) {
    stack_.push_back(Add(std::move(value)));
    return {};
  }
  Result<void> PushKind(Kind kind, std::int64_t integer = 0) {
    PickleValue value;
    value.kind = kind;
    value.integer = integer;
    return Push(std::move(value));
  }
  Result<void> PushText(Kind kind, std::string_view text) {
    if (text.size() > kMaxText)
      return Damaged("holds a text of " + std::to_string(text.size()) + " bytes");
    PickleValue value;
    value.kind = kind;
    value.text = text;
    return Push(std::move(value));
  }
  Result<std::uint32_t> Pop() {
    if (stack_.empty() || stack_.back() == kMark) return Damaged("takes what is not there");
    const std::uint32_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  Result<std::vector<std::uint32_t>> PopToMark() {
    const auto mark = std::find(stack_.rbegin(), stack_.rend(), kMark);
    if (mark == stack_.rend()) return Damaged("has no mark where one should be");
    const auto first = static_cast<std::ptrdiff_t>(mark.base() - stack_.begin());
    std::vector<std::uint32_t> items(stack_.begin() + first, stack_.end());
    stack_.resize(static_cast<std::size_t>(first) - 1);
    return items;
  }
  Result<void> PushItems(Kind kind, std::vector<std::uint32_t> items) {
    PickleValue value;
    value.kind = kind;
    value.items = std::move(items);
    return Push(std::move(value));
  }
  Result<void> PushPopped(std::size_t count) {
    std::vector<std::uint32_t> items(count);
    for (std::size_t i = count; i-- > 0;) {
      TRY_ASSIGN(items[i], Pop());
    }
    return PushItems(Kind::kList, std::move(items));
  }
  Result<void> Extend(std::vector<std::uint32_t> items) {
    if (stack_.empty() || stack_.back() == kMark) return Damaged("fills what is not there");
    std::vector<std::uint32_t>& into = out_.values[stack_.back()].items;
    into.insert(into.end(), items.begin(), items.end());
    return {};
  }
  Result<void> Put(std::uint64_t place) {
    if (stack_.empty() || stack_.back() == kMark) return Damaged("keeps what is not there");
    memo_[place] = stack_.back();
    return {};
  }
  Result<void> Get(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) return Damaged("asks for a value that it did not keep");
    stack_.push_back(found->second);
    return {};
  }

  Result<void> Step(unsigned char opcode);
  Result<void> StepText(unsigned char opcode);
  Result<void> StepNumber(unsigned char opcode);
  Result<void> StepMemo(unsigned char opcode);
  Result<void> Reduce();
  Result<void> NewObject();
  Result<void> Build();
  Result<void> Persistent();
  Result<void> Rebuild(const std::vector<std::uint32_t>& arguments, bool typed);

  std::string_view bytes_;
  std::size_t at_ = 0;
  Pickle out_;
  std::vector<std::uint32_t> stack_;
  std::unordered_map<std::uint64_t, std::uint32_t> memo_;
};

Result<void> Machine::Step(unsigned char opcode) {
  switch (opcode) {
    case 0x80:  // PROTO
      TRY(Take(1));
      return {};
    case 0x95:  // FRAME
      TRY(Take(8));
      return {};
    case '(':
      stack_.push_back(kMark);
      return {};
    case ')':
    case ']':
    case 0x8f:
      return PushKind(Kind::kList);
    case '}':
      return PushKind(Kind::kDict);
    case 'N':
      return PushKind(Kind::kNone);
    case 0x88:
      return PushKind(Kind::kFlag, 1);
    case 0x89:
      return PushKind(Kind::kFlag, 0);
    case 't':
    case 'l': {
      TRY_ASSIGN(auto items, PopToMark());
      return PushItems(Kind::kList, std::move(items));
    }
    case 0x85:
    case 0x86:
    case 0x87:
      return PushPopped(opcode - 0x84U);
    case 'a': {
      TRY_ASSIGN(const std::uint32_t item, Pop());
      return Extend({item});
    }
    case 's': {
      TRY_ASSIGN(const std::uint32_t value, Pop());
      TRY_ASSIGN(const std::uint32_t key, Pop());
      return Extend({key, value});
    }
    case 'e':
    case 'u':
    case 0x90: {
      TRY_ASSIGN(auto items, PopToMark());
      return Extend(std::move(items));
    }
    case '0':
      if (!stack_.empty()) stack_.pop_back();
      return {};
    case 'R':
      return Reduce();
    case 0x81:
      return NewObject();
    case 'b':
      return Build();
    case 'Q':
      return Persistent();
    default:
      return StepText(opcode);
  }
}

Result<void> Machine::StepText(unsigned char opcode) {
  std::size_t size_bytes = 0;
  if (opcode == 'X' || opcode == 'B' || opcode == 'T') size_bytes = 4;
  if (opcode == 0x8c || opcode == 'C' || opcode == 'U') size_bytes = 1;
  if (opcode == 0x8d || opcode == 0x8e) size_bytes = 8;
  if (size_bytes > 0) {
    TRY_ASSIGN(const std::uint64_t size, Number(size_bytes));
    if (size > bytes_.size()) return Damaged("is cut");
    TRY_ASSIGN(const std::string_view text, Take(static_cast<std::size_t>(size)));
    return PushText(Kind::kText, text);
  }
  if (opcode == 'c') {  // GLOBAL module\nname\n
    TRY_ASSIGN(const std::string_view module, Line());
    TRY_ASSIGN(const std::string_view name, Line());
    return PushText(Kind::kGlobal, std::string(module) + "." + std::string(name));
  }
  if (opcode == 0x93) {  // STACK_GLOBAL
    TRY_ASSIGN(const std::uint32_t name, Pop());
    TRY_ASSIGN(const std::uint32_t module, Pop());
    return PushText(Kind::kGlobal, out_[module].text + "." + out_[name].text);
  }
  return StepNumber(opcode);
}

Result<void> Machine::StepNumber(unsigned char opcode) {
  if (opcode == 'J') {
    TRY_ASSIGN(const std::uint64_t value, Number(4));
    return PushKind(Kind::kInteger, static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
  }
  if (opcode == 'K' || opcode == 'M') {
    TRY_ASSIGN(const std::uint64_t value, Number(opcode == 'K' ? 1 : 2));
    return PushKind(Kind::kInteger, static_cast<std::int64_t>(value));
  }
  if (opcode == 0x8a) {  // LONG1
    TRY_ASSIGN(const std::uint64_t size, Number(1));
    if (size > 8) {
      TRY(Take(static_cast<std::size_t>(size)));
      return PushKind(Kind::kInteger);
    }
    TRY_ASSIGN(std::uint64_t value, Number(static_cast<std::size_t>(size)));
    const bool negative = size > 0 && size < 8 && ((value >> (8 * size - 1)) & 1) != 0;
    if (negative) value |= ~std::uint64_t{0} << (8 * size);
    return PushKind(Kind::kInteger, static_cast<std::int64_t>(value));
  }
  if (opcode == 'G') {  // BINFLOAT, big-endian
    TRY_ASSIGN(const std::string_view raw, Take(8));
    std::uint64_t bits = 0;
    for (const char c : raw) bits = (bits << 8) | static_cast<unsigned char>(c);
    PickleValue value;
    value.kind = Kind::kFloat;
    value.real = __builtin_bit_cast(double, bits);
    return Push(std::move(value));
  }
  return StepMemo(opcode);
}

Result<void> Machine::StepMemo(unsigned char opcode) {
  if (opcode == 'q' || opcode == 'r') {
    TRY_ASSIGN(const std::uint64_t place, Number(opcode == 'q' ? 1 : 4));
    return Put(place);
  }
  if (opcode == 'h' || opcode == 'j') {
    TRY_ASSIGN(const std::uint64_t place, Number(opcode == 'h' ? 1 : 4));
    return Get(place);
  }
  if (opcode == 0x94) return Put(memo_.size());
  return Refused("do operation " + std::to_string(opcode));
}

// function(arguments): only functions whose result is known without them.
Result<void> Machine::Reduce() {
  TRY_ASSIGN(const std::uint32_t list, Pop());
  TRY_ASSIGN(const std::uint32_t function, Pop());
  const std::string name = out_[function].text;
  const std::vector<std::uint32_t> arguments = out_[list].items;
  if (out_[function].kind != Kind::kGlobal) return Refused("call a value");
  if (name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_tensor")
    return Rebuild(arguments, false);
  if (name == "torch._utils._rebuild_qtensor") return Rebuild(arguments, false);
  if (name == "torch._utils._rebuild_tensor_v3") return Rebuild(arguments, true);
  if (Holds(kContainers, name)) return PushKind(Kind::kDict);
  if (Holds(kPassing, name)) {
    if (arguments.empty()) return PushKind(Kind::kNone);
    stack_.push_back(arguments[0]);
    return {};
  }
  return Refused("call \"" + Printable(name) + "\"");
}

// class.__new__(class): modules of TorchScript, whose code is text beside the pickle.
Result<void> Machine::NewObject() {
  TRY(Pop());
  TRY_ASSIGN(const std::uint32_t type, Pop());
  const std::string name = out_[type].text;
  if (out_[type].kind != Kind::kGlobal || !name.starts_with("__torch__"))
    return Refused("make a \"" + Printable(name) + "\"");
  return PushText(Kind::kObject, name);
}

Result<void> Machine::Build() {
  TRY_ASSIGN(const std::uint32_t state, Pop());
  if (stack_.empty() || stack_.back() == kMark) return Damaged("fills what is not there");
  PickleValue& object = out_.values[stack_.back()];
  if (object.kind == Kind::kObject) {
    if (stack_.back() == state) return Damaged("builds a value from itself");
    const std::vector<std::uint32_t> fields = out_[state].items;
    object.items = fields;
  }
  return {};
}

// ('storage', torch FloatStorage, '0', 'cpu', 216)
Result<void> Machine::Persistent() {
  TRY_ASSIGN(const std::uint32_t id, Pop());
  const std::vector<std::uint32_t>& parts = out_[id].items;
  if (parts.size() < 3) return Damaged("names a storage in an unknown way");
  PickleValue storage;
  storage.kind = Kind::kStorage;
  storage.text = out_[parts[2]].text;
  for (const StorageType& type : kStorages)
    if (type.name == out_[parts[1]].text) storage.dtype = type.dtype;
  return Push(std::move(storage));
}

// (storage, offset, sizes, strides, …); of version 3 the dtype is the seventh.
Result<void> Machine::Rebuild(const std::vector<std::uint32_t>& arguments, bool typed) {
  if (arguments.size() < 3) return Damaged("makes a tensor of too few parts");
  const PickleValue& storage = out_[arguments[0]];
  PickleValue tensor;
  tensor.kind = Kind::kTensor;
  tensor.text = storage.text;
  tensor.dtype = storage.dtype;
  tensor.integer = out_[arguments[1]].integer;
  for (const std::uint32_t size : out_[arguments[2]].items)
    tensor.sizes.push_back(out_[size].integer);
  if (typed && arguments.size() > 6) {
    const std::string& name = out_[arguments[6]].text;
    if (name.starts_with("torch.")) tensor.dtype = DTypeFromName(name.substr(6));
  }
  return Push(std::move(tensor));
}

}  // namespace

const PickleValue* Pickle::Find(const PickleValue& in, std::string_view key) const {
  for (std::size_t i = 0; i + 1 < in.items.size(); i += 2)
    if (values[in.items[i]].text == key) return &values[in.items[i + 1]];
  return nullptr;
}

Result<Pickle> ReadPickle(std::string_view bytes) { return Machine(bytes).Run(); }

}  // namespace opscope::torchscript
