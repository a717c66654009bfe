#include "cli/interrupt.hpp"

#include <csignal>
#include <cstdlib>
#include <initializer_list>

namespace dcpbench::cli {

namespace {

volatile std::sig_atomic_t caught_signal = 0;

extern "C" void remember_signal(int signal) { caught_signal = signal; }

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = remember_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

bool interrupted() { return caught_signal != 0; }

void die_of_interrupt() {
  const int signal = caught_signal;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace dcpbench::cli
