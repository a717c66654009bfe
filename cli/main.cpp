// dcpbench: parses, dispatches, and prints what went wrong. The exit code is the error's kind; 1 is
// a fault of the program.
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "core/error.hpp"

int main(int argc, char** argv) {
  using dcpbench::core::Error;
  using dcpbench::core::ErrorKind;
  try {
    return dcpbench::cli::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const Error& error) {
    for (const std::string& message : error.messages()) {
      std::fprintf(stderr, "error: %s\n", message.c_str());
    }
    return static_cast<int>(error.kind());
  } catch (const std::bad_alloc&) {
    std::fputs(
        "error: out of memory; ask for fewer --sequences (or rows: --limit), fewer --gpus, larger "
        "--step-tokens, or one --dataset at a time\n",
        stderr);
    return static_cast<int>(ErrorKind::usage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: a fault of dcpbench, please report it: %s\n", error.what());
    return 1;
  }
}
