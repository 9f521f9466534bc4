#include "support/graph_text_tensor.h"

#include <algorithm>
#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <utility>
#include <vector>

#include "model/dtype.h"

namespace opscope {

namespace {

using protozero::pbf_writer;

// TensorProto.DataType, by number.
constexpr std::string_view kTypeNames[] = {
    "undefined",      "float32",  "uint8",        "int8",           "uint16",
    "int16",          "int32",    "int64",        "string",         "bool",
    "float16",        "float64",  "uint32",       "uint64",         "complex64",
    "complex128",     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
    "float8e5m2fnuz", "uint4",    "int4",         "float4e2m1",     "float8e8m0",
    "uint2",          "int2"};

Result<std::int32_t> ReadElementType(GraphTextLine& line) {
  const std::string word = line.Word();
  const auto* const found = std::find(std::begin(kTypeNames), std::end(kTypeNames), word);
  if (found == std::end(kTypeNames)) return line.Problem("no such element type: '" + word + "'");
  return static_cast<std::int32_t>(found - std::begin(kTypeNames));
}

Result<std::vector<std::int64_t>> ReadNumberDims(GraphTextLine& line) {
  TRY(line.Expect('['));
  std::vector<std::int64_t> dims;
  while (!line.Accept(']')) {
    TRY_ASSIGN(const std::int64_t dim, line.Integer());
    dims.push_back(dim);
    line.Accept(',');
  }
  return dims;
}

// The elements that follow "=", as the numbers the typed fields hold.
struct Elements {
  std::vector<std::int64_t> integers;
  std::vector<double> floats;
  std::vector<std::string> strings;
};

bool IsWrittenAsFloats(std::string_view type) {
  return type == "float32" || type == "float64" || type == "complex64" || type == "complex128";
}

std::size_t BitsOf(std::string_view type) {
  return static_cast<std::size_t>(Bits(DTypeFromName(type)).value_or(0));
}

Result<Elements> ReadElements(GraphTextLine& line, std::string_view type) {
  Elements elements;
  while (!line.AtEnd()) {
    if (type == "string") {
      TRY_ASSIGN(std::string text, line.Quoted());
      elements.strings.push_back(std::move(text));
    } else if (IsWrittenAsFloats(type)) {
      TRY_ASSIGN(const double value, line.Float());
      elements.floats.push_back(value);
    } else {
      TRY_ASSIGN(const std::int64_t value, line.Integer());
      elements.integers.push_back(value);
    }
  }
  return elements;
}

// Types below a byte: the first element in the low bits.
std::vector<std::int64_t> Packed(const std::vector<std::int64_t>& values, std::size_t bits) {
  const std::size_t in_byte = 8 / bits;
  std::vector<std::int64_t> bytes((values.size() + in_byte - 1) / in_byte);
  for (std::size_t i = 0; i < values.size(); ++i)
    bytes[i / in_byte] |= (values[i] & ((1 << bits) - 1)) << (i % in_byte * bits);
  return bytes;
}

template <class T>
void AppendLittleEndian(std::string& out, T value, std::size_t bytes) {
  char buffer[sizeof(T)];
  std::memcpy(buffer, &value, sizeof(T));
  out.append(buffer, bytes);
}

std::string RawData(const Elements& elements, std::string_view type) {
  std::string raw;
  const bool wide = type == "float64" || type == "complex128";
  for (const double value : elements.floats) {
    if (wide)
      AppendLittleEndian(raw, value, 8);
    else
      AppendLittleEndian(raw, static_cast<float>(value), 4);
  }
  const std::size_t bits = BitsOf(type);
  const bool below_byte = bits < 8 && bits > 0;
  for (const std::int64_t value : below_byte ? Packed(elements.integers, bits) : elements.integers)
    AppendLittleEndian(raw, value, below_byte ? 1 : bits / 8);
  return raw;
}

template <class T, class Number>
void WriteNumbers(pbf_writer& tensor, std::uint32_t tag, const std::vector<Number>& numbers,
                  bool packed, void (pbf_writer::*one)(protozero::pbf_tag_type, T)) {
  const std::vector<T> values(numbers.begin(), numbers.end());
  if (!packed) {
    for (const T value : values) (tensor.*one)(tag, value);
    return;
  }
  std::string bytes;
  for (const T value : values) {
    std::string field;
    pbf_writer writer(field);
    (writer.*one)(1, value);
    bytes += field.substr(1);  // without its tag
  }
  tensor.add_bytes(tag, bytes);
}

// TensorProto: float_data 4, int32_data 5, string_data 6, int64_data 7, double_data 10,
// uint64_data 11.
void WriteTyped(pbf_writer& tensor, const Elements& elements, std::string_view type, bool packed) {
  for (const std::string& text : elements.strings) tensor.add_bytes(6, text);
  const std::size_t bits = BitsOf(type);
  std::vector<std::int64_t> integers = elements.integers;
  if (bits > 0 && bits < 8) integers = Packed(integers, bits);
  if (type == "float32" || type == "complex64")
    WriteNumbers(tensor, 4, elements.floats, packed, &pbf_writer::add_float);
  else if (type == "float64" || type == "complex128")
    WriteNumbers(tensor, 10, elements.floats, packed, &pbf_writer::add_double);
  else if (type == "int64")
    WriteNumbers(tensor, 7, integers, packed, &pbf_writer::add_int64);
  else if (type == "uint32" || type == "uint64")
    WriteNumbers(tensor, 11, integers, packed, &pbf_writer::add_uint64);
  else if (type != "string")
    WriteNumbers(tensor, 5, integers, packed, &pbf_writer::add_int32);
}

void WriteEntry(pbf_writer& tensor, const std::string& key, const std::string& value) {
  std::string bytes;
  pbf_writer entry(bytes);
  entry.add_string(1, key);
  entry.add_string(2, value);
  tensor.add_message(13, bytes);  // TensorProto.external_data
}

Result<void> WriteExternal(GraphTextLine& line, pbf_writer& tensor) {
  TRY_ASSIGN(const std::string location, line.Quoted());
  WriteEntry(tensor, "location", location);
  if (!line.AtEnd()) WriteEntry(tensor, "offset", line.Word());
  if (!line.AtEnd()) WriteEntry(tensor, "length", line.Word());
  tensor.add_enum(14, 1);  // data_location = EXTERNAL
  return {};
}

std::size_t ZeroBytes(const std::vector<std::int64_t>& dims, std::size_t bits) {
  std::size_t elements = 1;
  for (const std::int64_t dim : dims)
    elements *= static_cast<std::size_t>(std::max<int64_t>(dim, 0));
  return (elements * bits + 7) / 8;
}

Result<void> WritePayload(GraphTextLine& line, pbf_writer& tensor, std::string_view type,
                          const std::vector<std::int64_t>& dims) {
  if (line.AcceptWord("none")) return {};
  if (line.AcceptWord("external")) return WriteExternal(line, tensor);
  if (line.AcceptWord("bytes")) {
    TRY_ASSIGN(const std::int64_t bytes, line.Integer());
    tensor.add_bytes(9, std::string(static_cast<std::size_t>(bytes), '\0'));
    return {};
  }
  const bool typed = line.AcceptWord("typed");
  const bool packed = !line.AcceptWord("unpacked");
  if (!line.Accept('=')) {
    if (!line.AtEnd() || typed) return line.Problem("expected '='");
    tensor.add_bytes(9, std::string(ZeroBytes(dims, BitsOf(type)), '\0'));
    return {};
  }
  TRY_ASSIGN(const Elements elements, ReadElements(line, type));
  if (typed || type == "string")
    WriteTyped(tensor, elements, type, packed);
  else
    tensor.add_bytes(9, RawData(elements, type));
  return {};
}

Result<void> WriteDim(GraphTextLine& line, pbf_writer& shape) {
  std::string bytes;
  pbf_writer dim(bytes);
  const std::size_t begin = line.position();
  const bool quoted = line.Peek() == '"';
  TRY_ASSIGN(const std::string text, line.Name());
  const bool number = !quoted && text.find_first_not_of("-0123456789") == std::string::npos;
  if (number) {
    line.Rewind(begin);
    TRY_ASSIGN(const std::int64_t value, line.Integer());
    dim.add_int64(1, value);
  } else if (quoted || text != "?") {
    dim.add_string(2, text);
  }
  shape.add_message(1, bytes);
  return {};
}

// "float32 [N,3]": {elem_type 1, shape 2}, shared by tensor and sparse tensor types.
Result<std::string> ReadTensorType(GraphTextLine& line) {
  std::string bytes;
  pbf_writer type(bytes);
  TRY_ASSIGN(const std::int32_t element, ReadElementType(line));
  type.add_int32(1, element);
  if (!line.Accept('[')) return bytes;
  std::string shape_bytes;
  pbf_writer shape(shape_bytes);
  if (line.AcceptWord("*")) {
    TRY(line.Expect(']'));
    return bytes;
  }
  while (!line.Accept(']')) {
    TRY(WriteDim(line, shape));
    line.Accept(',');
  }
  type.add_message(2, shape_bytes);
  return bytes;
}

}  // namespace

Result<std::string> ReadTextType(GraphTextLine& line) {
  std::string bytes;
  pbf_writer type(bytes);
  std::string inner;
  const auto wrapped = [&](std::uint32_t tag, std::uint32_t inner_tag) -> Result<std::string> {
    TRY(line.Expect('('));
    pbf_writer writer(inner);
    if (tag == 5) {  // map: key_type 1, value_type 2
      TRY_ASSIGN(const std::int32_t key, ReadElementType(line));
      writer.add_int32(1, key);
      TRY(line.Expect(','));
    }
    TRY_ASSIGN(const std::string element, tag == 8 ? ReadTensorType(line) : ReadTextType(line));
    if (tag == 8)
      inner = element;
    else
      writer.add_message(inner_tag, element);
    TRY(line.Expect(')'));
    type.add_message(tag, inner);
    return bytes;
  };
  if (line.AcceptWord("sequence")) return wrapped(4, 1);
  if (line.AcceptWord("map")) return wrapped(5, 2);
  if (line.AcceptWord("sparse")) return wrapped(8, 0);
  if (line.AcceptWord("optional")) return wrapped(9, 1);
  TRY_ASSIGN(inner, ReadTensorType(line));
  type.add_message(1, inner);
  return bytes;
}

Result<TextTensor> ReadTextTensor(GraphTextLine& line) {
  TextTensor result;
  pbf_writer tensor(result.bytes);
  TRY_ASSIGN(result.name, line.Name());
  TRY_ASSIGN(const std::int32_t type, ReadElementType(line));
  TRY_ASSIGN(const auto dims, ReadNumberDims(line));
  tensor.add_packed_int64(1, dims.begin(), dims.end());
  tensor.add_int32(2, type);
  tensor.add_string(8, result.name);
  TRY(WritePayload(line, tensor, kTypeNames[type], dims));
  if (!line.AtEnd()) return line.Problem("unexpected text");
  return result;
}

// SparseTensorProto: values 1, indices 2, dims 3.
Result<TextTensor> ReadTextSparseTensor(GraphTextLine& line) {
  TextTensor result;
  result.sparse = true;
  TRY_ASSIGN(result.name, line.Name());
  TRY_ASSIGN(const std::int32_t type, ReadElementType(line));
  TRY_ASSIGN(const auto dims, ReadNumberDims(line));
  if (!line.AcceptWord("nnz")) return line.Problem("expected nnz");
  TRY_ASSIGN(const std::int64_t count, line.Integer());
  pbf_writer sparse(result.bytes);
  const auto part = [&](std::uint32_t tag, std::int32_t element, std::size_t bits) {
    std::string bytes;
    pbf_writer tensor(bytes);
    tensor.add_int64(1, count);
    tensor.add_int32(2, element);
    if (tag == 1) tensor.add_string(8, result.name);
    tensor.add_bytes(9, std::string(ZeroBytes({count}, bits), '\0'));
    sparse.add_message(tag, bytes);
  };
  part(1, type, BitsOf(kTypeNames[type]));
  part(2, 7, 64);
  sparse.add_packed_int64(3, dims.begin(), dims.end());
  return result;
}

}  // namespace opscope
