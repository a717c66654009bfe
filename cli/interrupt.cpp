#include "cli/interrupt.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "core/text.hpp"

namespace dcpbench::cli {

namespace {

// A single plan may take minutes, and nobody waits that long for an answer to Ctrl-C.
constexpr unsigned kPatienceSeconds = 1;
constexpr char kMessage[] = "interrupted; the partial report is what was last written\n";

volatile std::sig_atomic_t caught_signal = 0;

// Handlers call nothing but async-signal-safe functions.
extern "C" void remember_signal(int signal) {
  caught_signal = signal;
  alarm(kPatienceSeconds);
}

// Files are written beside their targets and renamed, so that the end may come at any moment.
extern "C" void end_now(int) {
  const ssize_t ignored = write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  static_cast<void>(ignored);
  _exit(128 + caught_signal);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = end_now;
  action.sa_flags = 0;
  sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = remember_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

bool interrupted() { return caught_signal != 0; }

void die_of_interrupt(const std::string& left_behind) {
  alarm(0);
  const int signal = caught_signal;
  const std::string text = left_behind.empty()
                               ? std::string("interrupted\n")
                               : fmt::format("interrupted; what was finished is in {}\n",
                                             core::printable(left_behind, 1000));
  std::fputs(text.c_str(), stderr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace dcpbench::cli
