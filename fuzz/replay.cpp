// Stands in for libFuzzer where there is none: feeds the seeds of a folder to the target, then each
// seed cut short and with bytes changed, at places that are the same on every machine. A crash
// names the seed and the damage, so that it can be kept as a seed of its own.
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

// What is being fed, for the signal handler (the one thing here that a handler may read).
char current_input[512] = "";

constexpr std::size_t kMaxCuts = 600;
constexpr std::size_t kMaxPlaces = 400;
// Sign bits, length bytes, JSON's structure and digits: what readers decide on.
constexpr std::uint8_t kValues[] = {0x00, 0x7f, 0x80, 0xff, '"', '{', '-', '9'};

extern "C" void OnCrash(int signal) {
  constexpr char kText[] = "crashed on: ";
  (void)!write(STDERR_FILENO, kText, sizeof kText - 1);
  std::size_t length = 0;
  while (length < sizeof current_input && current_input[length] != '\0') ++length;
  (void)!write(STDERR_FILENO, current_input, length);
  (void)!write(STDERR_FILENO, "\n", 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void Feed(const std::string& seed, const char* damage, std::size_t place, const Bytes& bytes) {
  std::snprintf(current_input, sizeof current_input, "%s, %s %zu", seed.c_str(), damage, place);
  // A copy of the exact size on the heap: a sanitizer sees a read past the end.
  const Bytes exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

// Every place when there are few, evenly spread ones otherwise.
std::size_t Stride(std::size_t size, std::size_t limit) { return size / limit + 1; }

void FeedCuts(const std::string& seed, const Bytes& whole) {
  for (std::size_t size = 0; size < whole.size(); size += Stride(whole.size(), kMaxCuts)) {
    Feed(seed, "cut to bytes", size,
         Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
  }
}

void FeedChanges(const std::string& seed, const Bytes& whole) {
  Bytes bytes = whole;
  for (std::size_t i = 0; i < whole.size(); i += Stride(whole.size(), kMaxPlaces)) {
    for (const std::uint8_t value : kValues) {
      bytes[i] = value;
      Feed(seed, "changed at byte", i, bytes);
    }
    bytes[i] = static_cast<std::uint8_t>(whole[i] ^ 1U);
    Feed(seed, "flipped at byte", i, bytes);
    bytes[i] = whole[i];
  }
}

Bytes ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
    return 2;
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, OnCrash);

  Feed("the empty input", "size", 0, {});
  std::size_t seeds = 0;
  std::error_code no_folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1], no_folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().filename().string();
    const Bytes whole = ReadFile(entry.path());
    Feed(name, "whole, bytes", whole.size(), whole);
    FeedCuts(name, whole);
    FeedChanges(name, whole);
    ++seeds;
  }
  if (seeds == 0) {
    std::fprintf(stderr, "%s: no seeds\n", argv[1]);
    return 1;
  }
  std::printf("%zu seeds, each whole, cut and changed\n", seeds);
  return EXIT_SUCCESS;
}
