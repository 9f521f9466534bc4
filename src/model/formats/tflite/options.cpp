#include "model/formats/tflite/options.h"

#include <array>
#include <string>
#include <utility>

namespace opscope::tflite {

namespace {

constexpr DType kTypes[] = {
    DType::kFloat32, DType::kFloat16,      DType::kInt32,     DType::kUInt8,     DType::kInt64,
    DType::kString,  DType::kBool,         DType::kInt16,     DType::kComplex64, DType::kInt8,
    DType::kFloat64, DType::kComplex128,   DType::kUInt64,    DType::kUnknown,   DType::kUnknown,
    DType::kUInt32,  DType::kUInt16,       DType::kInt4,      DType::kBFloat16,  DType::kInt2,
    DType::kUInt4,   DType::kFloat8E4M3FN, DType::kFloat8E5M2};

using Names = std::span<const std::string_view>;
constexpr std::string_view kPaddings[] = {"SAME", "VALID"};
constexpr std::string_view kActivations[] = {"NONE",  "RELU", "RELU_N1_TO_1",
                                             "RELU6", "TANH", "SIGN_BIT"};
constexpr std::string_view kMirrors[] = {"REFLECT", "SYMMETRIC"};
constexpr std::string_view kWeights[] = {"DEFAULT", "SHUFFLED4x16INT8"};
constexpr std::string_view kWindows[] = {"UNSUPPORTED", "ADD", "MUL", "MINIMUM",
                                         "MAXIMUM",     "ALL", "ANY"};
constexpr std::string_view kCompares[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};

Names NamesOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::kPadding:
      return kPaddings;
    case FieldKind::kActivation:
      return kActivations;
    case FieldKind::kMirror:
      return kMirrors;
    case FieldKind::kWeights:
      return kWeights;
    case FieldKind::kWindow:
      return kWindows;
    case FieldKind::kCompare:
      return kCompares;
    default:
      return {};
  }
}

// A number that the enum does not have stays a number, as text.
std::string NameOf(FieldKind kind, std::int64_t number) {
  if (kind == FieldKind::kType) return std::string(Name(DTypeOf(number)));
  const Names names = NamesOf(kind);
  if (number < 0 || number >= static_cast<std::int64_t>(names.size()))
    return std::to_string(number);
  return std::string(names[static_cast<std::size_t>(number)]);
}

std::int64_t EnumNumber(Flat& flat, const Table& options, const OptionField& field) {
  const bool wide = field.kind == FieldKind::kWindow || field.kind == FieldKind::kCompare;
  return wide ? flat.Int32(options, field.slot, field.otherwise)
              : flat.Int8(options, field.slot, field.otherwise);
}

AttributeValue ReadValue(Flat& flat, const Table& options, const OptionField& field) {
  switch (field.kind) {
    case FieldKind::kInt:
    case FieldKind::kSubgraph:
    case FieldKind::kRegion:
      return flat.Int32(options, field.slot, field.otherwise);
    case FieldKind::kLong:
      return flat.Int64(options, field.slot, field.otherwise);
    case FieldKind::kUInt:
      return flat.UInt32(options, field.slot, field.otherwise);
    case FieldKind::kBool:
      return flat.UInt8(options, field.slot, field.otherwise);
    case FieldKind::kFloat:
      return flat.Float32(options, field.slot);
    case FieldKind::kText:
      return flat.Text(options, field.slot);
    case FieldKind::kInts:
      return flat.Int32s(flat.List(options, field.slot, 4));
    case FieldKind::kLongs:
      return flat.Int64s(flat.List(options, field.slot, 8));
    case FieldKind::kBytes:
      return flat.Bytes(flat.List(options, field.slot, 1));
    default:
      return NameOf(field.kind, EnumNumber(flat, options, field));
  }
}

}  // namespace

DType DTypeOf(std::int64_t type) {
  const bool known = type >= 0 && type < static_cast<std::int64_t>(std::size(kTypes));
  return known ? kTypes[type] : DType::kUnknown;
}

void ReadOptions(Flat& flat, const Table& options, std::span<const OptionField> fields,
                 Model& model, std::vector<Attribute>& attributes,
                 std::vector<BodyReference>& bodies) {
  for (const OptionField& field : fields) {
    AttributeValue value = ReadValue(flat, options, field);
    if (!flat.ok()) return;
    if (field.kind == FieldKind::kSubgraph) {
      bodies.push_back({field.name, std::get<std::int64_t>(value)});
      continue;
    }
    const auto* text = std::get_if<std::string>(&value);
    if (field.kind == FieldKind::kActivation && *text == "NONE") continue;
    attributes.push_back({model.strings.Intern(field.name), std::move(value)});
  }
}

}  // namespace opscope::tflite
