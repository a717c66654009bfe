#include "planner/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/random.hpp"
#include "planner/accumulation.hpp"
#include "planner/block_allocator.hpp"
#include "planner/bucketing.hpp"
#include "planner/plan_builder.hpp"
#include "planner/round_state.hpp"
#include "planner/shapes.hpp"

namespace dcpbench::planner {

namespace {

// Under `equal` neither a batch nor the common finish of a round's groups should take more than
// this part of the step's even share (remaining rank time / ranks): a batch as long as the share
// itself leaves the ranks beside it nothing to balance with. For batches it is one of the limits
// tried.
constexpr std::int64_t kSharesPerStep = 2;

// The limits of a batch's time that a step is filled under, one after the other: these parts of its
// even share; 0: none. A step that ends within 1/kCloseEnough of the share needs no further try.
constexpr std::array<std::int64_t, 5> kLimitParts = {2, 4, 8, 1, 0};
constexpr std::int64_t kCloseEnough = 32;

__extension__ using Wide = __int128;

constexpr std::uint64_t kDrawPurpose = 0x726f756e64;

class RoundPlanner {
 public:
  RoundPlanner(const PlanRequest& request, const RoundPolicy& policy, const Buckets& buckets)
      : request_(request),
        policy_(policy),
        buckets_(buckets),
        table_(request.cost, buckets, recompute_policy(),
               request.options.recompute_layers.value_or(0)),
        builder_(request, policy.name, core::Padding::longest),
        allocator_(request.cost.ranks()),
        random_(core::mix_seed(request.options.seed, kDrawPurpose)) {}

  PlanResult plan() {
    for (const core::SequenceRange& step : request_.workload.steps) {
      if (const auto refused = plan_range(step)) return tl::unexpected(*refused);
    }
    add_settings();
    return builder_.finish();
  }

 private:
  [[nodiscard]] bool native() const {
    return request_.options.accounting == core::Accounting::native;
  }

  [[nodiscard]] RecomputePolicy recompute_policy() const {
    return request_.options.recompute_layers ? RecomputePolicy::fixed : policy_.recompute;
  }

  // The sequences of one optimizer step (equal) or of the whole run (native).
  std::optional<core::Infeasible> plan_range(core::SequenceRange range) {
    BucketedIds by_bucket = ids_by_bucket(buckets_, range);
    lives_.clear();
    for (std::size_t b = 0; b < buckets_.buckets.size(); ++b) {
      const std::span<std::uint32_t> ids = by_bucket.of(b);
      if (ids.empty()) continue;
      core::shuffle(ids, random_);
      Live live{b, {}, {}, ids};
      choose_setting(live, core::Nanoseconds(0));
      if (live.best.batch == 0) {
        return core::Infeasible{fmt::format(
            "sequences of {} fit at no SP degree up to {}; see --oversize, --gpus, --rank-tokens",
            buckets_.buckets[b].label(), request_.cost.ranks())};
      }
      lives_.push_back(std::move(live));
    }
    if (native()) {
      keep(core::Nanoseconds(0));
      plan_native();
      return std::nullopt;
    }
    // No limit on a batch's time is best for every step: a tight one shortens the end of a step,
    // but where few sequences make a step it wants degrees that cost more than they balance.
    const core::Nanoseconds share = remaining_share();
    const std::vector<Live> fresh = lives_;
    std::vector<Attempt> attempts;
    for (const std::int64_t part : kLimitParts) {
      const core::Nanoseconds limit(part > 0 ? std::max<std::int64_t>(share.value() / part, 1) : 0);
      lives_ = fresh;
      for (Live& live : lives_) {
        if (limit.value() > 0 && live.best.time > limit) choose_setting(live, limit);
      }
      const bool is_new = std::none_of(attempts.begin(), attempts.end(), [&](const Attempt& other) {
        return std::equal(lives_.begin(), lives_.end(), other.lives.begin(),
                          [](const Live& x, const Live& y) { return x.best == y.best; });
      });
      if (!is_new) continue;
      attempts.push_back(attempt(limit));
      if (attempts.back().end.value() - share.value() <= share.value() / kCloseEnough) break;
    }
    Attempt& best =
        *std::min_element(attempts.begin(), attempts.end(),
                          [](const Attempt& x, const Attempt& y) { return x.end < y.end; });
    lives_ = best.lives;
    keep(best.limit);
    placements_ = std::move(best.placements);
    commit();
    builder_.end_step(best.rounds);
    return std::nullopt;
  }

