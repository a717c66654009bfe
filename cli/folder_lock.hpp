// One run at a time per output folder.
#pragma once

#include <string>

namespace dcpbench::cli {

// Holds an advisory lock (flock) on an existing folder while it lives; the system takes it back
// however the program ends. File systems without such locks are left unlocked.
class FolderLock {
 public:
  // Throws Error(usage) naming the folder when another run holds it.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

// Removes what runs that were killed have left in `folder`: files named exactly
// .dcpbench-<PID>-<N>.tmp whose process does not exist. Never fails.
void remove_stale_files(const std::string& folder);

}  // namespace dcpbench::cli
