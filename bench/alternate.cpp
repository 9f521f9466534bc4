// opscope-alternate N -- COMMAND… -- COMMAND…
//
// Runs the commands in turn, N rounds, their output thrown away, and prints a line a run:
// index of the command, wall time in ns, largest resident size in KiB, CPU time in ns. In turn, so
// that a slow moment of the machine meets all of them; a program of its own, because the kernel
// counts the size of the process that started a command as that command's.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

using Command = std::vector<char*>;  // ends with nullptr, as execvp wants it

std::vector<Command> SplitCommands(int argc, char** argv) {
  std::vector<Command> commands;
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--") {
      commands.emplace_back();
    } else if (!commands.empty()) {
      commands.back().push_back(argv[i]);
    }
  }
  for (Command& command : commands) command.push_back(nullptr);
  return commands;
}

[[noreturn]] void BecomeQuietly(const Command& command) {
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  execvp(command[0], command.data());
  std::perror(command[0]);
  std::_Exit(127);
}

long long NanosOf(const timeval& time) {
  return static_cast<long long>(time.tv_sec) * 1'000'000'000 + time.tv_usec * 1000LL;
}

bool RunOnce(std::size_t index, const Command& command) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) BecomeQuietly(command);
  int status = 0;
  rusage usage = {};
  if (wait4(child, &status, 0, &usage) != child) return false;
  const std::chrono::nanoseconds wall = std::chrono::steady_clock::now() - begin;
  std::printf("%zu %lld %ld %lld\n", index, static_cast<long long>(wall.count()), usage.ru_maxrss,
              NanosOf(usage.ru_utime) + NanosOf(usage.ru_stime));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 0;
  const std::vector<Command> commands = SplitCommands(argc, argv);
  if (rounds < 1 || commands.empty()) {
    std::fprintf(stderr, "usage: %s ROUNDS -- COMMAND… [-- COMMAND…]\n", argv[0]);
    return 2;
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      if (!RunOnce(i, commands[i])) {
        std::fprintf(stderr, "%s failed\n", commands[i][0]);
        return 1;
      }
    }
  }
  return 0;
}
