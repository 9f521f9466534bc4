// TensorProto and SparseTensorProto: where a constant's bytes lie, and the bytes when they are few.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/formats/onnx/walker.h"

namespace opscope::onnx {

struct NamedPayload {
  Str name{0};
  PayloadId payload;
};

// Files of external data: opened once each, when a tensor first names them.
class ExternalFiles {
 public:
  explicit ExternalFiles(Walker& walker) : walker_(walker) {}

  // The index of `path` in Model::external_files. A file that is missing or refused is noted.
  std::uint32_t Find(const std::string& path, std::uint64_t offset);
  // `length` bytes at `offset` of the file; nullopt when they cannot be had.
  std::optional<std::string> Read(std::uint32_t file, std::uint64_t offset, std::size_t length);

 private:
  Walker& walker_;
  std::map<std::string, std::uint32_t> index_;
  std::vector<std::optional<Source>> sources_;
};

class TensorReader {
 public:
  explicit TensorReader(Walker& walker) : walker_(walker), files_(walker) {}

  Result<NamedPayload> Read(WireReader message);
  Result<NamedPayload> ReadSparse(WireReader message);

 private:
  struct Parts;
  Result<void> ReadField(const WireField& field, const WireReader& message, Parts& parts);
  Result<void> ReadExternalEntry(const WireReader& message, Parts& parts);
  Result<void> Place(const WireReader& message, Parts& parts);
  void PlaceExternal(Parts& parts);
  void PlaceTyped(Parts& parts);

  Walker& walker_;
  ExternalFiles files_;
};

}  // namespace opscope::onnx
