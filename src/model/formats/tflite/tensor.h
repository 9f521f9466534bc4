// Tensors and the buffers behind them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/formats/format.h"
#include "model/formats/tflite/flat.h"

namespace opscope::tflite {

// Where constants lie: in the flatbuffer, behind it (files beyond 2 GiB), or in files beside it.
class Buffers {
 public:
  Buffers(Flat& flat, const Table& root, Model& model, const ModelReadContext& context);

  // What `tensor` shows, when it is a constant; dtype and dims are the tensor's.
  std::optional<Payload> Find(const Table& tensor, DType dtype, std::vector<std::int64_t> dims);
  // The bytes of a buffer when they are at most `limit`, and how many they are.
  struct Text {
    std::uint64_t length = 0;
    std::string bytes;
  };
  Text Small(std::int64_t buffer, std::uint64_t limit);

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };
  Place PlaceOf(std::int64_t buffer);
  bool PlaceExternal(std::int64_t id, Payload& payload);
  std::uint32_t FileNamed(const std::string& path);
  void ReadSmall(Payload& payload);

  Flat& flat_;
  Model& model_;
  const ModelReadContext& context_;
  Vector buffers_, groups_;
  std::map<std::int64_t, Table> external_;  // by id
  std::map<std::string, std::uint32_t> files_;
};

class TensorReader {
 public:
  TensorReader(Flat& flat, const Table& root, Model& model, const ModelReadContext& context)
      : flat_(flat), model_(model), buffers_(flat, root, model, context) {}

  // Adds the tensor to the model, or finds the one of the same graph that shows the same bytes.
  TensorId Read(const Table& table, GraphId graph);
  Buffers& buffers() { return buffers_; }

 private:
  Shape DeclaredShape(const Table& table, const std::vector<std::int64_t>& stored);
  QuantisationId ReadQuantisation(const Table& table);

  Flat& flat_;
  Model& model_;
  Buffers buffers_;
  using SharedKey = std::tuple<std::uint32_t, std::uint64_t, DType, std::vector<std::int64_t>>;
  std::map<SharedKey, TensorId> shared_;
};

}  // namespace opscope::tflite