  // Every setting is final: told to the user.
  void keep(core::Nanoseconds limit) {
    for (const Live& live : lives_) {
      explain(live, limit);
      ++chosen_[live.bucket][{live.best.degree, live.best.batch, live.best.recompute_layers}];
    }
  }

  void plan_native() {
    for (Live& live : lives_) {
      if (!request_.options.drop_last) continue;
      const std::size_t rest = live.ids.size() % static_cast<std::size_t>(live.best.batch);
      builder_.drop(live.ids.last(rest));
      live.ids = live.ids.first(live.ids.size() - rest);
    }
    start_step();
    while (fill_round()) {
      if (policy_.accumulate && !request_.cost.lockstep()) accumulate();
      lay_out(0);
      commit();
      builder_.end_step(1);
      start_step();
    }
  }

  // Fills a step with the settings of lives_; nothing of it is in the plan yet.
  Attempt attempt(core::Nanoseconds limit) {
    Attempt result{limit, lives_, {}, 0, core::Nanoseconds(0)};
    start_step();
    while (fill_round()) {
      if (policy_.accumulate && !request_.cost.lockstep()) accumulate();
      lay_out(result.rounds++);
    }
    result.placements = std::exchange(placements_, {});
    result.end = request_.cost.lockstep() ? sum_of_rounds_ : allocator_.last_ready();
    return result;
  }

  void start_step() {
    allocator_.start_step();
    sum_of_rounds_ = core::Nanoseconds(0);
  }

  void commit() {
    accumulation_.add(placements_);
    for (const Placement& placed : placements_) {
      builder_.add(placed.first_rank, placed.degree, placed.recompute_layers, placed.round,
                   placed.ids);
    }
    placements_.clear();
  }

  // How many sequences of its bucket a batch is cut to the share of; 0: not cut.
  [[nodiscard]] std::int64_t in_step(const Live& live) const {
    return native() ? 0 : static_cast<std::int64_t>(live.ids.size());
  }

  void choose_setting(Live& live, core::Nanoseconds limit) {
    live.per_degree = table_.per_degree(live.bucket, in_step(live), limit);
    live.best = {};
    for (const Setting& setting : live.per_degree) {
      if (better_within(setting, live.best, limit)) live.best = setting;
    }
  }

  // Rank time of all sequences not yet used, at their buckets' settings, over the ranks.
  [[nodiscard]] core::Nanoseconds remaining_share() const {
    Wide rank_time = 0;
    for (const Live& live : lives_) {
      rank_time += static_cast<Wide>(live.ids.size()) * live.best.time.value() * live.best.degree /
                   live.best.batch;
    }
    return per_rank(rank_time);
  }

  [[nodiscard]] core::Nanoseconds per_rank(Wide rank_time) const {
    const Wide share = rank_time / request_.cost.ranks();
    return core::Nanoseconds(
        static_cast<std::int64_t>(std::min(share, Wide{core::kMaxCostNanoseconds})));
  }

  // Draws groups until the ranks are full; false when nothing is left. With --drop-last a round
  // that can't be filled is left out and the next one is tried, as in the release.
  bool fill_round() {
    for (;;) {
      const std::int32_t free = draw_groups();
      if (groups_.empty()) return false;
      if (free == 0 || !request_.options.drop_last) break;
      for (const RoundGroup& group : groups_) builder_.drop(group.micro_batches.front());
    }
    // Large degrees first keeps every block aligned.
    std::stable_sort(groups_.begin(), groups_.end(), [](const RoundGroup& a, const RoundGroup& b) {
      return a.setting.degree > b.setting.degree;
    });
    return true;
  }

  // How many ranks stay free.
  std::int32_t draw_groups() {
    groups_.clear();
    std::int32_t free = request_.cost.ranks();
    while (free > 0) {
      const auto [live, setting] = draw(free);
      if (live == nullptr) break;
      RoundGroup group;
      group.live = live;
      group.setting = setting;
      group.micro_batches.push_back(live->take(setting.batch));
      group.batch = static_cast<std::int64_t>(group.micro_batches.front().size());
      free -= setting.degree;
      groups_.push_back(std::move(group));
    }
    return free;
  }

