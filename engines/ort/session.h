// A model loaded by ONNX Runtime.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engines/common/engine.h"
#include "engines/common/inputs.h"
#include "engines/ort/ort_library.h"

namespace opscope::ort {

class Model {
 public:
  explicit Model(Library library) : library_(std::move(library)) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model();

  // Makes the session and binds the inputs.
  Result<void> Load(const child::LoadRequest& request);
  const child::Description& description() const { return description_; }

  void ReleaseOutputs();
  Result<void> Run();
  Result<child::Profile> EndProfile();
  Result<std::vector<child::Output>> Outputs() const;

 private:
  Result<void> SetOptions(const child::LoadRequest& request);
  Result<void> Describe();
  Result<void> BindInputs(const child::LoadRequest& request);
  Result<Value*> MakeValue(const child::Value& input, const child::Array& array);

  Library library_;
  const Api& api_ = library_.api;
  Env* env_ = nullptr;
  SessionOptions* options_ = nullptr;
  Session* session_ = nullptr;
  Allocator* allocator_ = nullptr;
  child::Description description_;
  std::vector<const char*> input_names_, output_names_;  // of description_
  std::vector<Value*> inputs_, outputs_;
};

// Name, version, build and providers of a library, without a model.
child::Description DescribeLibrary(const Library& library);

// dtype of an ONNX element type, "" for one that is not known; and back, 0 for none.
std::string_view DtypeOf(int element_type);
int ElementTypeOf(std::string_view dtype);

}  // namespace opscope::ort
