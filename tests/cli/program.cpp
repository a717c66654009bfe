#include "tests/cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace dcpbench::tests {

namespace {

void redirect(int descriptor, const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
}

pid_t start(const std::vector<std::string>& words, const std::string& out, const std::string& err,
            rlim_t memory = RLIM_INFINITY) {
  std::vector<char*> argv = {const_cast<char*>(DCPBENCH_PROGRAM)};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    redirect(STDOUT_FILENO, out);
    redirect(STDERR_FILENO, err);
    const rlimit limit{memory, memory};
    if (memory != RLIM_INFINITY && setrlimit(RLIMIT_AS, &limit) != 0) _exit(126);
    execv(argv[0], argv.data());
    _exit(127);
  }
  return child;
}

int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int finish(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  return exit_code(status);
}

}  // namespace

std::string Outcome::all() const {
  return fmt::format("exit code {}\nstdout:\n{}\nstderr:\n{}", exit_code, out, err);
}

Outcome dcpbench(const std::vector<std::string>& words, const std::string& stdout_path) {
  const TemporaryFolder folder;
  const std::string out = stdout_path.empty() ? folder.path("out") : stdout_path;
  const int code = finish(start(words, out, folder.path("err")));
  return {code, stdout_path.empty() ? read_file(out) : std::string(),
          read_file(folder.path("err"))};
}

Outcome dcpbench_within(std::size_t bytes, const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  const int code = finish(start(words, folder.path("out"), folder.path("err"), bytes));
  return {code, read_file(folder.path("out")), read_file(folder.path("err"))};
}

Outcome signal_dcpbench(const std::vector<std::string>& words, int signal,
                        const std::function<bool()>& is_time) {
  const TemporaryFolder folder;
  const pid_t child = start(words, folder.path("out"), folder.path("err"));
  int status = 0;
  while (!is_time()) {
    if (waitpid(child, &status, WNOHANG) == child) {
      return {exit_code(status), read_file(folder.path("out")), read_file(folder.path("err"))};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, signal);
  const int code = finish(child);
  return {code, read_file(folder.path("out")), read_file(folder.path("err"))};
}

Outcome interrupt_dcpbench(const std::vector<std::string>& words, const std::string& path) {
  return signal_dcpbench(words, SIGINT, [&]() { return std::filesystem::exists(path); });
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "dcpbench-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  root_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(root_ / name, std::ios::binary) << text;
  return path(name);
}

}  // namespace dcpbench::tests
