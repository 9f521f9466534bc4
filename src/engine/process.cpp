#include "engine/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "base/text.h"
#include "engine/memory.h"

// Sanitizers reserve terabytes of address space at start; a limit on data would kill such a child.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OPSCOPE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OPSCOPE_SANITIZED 1
#endif
#endif

namespace opscope {
namespace {

constexpr int kStepMs = 20;               // how often limits and the stop flag are looked at
constexpr std::size_t kTailBytes = 2048;  // of standard error that is kept
constexpr std::size_t kReadBytes = 64 << 10;

Nanos Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec};
}

void CloseFile(int& file) {
  if (file >= 0) close(file);
  file = -1;
}

struct Ends {
  int ours = -1;
  int theirs = -1;
};

// Above 2, where a program that was started without standard files would get them: the child moves
// its ends to 0, 1 and 2.
int AboveStandard(int file) {
  if (file < 0 || file > STDERR_FILENO) return file;
  const int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(file);
  return moved;
}

Ends MakePipe() {
  std::array<int, 2> ends = {-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  return {AboveStandard(ends[0]), AboveStandard(ends[1])};
}

// Requests travel over a socket, not a pipe: writing to a dead child is then an error code and not
// a SIGPIPE for the whole program.
Ends MakeSocket() {
  std::array<int, 2> ends = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
  return {AboveStandard(ends[0]), AboveStandard(ends[1])};
}

void SetNonBlocking(int file) { fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK); }

// What the child needs between fork and exec, made before the fork: after it only
// async-signal-safe calls are allowed.
struct ChildPlan {
  std::vector<char*> argv;
  int in = -1, out = -1, err = -1, report = -1;
  int parent = 0;
  std::int64_t memory_bytes = 0;
};

void LimitData([[maybe_unused]] std::int64_t bytes) {
#ifndef OPSCOPE_SANITIZED
  // A backstop for what grows faster than our steps; reserved but untouched memory counts as well,
  // hence the slack.
  const auto limit = static_cast<rlim_t>(bytes) + static_cast<rlim_t>(bytes / 4) + (1U << 30);
  const rlimit data{limit, limit};
  setrlimit(RLIMIT_DATA, &data);
#endif
}

[[noreturn]] void RunChild(const ChildPlan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);  // the parent had gone before the line above
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (plan.memory_bytes > 0) LimitData(plan.memory_bytes);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(plan.in, STDIN_FILENO);
  dup2(plan.out, STDOUT_FILENO);
  dup2(plan.err, STDERR_FILENO);
#ifdef SYS_close_range
  constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC: files others left open
  syscall(SYS_close_range, 3U, ~0U, kCloseOnExec);
#endif
  execv(plan.argv[0], plan.argv.data());
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = write(plan.report, &reason, sizeof reason);
  _exit(127);
}

// Escape sequences of coloured logs: ESC '[' … letter.
std::string WithoutEscapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      out += text[i];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '[') ++i;
    while (i + 1 < text.size() && !(text[i + 1] >= '@' && text[i + 1] <= '~')) ++i;
    ++i;
  }
  return out;
}

std::string Mebibytes(std::int64_t bytes) {
  return std::to_string((bytes + (1 << 19)) >> 20) + " MiB";
}

}  // namespace

std::string Describe(const ProcessEnd& end) {
  if (end.signal == 0) return "ended with exit code " + std::to_string(end.code);
  const char* abbreviation = sigabbrev_np(end.signal);
  const char* words = sigdescr_np(end.signal);
  std::string out = "was killed by ";
  out += abbreviation ? "SIG" + std::string(abbreviation) : "signal " + std::to_string(end.signal);
  if (words) out += " (" + std::string(words) + ")";
  if (end.signal == SIGKILL) out += ", which is what the kernel does when memory runs out";
  return out;
}

Result<void> ChildProcess::Start(const std::vector<std::string>& argv) {
  Ends in = MakeSocket(), out = MakePipe(), err = MakePipe(), report = MakePipe();
  in_ = in.ours, out_ = out.ours, err_ = err.ours;
  ChildPlan plan{.argv = {},
                 .in = in.theirs,
                 .out = out.theirs,
                 .err = err.theirs,
                 .report = report.theirs,
                 .parent = getpid(),
                 .memory_bytes = limits_.memory_bytes};
  for (const std::string& argument : argv) plan.argv.push_back(const_cast<char*>(argument.c_str()));
  plan.argv.push_back(nullptr);
  const bool connected = in.theirs >= 0 && out.theirs >= 0 && err.theirs >= 0 && report.theirs >= 0;
  pid_ = connected ? fork() : -1;
  if (pid_ == 0) RunChild(plan);
  int reason = pid_ < 0 ? errno : 0;
  for (int* file : {&in.theirs, &out.theirs, &err.theirs, &report.theirs}) CloseFile(*file);
  if (pid_ > 0) {
    setpgid(pid_, pid_);
    // Nothing arrives when exec succeeds: the pipe closes with it.
    if (read(report.ours, &reason, sizeof reason) != sizeof reason) reason = 0;
  }
  CloseFile(report.ours);
  if (reason != 0) {
    Kill();
    return Error{"engine.missing", "cannot start '" + argv[0] + "': " + strerror(reason), ""};
  }
  for (const int file : {in_, out_, err_}) SetNonBlocking(file);
  return {};
}

