// dcpbench: parses, dispatches, and prints what went wrong. The exit code is the error's kind; 1 is
// a fault of the program.
#include <csignal>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <new>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

int main(int argc, char** argv) {
  namespace core = dcpbench::core;
  using core::Error;
  using core::ErrorKind;
  // A file limit or a closed pipe makes the write fail, which is then told like any other.
  for (const int signal : {SIGXFSZ, SIGPIPE}) std::signal(signal, SIG_IGN);
  try {
    return dcpbench::cli::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const Error& error) {
    for (const std::string& message : error.messages()) {
      std::fprintf(stderr, "error: %s\n", core::printable_lines(message).c_str());
    }
    return static_cast<int>(error.kind());
  } catch (const std::bad_alloc&) {
    std::fputs(
        "error: out of memory; ask for fewer --sequences (or rows: --limit), fewer --gpus, larger "
        "--step-tokens, or one --dataset at a time\n",
        stderr);
    return static_cast<int>(ErrorKind::usage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: a fault of dcpbench, please report it: %s\n",
                 core::printable_lines(error.what()).c_str());
    return 1;
  }
}
