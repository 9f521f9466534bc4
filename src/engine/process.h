// A child process that is spoken to in lines, watched, and never left behind.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace opscope {

struct ProcessLimits {
  std::int64_t memory_bytes = 0;      // resident; 0 = no limit
  std::size_t line_bytes = 16 << 20;  // longest line the child may write
};

// How a child ended.
struct ProcessEnd {
  int signal = 0;  // 0 = it ended by itself, with `code`
  int code = 0;
};

// Runs a program with its standard input, output and error connected to us, in a process group of
// its own that is killed as a whole. Not copyable, not movable: it is tied to the thread that made
// it (the kernel kills the child when that thread ends).
class ChildProcess {
 public:
  explicit ChildProcess(const ProcessLimits& limits, const std::atomic<bool>* stop)
      : limits_(limits), stop_(stop) {}
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { Kill(); }

  // argv[0] is the program's path. Errors: engine.missing.
  Result<void> Start(const std::vector<std::string>& argv);
  // One line, written and read without its '\n'. `patience`: the longest time without progress.
  // Errors: engine.crash (how it ended), engine.timeout, engine.memory, engine.interrupted,
  // engine.protocol (a line that is too long). After any of them the child is dead.
  Result<void> WriteLine(std::string_view line, Nanos patience);
  Result<std::string> ReadLine(Nanos patience);
  // Waits for the child's own end for at most `patience`, then kills it.
  void WaitForEnd(Nanos patience);
  // Kills the child and its group and reaps it.
  void Kill();

  bool alive() const { return pid_ > 0; }
  // The largest resident size seen.
  std::int64_t peak_resident_bytes() const { return peak_bytes_; }
  // The last 2 KiB of its standard error, fit to print on one line.
  std::string ErrorTail() const;
  void UpdatePeak();

 private:
  Result<void> Watch();
  bool HasEnded() const;
  void DrainError();
  bool FillOutput();
  Error Ended();
  Error Give(std::string code, std::string message);
  void CloseAll();

  ProcessLimits limits_;
  const std::atomic<bool>* stop_ = nullptr;
  int pid_ = 0;
  int in_ = -1, out_ = -1, err_ = -1;
  std::string output_;  // read, not yet handed out
  std::size_t scanned_ = 0;
  std::string error_tail_;
  std::int64_t peak_bytes_ = 0;
  std::optional<ProcessEnd> end_;  // when it ended by itself, not by us
};

// "killed by SIGSEGV (Segmentation fault)", "ended with exit code 3".
std::string Describe(const ProcessEnd& end);

}  // namespace opscope
