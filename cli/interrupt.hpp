// SIGINT and SIGTERM end a job after the strategy at hand, so that its report holds everything that
// was finished. A strategy that takes longer than a second is not waited for: the report that was
// last written stays. A second signal ends the program at once.
#pragma once

#include <string>

namespace dcpbench::cli {

void catch_interrupts();
[[nodiscard]] bool interrupted();
// Says on standard error where the partial result is (`left_behind`: a path, empty for none) and
// ends the program by the signal that was caught, so that the caller's shell sees it.
[[noreturn]] void die_of_interrupt(const std::string& left_behind);

}  // namespace dcpbench::cli
