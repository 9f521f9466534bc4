// opscope-engine-ort: runs models with ONNX Runtime for opscope. Talks as docs/engine-protocol.md
// says.
#include <memory>

#include "engines/common/engine.h"
#include "engines/ort/session.h"

namespace opscope::ort {
namespace {

Result<child::Loaded> Load(const child::LoadRequest& request) {
  TRY_ASSIGN(Library library, LoadLibrary(request.library));
  const auto model = std::make_shared<Model>(std::move(library));
  TRY(model->Load(request));
  child::Loaded out;
  out.description = model->description();
  out.prepare = [model] { model->ReleaseOutputs(); };
  out.run = [model] { return model->Run(); };
  out.end_profile = [model] { return model->EndProfile(); };
  out.outputs = [model] { return model->Outputs(); };
  return out;
}

Result<child::Description> About(const child::LoadRequest& request) {
  TRY_ASSIGN(const Library library, LoadLibrary(request.library));
  return DescribeLibrary(library);
}

}  // namespace
}  // namespace opscope::ort

int main() {
  return opscope::child::Serve(
      {.id = "ort", .load = opscope::ort::Load, .about = opscope::ort::About});
}
