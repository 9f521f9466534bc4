// Arrays of an .npz file: a zip of .npy members, one array each (numpy's own format description:
// numpy.lib.format).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "engines/common/inputs.h"

namespace opscope::child {

class Npz {
 public:
  static Result<Npz> Open(const std::string& path);

  // The array `name` as dtype `dtype`, row-major. A type that numpy does not have (bfloat16,
  // float8) is read from its raw bytes ('|V2', '|V1'). Errors: "input", naming array and what was
  // expected.
  Result<Array> Read(const std::string& name, std::string_view dtype);
  std::string name() const { return source_.file_name(); }

 private:
  Npz(Source source, std::vector<ZipMember> members)
      : source_(std::move(source)), members_(std::move(members)) {}

  Source source_;
  std::vector<ZipMember> members_;
};

// What the header of an .npy says.
struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::uint64_t data_offset = 0;
};
Result<NpyHeader> ParseNpyHeader(std::string_view begin);

}  // namespace opscope::child