// Looks at everything that ends a child from outside: the stop flag, its memory, its own end.
Result<void> ChildProcess::Watch() {
  DrainError();
  if (stop_ && stop_->load(std::memory_order_relaxed))
    return Give("engine.interrupted", "interrupted");
  const auto resident = ResidentBytes(pid_);
  if (resident) peak_bytes_ = std::max(peak_bytes_, *resident);
  if (limits_.memory_bytes > 0 && resident && *resident > limits_.memory_bytes)
    return Give("engine.memory", "it used " + Mebibytes(*resident) + ", more than the limit of " +
                                     Mebibytes(limits_.memory_bytes) +
                                     " (--memory-limit changes it), and was stopped");
  return {};
}

Result<void> ChildProcess::WriteLine(std::string_view line, Nanos patience) {
  if (!alive()) return Ended();
  std::string bytes(line);
  bytes += '\n';
  std::size_t sent = 0;
  Nanos deadline = Now() + patience;
  while (sent < bytes.size()) {
    const ssize_t count = send(in_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
      deadline = Now() + patience;
      continue;
    }
    if (count < 0 && errno != EAGAIN && errno != EINTR) return Ended();
    TRY(Watch());
    if (Now() > deadline) return Give("engine.timeout", "it does not read its requests");
    pollfd wait{in_, POLLOUT, 0};
    poll(&wait, 1, kStepMs);
  }
  return {};
}

// Reads what is there; false at the end of the stream.
bool ChildProcess::FillOutput() {
  std::array<char, kReadBytes> buffer;
  const ssize_t got = read(out_, buffer.data(), buffer.size());
  if (got > 0) output_.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

Result<std::string> ChildProcess::ReadLine(Nanos patience) {
  const Nanos deadline = Now() + patience;  // for a whole line: a dribble is no sign of life
  Nanos next_look;  // limits are looked at every step, however chatty the child is
  while (alive()) {
    const std::size_t end = output_.find('\n', scanned_);
    if (end != std::string::npos) {
      std::string line = output_.substr(0, end);
      output_.erase(0, end + 1);
      scanned_ = 0;
      return line;
    }
    scanned_ = output_.size();
    if (output_.size() > limits_.line_bytes)
      return Give("engine.protocol",
                  "it wrote a line of more than " + std::to_string(limits_.line_bytes) + " bytes");
    if (Now() >= next_look) {
      TRY(Watch());
      next_look = Now() + Nanos{kStepMs * 1'000'000};
    }
    if (Now() > deadline) {
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%.3g", static_cast<double>(patience.value) / 1e9);
      return Give("engine.timeout", "no sign of life for " + std::string(seconds) +
                                        " s (--time-limit changes it); it was stopped");
    }
    std::array<pollfd, 2> wait = {pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
    // A closed standard error would make poll return at once for ever.
    poll(wait.data(), err_ >= 0 ? 2 : 1, kStepMs);
    if (wait[0].revents != 0) {
      if (!FillOutput()) return Ended();
      continue;
    }
    // A grandchild may hold the pipe open after the child's end.
    if (HasEnded() && (!FillOutput() || output_.size() == scanned_)) return Ended();
  }
  return Ended();
}

void ChildProcess::DrainError() {
  std::array<char, kReadBytes> buffer;
  constexpr int kMostReads = 16;  // a child that writes without end must not hold us here
  for (int i = 0; i < kMostReads && err_ >= 0; ++i) {
    const ssize_t got = read(err_, buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) CloseFile(err_);
    if (got <= 0) return;
    error_tail_.append(buffer.data(), static_cast<std::size_t>(got));
    if (error_tail_.size() > kTailBytes) error_tail_.erase(0, error_tail_.size() - kTailBytes);
  }
}

std::string ChildProcess::ErrorTail() const {
  std::string out = Printable(WithoutEscapes(error_tail_));
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

void ChildProcess::UpdatePeak() {
  if (!alive()) return;
  peak_bytes_ = std::max(peak_bytes_, PeakResidentBytes(pid_).value_or(0));
}

bool ChildProcess::HasEnded() const {
  siginfo_t gone{};
  return waitid(P_PID, static_cast<id_t>(pid_), &gone, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         gone.si_pid == pid_;
}

void ChildProcess::WaitForEnd(Nanos patience) {
  const Nanos deadline = Now() + patience;
  while (alive() && !HasEnded() && Now() < deadline) {
    DrainError();
    FillOutput();
    output_.clear();
    poll(nullptr, 0, 1);
  }
  Kill();
}

void ChildProcess::Kill() {
  if (pid_ > 0) {
    const bool by_itself = HasEnded();
    // The group first, while the child, even dead, still keeps its number from being used again.
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    DrainError();
    if (by_itself)
      end_ = WIFSIGNALED(status) ? ProcessEnd{WTERMSIG(status), 0}
                                 : ProcessEnd{0, WEXITSTATUS(status)};
  }
  pid_ = 0;
  CloseAll();
}

void ChildProcess::CloseAll() {
  for (int* file : {&in_, &out_, &err_}) CloseFile(*file);
}

// The stream has ended: how did the child?
Error ChildProcess::Ended() {
  constexpr Nanos kGrace{1'000'000'000};  // between closing its output and its end
  if (alive()) WaitForEnd(kGrace);
  if (!end_) return Give("engine.protocol", "it closed its output and went on");
  if (end_->signal == 0 && end_->code == 0)
    return Give("engine.protocol", "it ended without an answer");
  return Give("engine.crash", "it " + Describe(*end_));
}

Error ChildProcess::Give(std::string code, std::string message) {
  Kill();
  const std::string tail = ErrorTail();
  if (!tail.empty() && code != "engine.interrupted") message += "; it wrote: " + tail;
  return {std::move(code), std::move(message), ""};
}

}  // namespace opscope
