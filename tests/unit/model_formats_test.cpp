// The list of formats, finding the right one, and what is said of files that are something else.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

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
        Foreign{"tflite", std::string("\x1c\0\0\0TFL3\x14\0\0\0", 12), "TensorFlow Lite"},
        Foreign{"ort", std::string("\x1c\0\0\0ORTM\x14\0\0\0", 12), "ORT format"},
        Foreign{"torch", "PK\x03\x04" + std::string(30, 'a'), "torch.onnx.export"},
        Foreign{"pickle", "\x80\x02}q\x01", "torch.onnx.export"},
        Foreign{"engine", "ftrt" + std::string(30, '\x01'), "TensorRT engine"},
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
