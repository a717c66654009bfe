// SIGINT and SIGTERM end a job after the strategy at hand, so that its report holds everything that
// was finished; a second signal ends the program at once.
#pragma once

namespace dcpbench::cli {

void catch_interrupts();
[[nodiscard]] bool interrupted();
// Ends the program by the signal that was caught, so that the caller's shell sees it.
[[noreturn]] void die_of_interrupt();

}  // namespace dcpbench::cli
