#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/locate.h"

namespace opscope {
namespace {

namespace fs = std::filesystem;

// A folder of files for one test.
class Locate : public testing::Test {
 protected:
  Locate() : root_(testing::TempDir() + "/locate-" + std::to_string(getpid())) {
    fs::create_directories(root_);
    Touch("bin/opscope-engine-ort", true);
    search_.program_folders = {root_ + "/nothing", root_ + "/bin"};
  }
  ~Locate() override { fs::remove_all(root_); }

  void Touch(const std::string& name, bool executable = false) {
    const fs::path path = fs::path(root_) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "x";
    if (executable) fs::permissions(path, fs::perms::owner_all);
  }
  // "origin: path below the root", or "code".
  std::string Find() {
    const auto found = LocateEngine(*FindEngine("ort"), search_);
    if (!found.has_value()) return found.error().code;
    return found->origin + ": " + found->library.substr(root_.size() + 1);
  }

  std::string root_;
  EngineSearch search_;
};

TEST_F(Locate, TheOrderOfPlaces) {
  search_.setup_folders = {root_ + "/setup"};
  search_.site_packages = {root_ + "/site"};
  search_.system_folders = {root_ + "/lib"};
  search_.node_modules = {root_ + "/node_modules"};
  EXPECT_EQ(Find(), "engine.missing");
#if defined(__x86_64__)
  const std::string npm = "node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1";
  Touch(npm);
  EXPECT_EQ(Find(), "npm package: " + npm);
#endif
  Touch("lib/libonnxruntime.so.1.19.2");
  EXPECT_EQ(Find(), "system: lib/libonnxruntime.so.1.19.2");
  Touch("site/onnxruntime/capi/libonnxruntime.so.1.23.0");
  EXPECT_EQ(Find(), "Python package: site/onnxruntime/capi/libonnxruntime.so.1.23.0");
  Touch("setup/libonnxruntime.so.1.32.0");
  EXPECT_EQ(Find(), "set-up: setup/libonnxruntime.so.1.32.0");
  Touch("named/libonnxruntime.so");
  search_.library_variable = root_ + "/named/libonnxruntime.so";
  EXPECT_EQ(Find(), "OPSCOPE_ORT_LIBRARY: named/libonnxruntime.so");
  Touch("option/my-build.so");
  search_.library_option = root_ + "/option/my-build.so";
  EXPECT_EQ(Find(), "--ort-library: option/my-build.so");
}

TEST_F(Locate, TheNewestOfAFolder) {
  for (const char* name :
       {"libonnxruntime.so.1.9.0", "libonnxruntime.so.1.10.0", "libonnxruntime.so",
        "libonnxruntime_providers_shared.so", "libonnxruntime.so.1.10.0.txt"})
    Touch(std::string("setup/") + name);
  fs::create_directories(root_ + "/setup/libonnxruntime.so.2.0.0");  // a folder is no library
  fs::remove(root_ + "/setup/libonnxruntime.so.1.10.0.txt");
  search_.setup_folders = {root_ + "/setup"};
  EXPECT_EQ(Find(), "set-up: setup/libonnxruntime.so.1.10.0");
}

TEST_F(Locate, ANamedFolderIsSearched) {
  Touch("opt/libonnxruntime.so.1.20.1");
  search_.library_option = root_ + "/opt";
  EXPECT_EQ(Find(), "--ort-library: opt/libonnxruntime.so.1.20.1");
}

TEST_F(Locate, ANamedFileThatIsNotThereIsNotPassedOver) {
  Touch("setup/libonnxruntime.so.1.32.0");
  search_.setup_folders = {root_ + "/setup"};
  search_.library_variable = root_ + "/gone.so";
  const auto found = LocateEngine(*FindEngine("ort"), search_);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, "engine.missing");
  EXPECT_NE(found.error().message.find("OPSCOPE_ORT_LIBRARY names '" + root_ + "/gone.so'"),
            std::string::npos);
}

TEST_F(Locate, AProgramThatIsNotThereIsNamed) {
  search_.program_folders = {root_ + "/nothing"};
  const auto found = LocateEngine(*FindEngine("ort"), search_);
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().message.find("opscope-engine-ort"), std::string::npos);
}

TEST_F(Locate, SitePackagesOfAnInterpreter) {
  fs::create_directories(root_ + "/venv/lib/python3.11/site-packages");
  const auto found = SitePackagesOf(root_ + "/venv/bin/python");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0], root_ + "/venv/lib/python3.11/site-packages");
  EXPECT_TRUE(SitePackagesOf("python").empty());
}

TEST(Engines, TheListIsFound) {
  EXPECT_EQ(FindEngine("tensorrt"), nullptr);
  for (const EngineInfo& engine : kEngines) EXPECT_EQ(FindEngine(engine.id), &engine);
}

// A folder in engines/ and a line in kEngines belong together.
TEST(Engines, FoldersAndListAgree) {
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(std::string(OPSCOPE_SOURCE_DIR) + "/engines")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || name == "common") continue;
    ++folders;
    EXPECT_NE(FindEngine(name), nullptr) << "engines/" << name << " is not in kEngines";
  }
  EXPECT_EQ(folders, kEngines.size());
}

}  // namespace
}  // namespace opscope
