// Both halves of the protocol: what one writes, the other reads.
#include <gtest/gtest.h>

#include "engine/protocol.h"
#include "engines/common/request.h"

namespace opscope {
namespace {

TEST(Protocol, HelloIsOneShortLine) {
  EXPECT_EQ(HelloRequest(1), R"({"id":1,"op":"hello","protocol":1})");
  EXPECT_EQ(child::HelloAnswer(1, "ort"), R"({"id":1,"ok":{"protocol":1,"engine":"ort"}})"
                                          "\n");
}

TEST(Protocol, BothSidesSpeakTheSameVersion) { EXPECT_EQ(kEngineProtocol, child::kProtocol); }

TEST(Protocol, ALoadRequestArrivesWhole) {
  EngineOptions options;
  options.model = "a \"b\"\n模型.onnx";
  options.library = "lib.so";
  options.threads = 4;
  options.parallel = true;
  options.level = OptimizationLevel::kExtended;
  options.spinning = true;
  options.arena = false;
  options.providers = {{"CUDA", {{"device_id", "1"}}}, {"CPU", {}}};
  options.provider_libraries = {{"openvino", "/ep.so"}};
  options.custom_ops = {"/ops.so"};
  options.config = {{"session.disable_prepacking", "1"}};
  options.free_dims = {{"N", 2}};
  options.shapes = {{"x", {1, 3, 224, 224}}, {"scalar", {}}};
  options.values = {{"ids", 30522, std::nullopt}, {"scale", std::nullopt, 0.5}};
  options.inputs = "in.npz";
  options.seed = 0xffffffffffffffff;
  options.profile_prefix = "/tmp/p";
  options.optimized_model = "/tmp/o.onnx";

  const auto request = child::ParseRequest(LoadRequest(7, options));
  ASSERT_TRUE(request.has_value()) << request.error().ToString();
  EXPECT_EQ(request->id, 7);
  EXPECT_EQ(request->op, "load");
  const child::LoadRequest& load = request->load;
  EXPECT_EQ(load.model, options.model);
  EXPECT_EQ(load.library, "lib.so");
  EXPECT_EQ(load.threads, 4);
  EXPECT_TRUE(load.parallel);
  EXPECT_EQ(load.level, "extended");
  EXPECT_TRUE(load.spinning);
  EXPECT_TRUE(load.memory_pattern);
  EXPECT_FALSE(load.arena);
  ASSERT_EQ(load.providers.size(), 2U);
  EXPECT_EQ(load.providers[0].options[0].value, "1");
  EXPECT_EQ(load.provider_libraries[0].path, "/ep.so");
  EXPECT_EQ(load.custom_ops, options.custom_ops);
  EXPECT_EQ(load.config[0].key, "session.disable_prepacking");
  EXPECT_EQ(load.free_dims[0].size, 2);
  EXPECT_EQ(load.shapes[0].dims, options.shapes[0].dims);
  EXPECT_TRUE(load.shapes[1].dims.empty());
  EXPECT_EQ(load.values[0].upper_bound, 30522);
  EXPECT_EQ(load.values[1].constant, 0.5);
  EXPECT_EQ(load.inputs, "in.npz");
  EXPECT_EQ(load.seed, options.seed);
  EXPECT_EQ(load.profile_prefix, "/tmp/p");
  EXPECT_EQ(load.optimized_model, "/tmp/o.onnx");
}

TEST(Protocol, ARunRequestArrivesWhole) {
  const auto request = child::ParseRequest(RunRequestLine(
      3, {.lead_runs = 2, .min_runs = 5, .max_runs = 9, .min_time = {7}, .max_time = {}}));
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->op, "run");
  EXPECT_EQ(request->run.lead_runs, 2);
  EXPECT_EQ(request->run.min_runs, 5);
  EXPECT_EQ(request->run.max_runs, 9);
  EXPECT_EQ(request->run.min_time_ns, 7);
  EXPECT_EQ(request->run.max_time_ns, 0);
  // No limit is the largest number there is; it survives the trip.
  const auto open = child::ParseRequest(RunRequestLine(3, {}));
  ASSERT_TRUE(open.has_value());
  EXPECT_EQ(open->run.max_time_ns, INT64_MAX);
}

TEST(Protocol, ADescriptionArrivesWhole) {
  child::Description description;
  description.name = "onnxruntime";
  description.version = "1.32.0";
  description.providers = {"CPUExecutionProvider"};
  description.notes = {"a note"};
  child::Value input;
  input.name = "x";
  input.dtype = "float32";
  input.shape = {{std::nullopt, "N"}, {3, ""}, {std::nullopt, ""}};
  input.run_shape = {1, 3, 5};
  input.fill = "standard normal";
  description.inputs = {input};
  child::Value output;
  output.name = "y";
  output.kind = "sequence";
  description.outputs = {output};

  const auto line = ParseEngineLine(child::LoadAnswer(2, description, 12'345));
  ASSERT_TRUE(line.has_value()) << line.error().ToString();
  ASSERT_TRUE(line->ok);
  const auto found = ParseDescription(*line->ok);
  ASSERT_TRUE(found.has_value()) << found.error().ToString();
  EXPECT_EQ(found->name, "onnxruntime");
  EXPECT_EQ(found->version, "1.32.0");
  EXPECT_EQ(found->providers, description.providers);
  EXPECT_EQ(found->notes, description.notes);
  EXPECT_EQ(found->load_time, Nanos{12'345});
  ASSERT_EQ(found->inputs.size(), 1U);
  EXPECT_EQ(found->inputs[0].shape[0].symbol, "N");
  EXPECT_EQ(found->inputs[0].shape[1].size, 3);
  EXPECT_EQ(found->inputs[0].shape[2].size, std::nullopt);
  EXPECT_EQ(found->inputs[0].run_shape, input.run_shape);
  EXPECT_EQ(found->outputs[0].kind, "sequence");
}

TEST(Protocol, SamplesOutputsAndProfileArrive) {
  const auto samples = ParseEngineLine(child::SamplesLine(4, {10, 20}, {11, 21}));
  ASSERT_TRUE(samples.has_value());
  EXPECT_EQ(samples->samples->wall[1], Nanos{20});
  EXPECT_EQ(samples->samples->cpu[0], Nanos{11});

  const auto run = ParseEngineLine(child::RunAnswer(4, std::nullopt));
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(*ParseRunEnd(*run->ok), std::nullopt);

  // Beyond 2^53 an integer travels as text.
  const auto profile = ParseEngineLine(child::ProfileAnswer(5, {"p.json", 1796062406201077532}));
  ASSERT_TRUE(profile.has_value());
  const auto file = ParseProfile(*profile->ok);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->start, Nanos{1796062406201077532});

  const auto outputs = ParseEngineLine(
      child::OutputsAnswer(6, {{"y", "float32", std::vector<std::int64_t>{1, 2}}, {"s", "", {}}}));
  ASSERT_TRUE(outputs.has_value());
  const auto list = ParseOutputs(*outputs->ok);
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ((*list)[0].shape->size(), 2U);
  EXPECT_FALSE((*list)[1].shape);
}

TEST(Protocol, ErrorsKeepCodeAndMessage) {
  const auto line = ParseEngineLine(child::ErrorAnswer(2, {"shape", "free dims", "x"}));
  ASSERT_TRUE(line.has_value());
  ASSERT_TRUE(line->error);
  EXPECT_EQ(line->error->code, "engine.shape");
  EXPECT_EQ(line->error->message, "x: free dims");
  // A code that is not one of the protocol's is a refusal; control characters do not pass.
  const auto odd = ParseEngineLine(R"({"id":2,"error":{"code":"crash","message":"a\u001b[31mb"}})");
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ(odd->error->code, "engine.refused");
  EXPECT_EQ(odd->error->message.find('\x1b'), std::string::npos);
}

TEST(Protocol, WhatIsNoAnswerIsQuoted) {
  for (const char* line :
       {"", "hello", "[]", "{}", "{\"id\":1}", "{\"id\":\"x\",\"ok\":{}}", "{\"id\":1,\"ok\":[]}",
        "{\"id\":1,\"ok\":{},\"error\":{}}", "{\"id\":1,\"ok\":{}} trailing",
        "{\"id\":1,\"ok\":{\"a\":", "{\"id\":1,\"samples\":{\"wall_ns\":[1],\"cpu_ns\":[]}}",
        "{\"id\":1,\"samples\":{\"wall_ns\":[-1],\"cpu_ns\":[1]}}",
        "{\"id\":1,\"samples\":{\"wall_ns\":[1.5],\"cpu_ns\":[1]}}"}) {
    const auto found = ParseEngineLine(line);
    ASSERT_FALSE(found.has_value()) << line;
    EXPECT_EQ(found.error().code, "engine.protocol");
  }
  const auto found = ParseEngineLine("Loading model");
  EXPECT_NE(found.error().message.find("'Loading model'"), std::string::npos);
}

TEST(Protocol, UnknownKeysAreForLaterVersions) {
  const auto line = ParseEngineLine(R"({"id":1,"ok":{"new":[1,{"a":2}],"path":"p"},"extra":null})");
  ASSERT_TRUE(line.has_value());
  const auto file = ParseProfile(*line->ok);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->path, "p");
}

}  // namespace
}  // namespace opscope
