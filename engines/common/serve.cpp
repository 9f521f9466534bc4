#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <new>

#include "engines/common/clock.h"
#include "engines/common/engine.h"
#include "engines/common/request.h"

namespace opscope::child {
namespace {

constexpr std::size_t kMostLine = 16 << 20;
constexpr std::size_t kSamplesALine = 1024;
constexpr std::int64_t kReportEvery = 100'000'000;  // ns

// Requests from standard input; answers to what was standard output. Libraries that print to
// standard output reach standard error instead, and cannot break a line of ours.
class Channel {
 public:
  Channel() : out_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) { dup2(STDERR_FILENO, STDOUT_FILENO); }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() { close(out_); }

  // False at the end of the input or when a line is too long to be one of ours.
  bool ReadLine(std::string& line) {
    for (;;) {
      const std::size_t end = buffer_.find('\n');
      if (end != std::string::npos) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return true;
      }
      if (buffer_.size() > kMostLine) return false;
      std::array<char, 64 << 10> block;
      const ssize_t got = read(STDIN_FILENO, block.data(), block.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      buffer_.append(block.data(), static_cast<std::size_t>(got));
    }
  }
  void Write(std::string_view line) {
    while (!line.empty()) {
      const ssize_t count = write(out_, line.data(), line.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) _exit(1);  // nobody listens any more
      line.remove_prefix(static_cast<std::size_t>(count));
    }
  }

 private:
  int out_;
  std::string buffer_;
};

Result<void> RunUntimed(std::int64_t runs, const Loaded& model) {
  for (std::int64_t run = 0; run < runs; ++run) {
    if (model.prepare) model.prepare();
    TRY(model.run());
  }
  return {};
}

// Runs until `limits` say so: never more than max_runs or, after the first run, max_time; not
// before both min_runs and min_time. Samples go out between runs, where they disturb no clock.
Result<void> RunModel(const Request& request, const Loaded& model, Channel& channel) {
  const RunLimits& limits = request.run;
  std::vector<std::int64_t> wall, cpu;
  wall.reserve(kSamplesALine);
  cpu.reserve(kSamplesALine);
  TRY(RunUntimed(limits.lead_runs, model));
  const std::int64_t begin = WallNanos();
  std::int64_t reported = begin;
  for (std::int64_t runs = 1;; ++runs) {
    if (model.prepare) model.prepare();
    const std::int64_t cpu_before = CpuNanos();
    const std::int64_t before = WallNanos();
    const auto result = model.run();
    const std::int64_t after = WallNanos();
    cpu.push_back(CpuNanos() - cpu_before);
    wall.push_back(after - before);
    if (!result.has_value()) return result.error();

    const std::int64_t passed = after - begin;
    const bool enough = runs >= limits.min_runs && passed >= limits.min_time_ns;
    const bool last = enough || runs >= limits.max_runs || passed >= limits.max_time_ns;
    if (last || wall.size() >= kSamplesALine || after - reported >= kReportEvery) {
      channel.Write(SamplesLine(request.id, wall, cpu));
      wall.clear();
      cpu.clear();
      reported = WallNanos();
    }
    if (last) return {};
  }
}

Error NotLoaded() { return {"protocol", "no model is loaded", ""}; }

class Server {
 public:
  Server(const Engine& engine, Channel& channel) : engine_(engine), channel_(channel) {}

  // The answer to a request; foreign exceptions end here.
  std::string Answer(const Request& request) {
    try {
      auto answer = Dispatch(request);
      return answer.has_value() ? *answer : ErrorAnswer(request.id, answer.error());
    } catch (const std::bad_alloc&) {
      return ErrorAnswer(request.id, {"memory", "an allocation failed: out of memory", ""});
    } catch (const std::exception& foreign) {
      return ErrorAnswer(request.id, {"refused", foreign.what(), ""});
    }
  }

 private:
  Result<std::string> Dispatch(const Request& request) {
    if (request.op == "hello") return HelloAnswer(request.id, engine_.id);
    if (request.op == "stop") return PlainAnswer(request.id);
    if (request.op == "load") return Load(request);
    if (request.op == "about" && engine_.about != nullptr) {
      TRY_ASSIGN(const Description about, engine_.about(request.load));
      return LoadAnswer(request.id, about, 0);
    }
    if (!model_) return NotLoaded();
    if (request.op == "run") return Run(request);
    if (request.op == "outputs") {
      if (!model_->outputs) return Unsupported(request.op);
      TRY_ASSIGN(const std::vector<Output> outputs, model_->outputs());
      return OutputsAnswer(request.id, outputs);
    }
    if (request.op == "end_profile" && model_->end_profile) {
      TRY_ASSIGN(const Profile profile, model_->end_profile());
      return ProfileAnswer(request.id, profile);
    }
    return Unsupported(request.op);
  }
  static Error Unsupported(const std::string& op) {
    return {"protocol", "this engine does not know '" + op + "'", ""};
  }
  Result<std::string> Load(const Request& request) {
    const std::int64_t begin = WallNanos();
    TRY_ASSIGN(model_, engine_.load(request.load));
    return LoadAnswer(request.id, model_->description, WallNanos() - begin);
  }
  Result<std::string> Run(const Request& request) {
    const auto waited_before = WaitedNanos();
    TRY(RunModel(request, *model_, channel_));
    const auto waited_after = WaitedNanos();
    std::optional<std::int64_t> waited;
    // Threads that ended meanwhile take their count with them.
    if (waited_before && waited_after && *waited_after >= *waited_before)
      waited = *waited_after - *waited_before;
    return RunAnswer(request.id, waited);
  }

  const Engine& engine_;
  Channel& channel_;
  std::optional<Loaded> model_;
};

}  // namespace

int Serve(const Engine& engine) {
  Channel channel;
  Server server(engine, channel);
  std::string line;
  while (channel.ReadLine(line)) {
    const auto request = ParseRequest(line);
    if (!request.has_value()) {
      channel.Write(ErrorAnswer(0, request.error()));
      continue;
    }
    channel.Write(server.Answer(*request));
    // Runtimes take their time to tear down, and some crash at it: nobody needs them to.
    if (request->op == "stop") _exit(0);
  }
  return 0;
}

}  // namespace opscope::child
