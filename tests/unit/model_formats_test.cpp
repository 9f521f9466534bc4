// The list of formats, finding the right one, and what is said of files that are something else.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "model/formats/foreign.h"
#include "model/formats/format.h"
#include "support/read_onnx.h"

namespace opscope {
namespace {

TEST(ModelFormats, FoldersAndListAgree) {
  const std::filesystem::path folder = OPSCOPE_SOURCE_DIR "/src/model/formats";
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  std::set<std::string> listed;
  for (const ModelFormat& format : ModelFormats()) {
    EXPECT_TRUE(listed.insert(std::string(format.info.id)).second) << "twice: " << format.info.id;
    EXPECT_NE(format.probe, nullptr);
    EXPECT_NE(format.read, nullptr);
    EXPECT_FALSE(format.info.title.empty() || format.info.what.empty());
  }
  EXPECT_EQ(folders, listed);
}

Error ReadError(std::string bytes, std::string_view as = "") {
  Source source = Source::FromBytes("dir/m.bin", std::move(bytes));
  ImportLog log;
  auto model = ReadModel({source, log, {}}, as);
  EXPECT_FALSE(model.has_value());
  return model.has_value() ? Error{} : model.error();
}

struct Foreign {
  const char* what;
  std::string bytes;
  const char* says;
};

class ForeignFiles : public ::testing::TestWithParam<Foreign> {};

TEST_P(ForeignFiles, AreNamedForWhatTheyAre) {
  const Error error = ReadError(GetParam().bytes);
  EXPECT_EQ(error.code, "input.unknown-format");
  EXPECT_EQ(error.place, "dir/m.bin");
  EXPECT_NE(error.message.find(GetParam().says), std::string::npos) << error.message;
}

INSTANTIATE_TEST_SUITE_P(
    ModelFormats, ForeignFiles,
    ::testing::Values(
        Foreign{"empty", "", "0 bytes"},
        Foreign{"git lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n",
                "git lfs pull"},
        Foreign{"protobuf text", "ir_version: 8\nproducer_name: \"x\"\ngraph {\n}\n", "textproto"},
        Foreign{"protobuf text of a graph", "graph {\n  node {\n  }\n}\n", "textproto"},
        // dims 3, data_type 1, name "w", raw_data
        Foreign{"tensor", std::string("\x08\x03\x10\x01\x42\x01w\x4a\x04\0\0\0\0", 13),
                "TensorProto"},
        Foreign{"scalar tensor", std::string("\x10\x07\x42\x01w\x4a\x01\0", 8), "TensorProto"},
        Foreign{"ort", std::string("\x1c\0\0\0ORTM\x14\0\0\0", 12), "ORT format"},
        Foreign{"torch", "PK\x03\x04" + std::string(30, 'a'), "zip archive"},
        Foreign{"pickle", "\x80\x02}q\x01", "torch.onnx.export"},
        Foreign{"engine", "ftrt" + std::string(30, '\x01'), "TensorRT engine"},
        Foreign{"tensorflow graph", std::string("\x0a\x10\x0a\x01x\x12\x0bPlaceholder", 18),
                "tf2onnx"},
        Foreign{"saved model",
                std::string("\x08\x01\x12\x10\x0a\x09\x22\x05serve\x2a\x00\x12\x03\x0a\x01x", 20),
                "--saved-model"},
        Foreign{"tensorflow text", "node {\n  name: \"x\"\n  op: \"Placeholder\"\n}\n", "GraphDef"},
        Foreign{"keras", "PK\x03\x04" + std::string(26, '\x01') + "model.weights.h5", "Keras"},
        Foreign{"npz", "PK\x03\x04" + std::string(26, '\x01') + "x.npy", "--inputs"},
        Foreign{"torch zip", "PK\x03\x04" + std::string(26, '\x01') + "m/data.pkl", "PyTorch file"},
        Foreign{"torch lite", "PK\x03\x04" + std::string(26, '\x01') + "m/bytecode.pkl",
                "PyTorch Lite"},
        Foreign{"executorch", std::string("\x30\0\0\0ET12\0\0", 10), "ExecuTorch"},
        Foreign{"rknn", "RKNN" + std::string(20, '\0'), "RKNN"},
        Foreign{"dlc", std::string("\xd5\x0a\x02\0\x01\0\0\0", 8), "DLC"},
        Foreign{"hef", "\x01HEF\x01", "Hailo"}, Foreign{"om", "IMOD\x01", "atc"},
        Foreign{"caffe", "\x0a\x03net\xa2\x06\x05", "Caffe"},
        Foreign{"caffe text", "name: \"n\"\nlayer {\n  bottom: \"x\"\n}\n", "caffe2onnx"},
        Foreign{"paddle",
                std::string("\x0a\x20\x08\0\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x1a", 16),
                "paddle2onnx"},
        Foreign{"paddle parameters",
                std::string(16, '\0') + std::string("\x08\0\0\0\x08\x05\x10\x40", 8), "pdmodel"},
        Foreign{"tensorflow js", "{\"format\": \"graph-model\", \"modelTopology\": {}}",
                "tensorflowjs"},
        Foreign{"checkpoint", "model_checkpoint_path: \"model.ckpt\"\n", "SavedModel"},
        Foreign{"darknet", "[net]\nbatch=1\n", "Darknet"},
        Foreign{"mxnet", "{\n \"nodes\": [{\"op\": \"null\", \"name\": \"data\"}]}", "mxnet"},
        Foreign{"ggml", "tjgg\x03\0\0\0", "GGUF"},
        Foreign{"page", "\n<!DOCTYPE html>\n<html>", "web page"},
        Foreign{"json", "{\"traceEvents\": []}", "JSON"},
        Foreign{"openvino", "<?xml version=\"1.0\"?>\n<net/>", "OpenVINO"},
        Foreign{"hdf5", "\x89HDF\r\n\x1a\n", "HDF5"},
        Foreign{"zeros", std::string(100, '\0'), "zero bytes"},
        Foreign{"noise", "hello world", "formats"}),
    [](const auto& test) {
      std::string name = test.param.what;
      for (char& c : name) c = c == ' ' ? '_' : c;
      return name;
    });

// Formats without a mark of their own are named by the file's name where the content allows it.
TEST(ModelFormats, NamesDecideWhereContentDoesNot) {
  const std::string flat("\x20\0\0\0\0\0\x1a\0\x04\0", 10);
  const auto says = [&](std::string_view name) {
    return DescribeForeign({flat, flat.size(), std::string(name)});
  };
  EXPECT_NE(says("模型.mnn").find("MNN"), std::string::npos);
  EXPECT_NE(says("m.engine").find("exportLayerInfo"), std::string::npos);
  EXPECT_NE(says("m.tmfile").find("Tengine"), std::string::npos);
  EXPECT_NE(says("m.ckpt.data-00000-of-00001").find("checkpoint"), std::string::npos);
  EXPECT_NE(says("m.dat").find("formats"), std::string::npos);
  EXPECT_NE(DescribeForeignFolder({"assets", "saved_model.pb", "variables"}).find("tf2onnx"),
            std::string::npos);
  EXPECT_EQ(DescribeForeignFolder({"a", "b"}), "");
}

TEST(ModelFormats, ForeignFormatsSayTheWay) {
  std::set<std::string_view> ids;
  for (const ForeignFormat& format : ForeignFormats()) {
    EXPECT_TRUE(ids.insert(format.id).second) << format.id;
    EXPECT_FALSE(format.title.empty() || format.endings.empty() || format.way.empty()) << format.id;
  }
}

TEST(ModelFormats, AModelWithoutGraphIsNamed) {
  // ir_version 8, producer "pytorch", opset 17
  const Error error = ReadError(std::string("\x08\x08\x12\x07pytorch\x42\x02\x10\x11", 15));
  EXPECT_EQ(error.code, "onnx.no-graph");
  EXPECT_EQ(error.place, "dir/m.bin: byte 15");
}

TEST(ModelFormats, AFormatMayBeForced) {
  const Error error = ReadError("hello", "onnx");
  EXPECT_EQ(error.code.substr(0, 5), "onnx.");
  const Error unknown = ReadError("hello", "onxn");
  EXPECT_EQ(unknown.code, "input.format-name");
  EXPECT_NE(unknown.message.find("nearest: onnx"), std::string::npos) << unknown.message;
  const std::string any = ReadError("hello", "?").message;
  EXPECT_EQ(any.rfind("no model format is called '?'; nearest: onnx", 0), 0U) << any;
}

TEST(ModelFormats, OnnxIsFoundByItsFields) {
  const std::string bytes =
      testing::BytesOf("input x float32 [1]\nnode Relu (x) -> (y)\noutput y\n");
  const ModelFormat& onnx = ModelFormats()[0];
  EXPECT_EQ(onnx.probe(bytes, bytes.size()), Match::kYes);
  // A large model shows only its beginning.
  const std::string large = testing::BytesOf("init w float32 [200,200]\n");
  EXPECT_EQ(onnx.probe(std::string_view(large).substr(0, 65536), large.size()), Match::kYes);
  // Without an IR version it may be one.
  EXPECT_EQ(onnx.probe(std::string_view(bytes).substr(2), bytes.size() - 2), Match::kMaybe);
  EXPECT_EQ(onnx.probe("plain text", 10), Match::kNo);
}

TEST(ModelFormats, AGuessIsLogged) {
  const std::string bytes = testing::BytesOf("input x float32 [1]\noutput x\n").substr(2);
  ImportLog log;
  ASSERT_TRUE(testing::ReadBytes(bytes, log).has_value());
  EXPECT_EQ(log.issues().at(0).code, "input.format-guess");
}

}  // namespace
}  // namespace opscope
