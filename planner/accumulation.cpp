#include "planner/accumulation.hpp"

#include <algorithm>
#include <cstdint>

namespace dcpbench::planner {

namespace {

// 128 bits: a slope is at most 6 x the number of groups, times a time of up to 2^62 ns.
__extension__ using Wide = __int128;

constexpr std::int64_t kOver = 6;
constexpr std::int64_t kUnder = 5;

struct Class {
  std::int64_t time = 0;
  std::int64_t groups = 0;
  std::int64_t most = 0;  // floor(H / time)
};

// The best g for one group: the largest g with g t <= r, or the next one if overshooting is
// cheaper. Ties go to the smaller g, as in the published ascending search.
std::int64_t best_count(std::int64_t time, std::int64_t most, std::int64_t reference) {
  const std::int64_t below = std::min(reference / time, most);
  if (below < 1) return 1;
  if (below == most) return most;
  const Wide shortfall = Wide{kUnder} * (reference - below * time);
  const Wide overshoot = Wide{kOver} * ((below + 1) * time - reference);
  return overshoot < shortfall ? below + 1 : below;
}

// A change of slope of the total score at `place`. As a function of r each group's score falls with
// slope -6 while the nearest multiple lies ahead, rises with +5 once it is passed, and turns from
// rising to falling where the next multiple becomes the better choice: at
// r = t (g + 6/11), rounded up, since r is an integer. `offset` corrects the value there.
struct Event {
  std::int64_t place;
  Wide slope;   // change of slope from here on
  Wide offset;  // jump of the value at `place`
};

void add_events(const Class& item, std::vector<Event>& events) {
  const Wide groups = item.groups;
  for (std::int64_t g = 1; g <= item.most; ++g) {
    const std::int64_t multiple = g * item.time;
    events.push_back({multiple, groups * (kOver + kUnder), 0});  // -6 -> +5, value 0 on both sides
    if (g == item.most) break;
    // First integer r at which g + 1 is strictly better: 11 r > t (11 g + 6).
    // For times of a few ns that may only be the next multiple itself.
    const std::int64_t turn = std::min(
        static_cast<std::int64_t>((Wide{item.time} * (11 * g + 6)) / 11 + 1), multiple + item.time);
    const Wide before = Wide{kUnder} * (turn - multiple);
    const Wide after = Wide{kOver} * (multiple + item.time - turn);
    events.push_back({turn, -groups * (kOver + kUnder), groups * (after - before)});
  }
}

}  // namespace

AccumulationChoice choose_accumulation(std::span<const core::Nanoseconds> times,
                                       core::Nanoseconds limit) {
  std::vector<std::int64_t> sorted;
  sorted.reserve(times.size());
  for (const core::Nanoseconds time : times) sorted.push_back(time.value());
  std::sort(sorted.begin(), sorted.end());
  const std::int64_t longest = sorted.back();
  const std::int64_t published = longest > INT64_MAX / kHorizon ? INT64_MAX : kHorizon * longest;
  const std::int64_t horizon = std::max(longest, std::min(limit.value(), published));
  std::vector<Class> classes;
  for (const std::int64_t time : sorted) {
    if (classes.empty() || classes.back().time != time)
      classes.push_back({time, 0, horizon / time});
    ++classes.back().groups;
  }
  const std::int64_t most = kMaxMultiples / static_cast<std::int64_t>(classes.size()) + 1;
  for (Class& item : classes) item.most = std::min(item.most, most);

  std::vector<Event> events;
  Wide value = 0;  // at r = 0 every group overshoots by its own time
  Wide slope = 0;
  for (const Class& item : classes) {
    value += Wide{kOver} * item.groups * item.time;
    slope -= Wide{kOver} * item.groups;
    add_events(item, events);
  }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.place < b.place; });

  // The total is piecewise linear and, between multiples, concave or linear: its value is needed at
  // the candidates only, which are events themselves.
  AccumulationChoice choice;
  Wide best = -1;
  std::int64_t place = 0;
  for (std::size_t i = 0; i < events.size();) {
    const std::int64_t here = events[i].place;
    value += slope * (here - place);
    place = here;
    bool is_candidate = false;
    for (; i < events.size() && events[i].place == here; ++i) {
      value += events[i].offset;
      slope += events[i].slope;
      is_candidate |= events[i].slope > 0;
    }
    if (is_candidate && (best < 0 || value < best)) {
      best = value;
      choice.reference = here;
    }
  }
  choice.score = static_cast<std::int64_t>(best);
  choice.counts.reserve(times.size());
  for (const core::Nanoseconds time : times) {
    choice.counts.push_back(
        best_count(time.value(), std::min(horizon / time.value(), most), choice.reference));
  }
  return choice;
}

}  // namespace dcpbench::planner
