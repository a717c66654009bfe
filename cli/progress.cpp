#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "core/text.hpp"

namespace dcpbench::cli {

Progress::Progress(std::size_t total, bool wanted)
    : total_(total), enabled_(wanted && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::show(const std::string& label) {
  if (!enabled_) return;
  std::string left;
  if (done_ > 0) {
    const double elapsed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    left = fmt::format(", {:.0f} s left",
                       elapsed / static_cast<double>(done_) * static_cast<double>(total_ - done_));
  }
  // "\033[K" clears what a longer line left behind.
  const std::string line =
      fmt::format("\r[{}/{}{}] {}\033[K", done_ + 1, total_, left, core::printable(label, 200));
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  visible_ = true;
}

void Progress::clear() {
  if (!visible_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace dcpbench::cli
