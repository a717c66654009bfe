// An input iterator over text that tells where its reader is.
#pragma once

#include <cstddef>
#include <iterator>

namespace dcpbench::core {

// nlohmann/json does not tell its handler where it is: this iterator does.
struct TrackingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** cursor;

  reference operator*() const { return *at; }
  TrackingIterator& operator++() {
    *cursor = ++at;
    return *this;
  }
  TrackingIterator operator++(int) {
    TrackingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const TrackingIterator& other) const { return at == other.at; }
  bool operator!=(const TrackingIterator& other) const { return at != other.at; }
};

}  // namespace dcpbench::core