  std::pair<Live*, Setting> draw(std::int32_t free) {
    // Live buckets by wanted degree; a degree is drawn in proportion to its buckets and a bucket
    // uniformly among them, which is a uniform draw over all.
    candidates_.clear();
    for (Live& live : lives_) {
      if (!live.ids.empty() && live.best.degree <= free) candidates_.push_back({&live, live.best});
    }
    if (candidates_.empty()) {
      for (Live& live : lives_) {
        if (live.ids.empty()) continue;
        Setting best;
        for (const Setting& setting : live.per_degree) {
          if (setting.degree <= free && more_throughput(setting, best)) best = setting;
        }
        if (best.batch > 0) candidates_.push_back({&live, best});
      }
    }
    if (candidates_.empty()) return {nullptr, {}};
    if (!native()) {
      // Within a step of fixed sequences the order of draws has no statistical purpose: the longest
      // batches go first, so that short ones even out the end.
      return *std::max_element(
          candidates_.begin(), candidates_.end(),
          [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
    }
    return candidates_[static_cast<std::size_t>(random_.below(candidates_.size()))];
  }

  // The predicted time of a group's batch: its bucket's profile at that batch size.
  core::Nanoseconds profiled_time(const RoundGroup& group) {
    if (group.batch == group.setting.batch) return group.setting.time;
    const ShapeGroup shapes{buckets_.buckets[group.live->bucket].hull, group.batch};
    return request_.cost
        .micro_batch(std::span(&shapes, 1), request_.cost.worst_group(group.setting.degree),
                     group.setting.recompute_layers)
        .total();
  }

  void accumulate() {
    std::vector<core::Nanoseconds> times;
    times.reserve(groups_.size());
    for (const RoundGroup& group : groups_) {
      times.push_back(std::max(profiled_time(group), core::Nanoseconds(1)));
    }
    std::vector<std::int64_t> counts =
        choose_accumulation(
            times, native() ? core::Nanoseconds(core::kMaxCostNanoseconds)
                            : core::Nanoseconds(share_with(times).value() / kSharesPerStep))
            .counts;
    const std::int64_t least = least_accumulation();
    const std::int64_t highest = *std::max_element(counts.begin(), counts.end());
    if (highest < least) {
      for (std::int64_t& count : counts) count *= (least + highest - 1) / highest;
    }
    const std::int64_t most = request_.options.max_accumulation.value_or(INT32_MAX);
    for (std::int64_t& count : counts) count = std::min(count, most);

    // Turn by turn, so that groups of one bucket share what is left of it.
    std::vector<std::size_t> active(groups_.size());
    for (std::size_t i = 0; i < active.size(); ++i) active[i] = i;
    for (std::int64_t turn = 2; !active.empty(); ++turn) {
      std::erase_if(
          active, [&](std::size_t i) { return counts[i] < turn || groups_[i].live->ids.empty(); });
      for (const std::size_t i : active) {
        if (groups_[i].live->ids.empty()) continue;
        groups_[i].micro_batches.push_back(groups_[i].live->take(groups_[i].batch));
      }
    }
  }

  // The even share of what is left of a step, the batches already drawn (`times`) included.
  [[nodiscard]] core::Nanoseconds share_with(std::span<const core::Nanoseconds> times) const {
    Wide rank_time = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      rank_time += Wide{times[i].value()} * groups_[i].setting.degree;
    }
    return bounded_sum(remaining_share(), per_rank(rank_time));
  }

  // Longest groups of a degree on the blocks that are ready soonest.
  void lay_out(std::int32_t round) {
    std::vector<core::Nanoseconds> times(groups_.size());
    for (std::size_t i = 0; i < groups_.size(); ++i) times[i] = actual_time(groups_[i]);
    allocator_.start_round();
    sum_of_rounds_ = bounded_sum(sum_of_rounds_, *std::max_element(times.begin(), times.end()));
    for (std::size_t begin = 0; begin < groups_.size();) {
      const std::int32_t degree = groups_[begin].setting.degree;
      std::size_t end = begin;
      while (end < groups_.size() && groups_[end].setting.degree == degree) ++end;
      std::vector<std::size_t> order(end - begin);
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = begin + i;
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
      const std::vector<std::int32_t> blocks = allocator_.take(degree, order.size());
      for (std::size_t i = 0; i < order.size(); ++i) {
        const RoundGroup& group = groups_[order[i]];
        for (const auto& ids : group.micro_batches) {
          placements_.push_back({blocks[i], degree, group.setting.recompute_layers, round, ids});
        }
        allocator_.run(blocks[i], degree, times[order[i]]);
      }
      begin = end;
    }
  }

  core::Nanoseconds actual_time(const RoundGroup& group) {
    core::Nanoseconds sum(0);
    for (const auto& ids : group.micro_batches) {
      executed_shapes(ids, request_.workload, builder_.padding(), shapes_);
      sum = bounded_sum(sum,
                        request_.cost
                            .micro_batch(shapes_, request_.cost.worst_group(group.setting.degree),
                                         group.setting.recompute_layers)
                            .total());
    }
    return sum;
  }

  void explain(const Live& live, core::Nanoseconds limit) {
    if (request_.explanation == nullptr || chosen_.contains(live.bucket)) return;
    table_.explain(live.bucket, in_step(live), limit, *request_.explanation);
  }

  [[nodiscard]] std::int64_t least_accumulation() const {
    return request_.options.min_accumulation.value_or(native() ? policy_.native_min_accumulation
                                                               : 1);
  }

  // What the accumulation options came to.
  void add_accumulation() {
    if (!policy_.accumulate) return;
    const std::optional<std::int32_t> max = request_.options.max_accumulation;
    if (request_.cost.lockstep()) {
      if (max || request_.options.min_accumulation) {
        builder_.warn(
            "ranks run in lockstep, one micro-batch per group and round: --min-accumulation and "
            "--max-accumulation have no effect");
      }
      return;
    }
    builder_.setting("accumulation", fmt::format("{}..{} micro-batches per group and round",
                                                 accumulation_.least(), accumulation_.most()));
    const std::int64_t least = least_accumulation();
    if (max && *max < least) {
      builder_.warn(fmt::format(
          "--max-accumulation {} is below the least of {}, {} micro-batches per group and round; "
          "the maximum holds",
          *max, policy_.name, least));
    } else if (request_.options.min_accumulation && accumulation_.most() < least) {
      builder_.warn(fmt::format(
          "--min-accumulation {}: no group of a round had that many micro-batches left; the most "
          "is {}",
          least, accumulation_.most()));
    }
  }

  void add_settings() {
    for (const auto& [bucket, settings] : chosen_) {
      const auto most =
          std::max_element(settings.begin(), settings.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      const auto& [degree, batch, recompute_layers] = most->first;
      std::string text = fmt::format("sp {} batch {} recompute {}/{}", degree, batch,
                                     recompute_layers, request_.cost.layers());
      if (settings.size() > 1) {
        text += fmt::format(" (most steps; {} settings in all)", settings.size());
      }
      builder_.setting(buckets_.buckets[bucket].label(), std::move(text));
    }
    add_accumulation();
    std::vector<std::int64_t> batches(buckets_.buckets.size(), 0);
    for (const auto& [bucket, settings] : chosen_) {
      batches[bucket] = std::get<1>(settings.begin()->first);
    }
    builder_.warn_dropped(buckets_, batches);
  }

  const PlanRequest& request_;
  const RoundPolicy& policy_;
  const Buckets& buckets_;
  SettingsTable table_;
  PlanBuilder builder_;
  BlockAllocator allocator_;
  core::Random random_;

  std::vector<Live> lives_;
  std::vector<RoundGroup> groups_;
  std::vector<std::pair<Live*, Setting>> candidates_;
  std::vector<ShapeGroup> shapes_;
  AccumulationRange accumulation_;      // of what is in the plan
  std::vector<Placement> placements_;   // of the step at hand, in running order
  core::Nanoseconds sum_of_rounds_{0};  // their slowest groups' times, of the step at hand
  // [bucket]: (degree, batch, recomputed layers) and in how many ranges it was chosen
  std::map<std::size_t,
           std::map<std::tuple<std::int32_t, std::int64_t, std::int32_t>, std::int64_t>>
      chosen_;
};

}  // namespace

PlanResult plan_rounds(const PlanRequest& request, const RoundPolicy& policy) {
  const auto buckets = make_buckets(request.workload, request.options.bucket_edges);
  if (!buckets) return tl::unexpected(buckets.error());
  return RoundPlanner(request, policy, *buckets).plan();
}

}  // namespace dcpbench::planner
