// A stand-in for an engine program. It speaks the protocol by hand, from docs/engine-protocol.md
// and not through the library that real engines share, and does one thing wrong: what its name
// says. "steady" and "slow" do nothing wrong: every run takes one millisecond, or so they say.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view kPrefix = "opscope-engine-double-";
constexpr long long kRunNanos = 1'000'000;
constexpr long long kProfiledNanos = 1'100'000;

bool Is(std::string_view mode) {
  return std::string_view(program_invocation_short_name) == std::string(kPrefix).append(mode);
}

void Say(const std::string& line) { std::cout << line << '\n' << std::flush; }

[[noreturn]] void Hang() {
  for (;;) pause();
}

[[noreturn]] void Crash() {
  std::cerr << "about to do something stupid" << std::endl;
  signal(SIGSEGV, SIG_DFL);  // sanitizers catch it otherwise
  raise(SIGSEGV);
  abort();
}

// Takes and touches memory until somebody objects; not so fast that a test machine suffers.
[[noreturn]] void Eat() {
  constexpr std::size_t kBlock = 8 << 20;
  for (std::vector<char*> blocks;; usleep(2000)) {
    blocks.push_back(new char[kBlock]);
    memset(blocks.back(), 1, kBlock);
  }
}

[[noreturn]] void LeaveGrandchild() {
  if (const pid_t child = fork(); child != 0) {
    std::cerr << "grandchild " << child << std::endl;
    Crash();
  }
  Hang();
}

// The value after "key": in a flat JSON line: enough for requests of our own.
std::string Field(const std::string& line, const std::string& key) {
  std::size_t at = line.find("\"" + key + "\":");
  if (at == std::string::npos) return {};
  at += key.size() + 3;
  const bool text = line[at] == '"';
  const std::size_t begin = text ? at + 1 : at;
  return line.substr(begin, line.find_first_of(text ? "\"" : ",}", begin) - begin);
}

void Answer(const std::string& id, const std::string& body) {
  Say("{\"id\":" + id + ",\"ok\":{" + body + "}}");
}

void Hello(const std::string& id) {
  if (Is("crash-start")) Crash();
  if (Is("hang-start")) Hang();
  if (Is("garbage")) Say("Loading model... \x1b[31m\x80\xff done");
  if (Is("half-line")) {
    std::cout << "{\"id\":1,\"ok\":{\"proto" << std::flush;
    exit(0);
  }
  if (Is("silent-end")) exit(0);
  if (Is("closed-output")) {
    close(STDOUT_FILENO);
    Hang();
  }
  if (Is("endless-line"))
    for (const std::string block(1 << 16, 'x');;) std::cout << block << std::flush;
  Answer(id, std::string("\"protocol\":") + (Is("wrong-version") ? "99" : "1") +
                 ",\"engine\":\"double\"");
}

std::string profile_prefix;

void Load(const std::string& id, const std::string& line) {
  if (Is("crash-load")) Crash();
  if (Is("hang-load")) Hang();
  if (Is("eat-load")) Eat();
  if (Is("grandchild")) LeaveGrandchild();
  if (Is("refuse"))
    return Say("{\"id\":" + id +
               ",\"error\":{\"code\":\"refused\",\"message\":\"unsupported opset 99\"}}");
  if (Is("wrong-id")) return Answer("77", "");
  if (Is("flood"))
    for (const std::string noise(4096, '!');;) std::cerr << noise;
  profile_prefix = Field(line, "profile_prefix");
  if (const std::string model = Field(line, "optimized_model"); !model.empty())
    close(open(model.c_str(), O_CREAT | O_WRONLY, 0600));
  Answer(
      id,
      "\"name\":\"double\",\"version\":\"1.2.3\",\"providers\":[\"CPUExecutionProvider\"],"
      "\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"kind\":\"tensor\",\"shape\":[\"N\",3],"
      "\"run_shape\":[1,3],\"fill\":\"standard normal\"}],\"outputs\":[],\"load_ns\":5000000");
}

void Samples(const std::string& id, long long runs) {
  const std::string wall = std::to_string(profile_prefix.empty() ? kRunNanos : kProfiledNanos);
  std::string list;
  for (long long run = 0; run < runs; ++run) list += (run ? "," : "") + wall;
  Say("{\"id\":" + id + ",\"samples\":{\"wall_ns\":[" + list + "],\"cpu_ns\":[" + list + "]}}");
}

void Run(const std::string& id, const std::string& line) {
  const long long runs = std::stoll(Field(line, "min_runs"));
  static int requests = 0;
  const bool later = ++requests > 1;  // the first request is a single warm-up run
  if (Is("wrong-count")) {
    Samples(id, runs + 1);
  } else if (later && (Is("crash-run") || Is("hang-run") || Is("eat-run") || Is("exit-run"))) {
    Samples(id, 1);
    if (Is("crash-run")) Crash();
    if (Is("hang-run")) Hang();
    if (Is("eat-run")) Eat();
    std::cerr << "\x1b[1;31mfatal: the driver has gone\x1b[0m" << std::endl;
    exit(3);
  }
  Samples(id, runs);
  Answer(id, "\"waited_ns\":0");
}

void EndProfile(const std::string& id) {
  if (Is("no-profile"))
    return Say("{\"id\":" + id +
               ",\"error\":{\"code\":\"refused\",\"message\":\"no profiler in this build\"}}");
  const std::string path = profile_prefix + ".json";
  close(open(path.c_str(), O_CREAT | O_WRONLY, 0600));
  Answer(id, "\"path\":\"" + path + "\",\"start_ns\":\"1796062406201077532\"");
}

}  // namespace

int main() {
  if (Is("deaf")) Hang();
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::string id = Field(line, "id"), op = Field(line, "op");
    if (Is("slow")) usleep(150'000);
    if (Is("chatty")) std::cerr << "verbose: handling " << op << std::endl;
    if (op == "hello") Hello(id);
    if (op == "load") Load(id, line);
    if (op == "run") Run(id, line);
    if (op == "end_profile") EndProfile(id);
    if (op == "outputs")
      Answer(id, "\"outputs\":[{\"name\":\"y\",\"dtype\":\"float32\",\"shape\":[1,2]}]");
    if (op == "stop") {
      if (Is("hang-stop")) Hang();
      Answer(id, "");
      return 0;
    }
  }
  return 0;
}
