#include "datasets/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>

#include "core/error.hpp"

namespace dcpbench::datasets {

using core::Error;
using core::ErrorKind;

namespace {

enum class Tag : std::uint32_t { message, failure, done };
struct Header {
  Tag tag = Tag::message;
  std::uint32_t bytes = 0;
};
constexpr std::uint32_t kMaxMessageBytes = 64u << 20;

// In the child: a parent that went away ends it too (SIGPIPE).
void write_all(int pipe, const void* bytes, std::size_t count) {
  const char* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t put = ::write(pipe, at, count);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) ::_exit(1);
    at += put;
    count -= static_cast<std::size_t>(put);
  }
}

void send(int pipe, Tag tag, std::string_view text) {
  const Header header{tag, static_cast<std::uint32_t>(text.size())};
  write_all(pipe, &header, sizeof header);
  write_all(pipe, text.data(), text.size());
}

[[noreturn]] void run_child(int pipe, const std::function<void(const ChildProcess::Send&)>& work) {
  const int null = ::open("/dev/null", O_RDWR);
  if (null >= 0) {
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const rlimit cpu{ChildProcess::kCpuSeconds, ChildProcess::kCpuSeconds + 1};
  ::setrlimit(RLIMIT_CPU, &cpu);
  for (const int signal : {SIGPIPE, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) {
    ::signal(signal, SIG_DFL);
  }
  try {
    work([pipe](std::string_view text) { send(pipe, Tag::message, text); });
    send(pipe, Tag::done, "");
  } catch (const std::exception& exception) {
    send(pipe, Tag::failure, exception.what());
  }
  // Destructors and exit handlers are the parent's business.
  ::_exit(0);
}

}  // namespace

ChildProcess::ChildProcess(std::string what, const std::function<void(const Send&)>& work)
    : what_(std::move(what)) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error(ErrorKind::io, fmt::format("cannot start a reader: {}", std::strerror(errno)));
  }
  child_ = ::fork();
  if (child_ == 0) {
    ::close(ends[0]);
    run_child(ends[1], work);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
  if (child_ < 0) {
    ::close(pipe_);
    throw Error(ErrorKind::io, fmt::format("cannot start a reader: {}", std::strerror(errno)));
  }
}

ChildProcess::~ChildProcess() {
  ::close(pipe_);
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

bool ChildProcess::read_all(char* bytes, std::size_t count) const {
  while (count > 0) {
    const ssize_t got = ::read(pipe_, bytes, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

// How the child ended.
std::string ChildProcess::end() {
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
    return fmt::format("no end after {} s", kCpuSeconds);
  }
  if (WIFSIGNALED(status)) return fmt::format("its library crashed, signal {}", WTERMSIG(status));
  return "its library crashed";
}

std::optional<std::string> ChildProcess::next() {
  Header header;
  std::array<char, sizeof(Header)> bytes{};
  std::string text;
  bool complete = read_all(bytes.data(), bytes.size());
  if (complete) {
    std::memcpy(&header, bytes.data(), bytes.size());
    complete = header.bytes <= kMaxMessageBytes;
  }
  if (complete) {
    text.resize(header.bytes);
    complete = read_all(text.data(), text.size());
  }
  if (!complete) throw Error(ErrorKind::usage, fmt::format("{} ({})", what_, end()));
  if (header.tag == Tag::done) return std::nullopt;
  if (header.tag == Tag::failure)
    throw Error(ErrorKind::usage, fmt::format("{} ({})", what_, text));
  return text;
}

}  // namespace dcpbench::datasets
