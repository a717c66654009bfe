#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/cluster.hpp"
#include "core/did_you_mean.hpp"

namespace dcpbench::cli {

namespace {

constexpr const char* kWorkload = "What to train on";
constexpr const char* kPlanning = "Planning";
// More is no disturbance but another machine, and times must stay below 2^62 ns.
constexpr double kMaxJitter = 100;
constexpr double kMaxSlowFactor = 1e6;
constexpr std::int64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kMaxSeeds = 1000;

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const planner::Strategy& strategy : planner::strategies()) names.emplace_back(strategy.name);
  return names;
}

// `default`, `all` or names separated by commas; the result is in the order given.
std::vector<const planner::Strategy*> read_strategies(const Arguments& arguments) {
  const std::span<const planner::Strategy> known = planner::strategies();
  const auto first = [&](std::size_t count) {
    std::vector<const planner::Strategy*> chosen;
    for (const planner::Strategy& strategy : known.first(std::min(count, known.size()))) {
      chosen.push_back(&strategy);
    }
    return chosen;
  };
  const std::optional<std::string> list = arguments.text("--strategy");
  if (!list || *list == "default") return first(planner::kDefaultStrategies);
  if (*list == "all") return first(known.size());

  std::vector<const planner::Strategy*> chosen;
  std::size_t begin = 0;
  while (begin <= list->size()) {
    const std::size_t end = std::min(list->find(',', begin), list->size());
    const std::string name = list->substr(begin, end - begin);
    begin = end + 1;
    const planner::Strategy* strategy = planner::find_strategy(name);
    if (strategy == nullptr) {
      const std::vector<std::string> names = strategy_names();
      arguments.problems().add(
          fmt::format("--strategy: unknown strategy \"{}\"{}; strategies: {}, or default, all",
                      name, core::did_you_mean(name, names), fmt::join(names, ", ")));
    } else if (std::find(chosen.begin(), chosen.end(), strategy) != chosen.end()) {
      arguments.problems().add(fmt::format("--strategy {} is given twice", name));
    } else {
      chosen.push_back(strategy);
    }
  }
  return chosen;
}

void read_workload(const Arguments& arguments, JobOptions& options) {
  Problems& problems = arguments.problems();
  options.datasets = arguments.texts("--dataset");
  options.lengths = arguments.text("--lengths");
  if (options.lengths && !options.datasets.empty()) {
    problems.add("--dataset contradicts --lengths: both name the sequences; give one of the two");
  }
  options.read.column = arguments.text("--column");
  options.read.skip_invalid = arguments.flag("--skip-invalid");
  options.read.max_length = arguments.integer("--max-length", 1, core::kMaxTokens);
  options.read.limit = arguments.integer("--limit", 1, core::kMaxSequences);
  options.file_order = arguments.flag("--file-order");
  for (const char* name :
       {"--column", "--skip-invalid", "--max-length", "--limit", "--file-order"}) {
    if (arguments.given(name) && !options.lengths) {
      problems.add(fmt::format("{} says how to read a file; it needs --lengths FILE", name));
    }
  }
  options.sequences = arguments.integer("--sequences", 1, core::kMaxSequences);
  options.scale_lengths = arguments.number("--scale-lengths", 0, 1e6, true);
  options.seed =
      static_cast<std::uint64_t>(arguments.integer("--seed", 0, kMaxInteger).value_or(0));
  options.seeds = arguments.integer32("--seeds", 1, kMaxSeeds).value_or(1);

  if (const auto tokens = arguments.integer("--step-tokens", 1, kMaxInteger)) {
    options.step_tokens = *tokens;
  }
  options.step_sequences =
      arguments.integer_or("--step-sequences", "all", 0, 1, core::kMaxSequences);
  if (arguments.given("--step-tokens") && arguments.given("--step-sequences")) {
    problems.add(
        "--step-tokens contradicts --step-sequences: both end a step; give one of the two");
  }
  options.oversize =
      arguments
          .choice<planner::Oversize>("--oversize", {{"error", planner::Oversize::error},
                                                    {"drop", planner::Oversize::drop},
                                                    {"truncate", planner::Oversize::truncate}})
          .value_or(planner::Oversize::error);
}

void read_machine(const Arguments& arguments, JobOptions& options) {
  options.models = arguments.texts("--model");
  options.cluster = arguments.text("--cluster").value_or(options.cluster);
  options.plan_cluster = arguments.text("--plan-cluster");
  options.gpus = arguments.integer32("--gpus", 1, core::kMaxGpus);
  options.cost.zero = arguments.integer32("--zero", 0, 3).value_or(options.cost.zero);
  options.cost.tp = arguments.integer32("--tp", 1, core::kMaxGpus).value_or(options.cost.tp);
  options.cost.memory_fraction =
      arguments.number("--memory-fraction", 0, 1, true).value_or(options.cost.memory_fraction);
  options.cost.rank_tokens = arguments.integer("--rank-tokens", 1, core::kMaxTokens).value_or(0);
  options.cost.sp_method = arguments.choice<core::SpMethod>(
      "--sp-method", {{"ulysses", core::SpMethod::ulysses}, {"dsp", core::SpMethod::dsp}});
}

void read_bucket_edges(const Arguments& arguments, JobOptions& options) {
  std::vector<std::int64_t> edges = arguments.integers("--bucket-edges", 1, core::kMaxTokens);
  std::vector<std::string> faults;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    if (std::count(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(i), edges[i]) > 0) {
      faults.push_back(fmt::format("{} twice", edges[i]));
    } else if (edges[i] < edges[i - 1]) {
      faults.push_back(fmt::format("{} after {}", edges[i], edges[i - 1]));
    }
  }
  if (!faults.empty()) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    arguments.problems().add(fmt::format("--bucket-edges must rise: {}; did you mean {}?",
                                         fmt::join(faults, ", "), fmt::join(edges, ",")));
  }
  options.plan.bucket_edges = std::move(edges);
}

void read_recompute(const Arguments& arguments, JobOptions& options) {
  options.recompute = arguments
                          .choice<Recompute>("--recompute", {{"auto", Recompute::automatic},
                                                             {"none", Recompute::none},
                                                             {"full", Recompute::full}})
                          .value_or(Recompute::automatic);
  options.recompute_layers =
      arguments.integer32("--recompute-layers", 0, std::numeric_limits<std::int32_t>::max());
}

void read_planning(const Arguments& arguments, JobOptions& options) {
  Problems& problems = arguments.problems();
  planner::PlanOptions& plan = options.plan;
  options.strategies = read_strategies(arguments);
  options.accounting_given = arguments.given("--accounting");
  plan.accounting =
      arguments
          .choice<core::Accounting>("--accounting", {{"equal", core::Accounting::equal},
                                                     {"native", core::Accounting::native}})
          .value_or(core::Accounting::equal);
  if (plan.accounting == core::Accounting::native) {
    for (const char* name : {"--step-tokens", "--step-sequences"}) {
      if (arguments.given(name)) {
        problems.add(fmt::format(
            "{} contradicts --accounting native, under which each strategy composes its own steps",
            name));
      }
    }
  }
  plan.padding = arguments.choice<core::Padding>(
      "--padding", {{"longest", core::Padding::longest}, {"none", core::Padding::none}});
  const std::string list = arguments.text("--strategy").value_or("default");
  options.strategies_named = list != "default" && list != "all";
  if (options.strategies_named && options.packed_keeps_its_padding()) {
    problems.add(
        "--padding longest contradicts --strategy packed, which runs variable-length attention and "
        "pads nothing; leave one of the two out");
  }
  if (const auto degree = arguments.integer_or("--bucket-sp", "auto", 0, 1, core::kMaxGpus)) {
    plan.bucket_sp = static_cast<std::int32_t>(*degree);
  }
  read_bucket_edges(arguments, options);
  plan.pack_tokens = arguments.integer("--pack-tokens", 1, core::kMaxTokens);
  plan.drop_last = arguments.flag("--drop-last");
  plan.median_cut = !arguments.flag("--no-median-cut");
  plan.min_accumulation = arguments.integer32("--min-accumulation", 1);
  plan.max_accumulation = arguments.integer32("--max-accumulation", 1);
  if (plan.min_accumulation && plan.max_accumulation &&
      *plan.min_accumulation > *plan.max_accumulation) {
    problems.add(fmt::format(
        "--min-accumulation {0} is above --max-accumulation {1}; raise the maximum to at least {0}",
        *plan.min_accumulation, *plan.max_accumulation));
  }
  read_recompute(arguments, options);
  options.max_communicators = arguments.integer("--max-communicators", 1, kMaxInteger);
  options.plan_file = arguments.text("--plan");
  if (options.plan_file) {
    std::vector<std::string> ignored = arguments.given_of(kPlanning);
    if (arguments.given("--seeds")) ignored.emplace_back("--seeds");
    for (const std::string& name : ignored) {
      if (name == "--accounting") continue;  // compared with the plan's once it is read
      problems.add(fmt::format("--plan contradicts {}: the plan is already made", name));
    }
  } else if (plan.drop_last && plan.accounting == core::Accounting::equal) {
    problems.add(
        "--drop-last contradicts --accounting equal, under which every strategy trains on the same "
        "sequences; leave it out or choose --accounting native");
  }
}

void read_simulation(const Arguments& arguments, JobOptions& options) {
  options.sim.jitter = arguments.number("--jitter", 0, kMaxJitter).value_or(0);
  options.sim.slow_rank = arguments.integer32("--slow-rank", 0).value_or(-1);
  options.sim.slow_factor = arguments.number("--slow-factor", 1, kMaxSlowFactor).value_or(1);
  if (arguments.given("--slow-rank") != arguments.given("--slow-factor")) {
    arguments.problems().add("--slow-rank and --slow-factor belong together; give both");
  }
}

}  // namespace

void add_length_file_options(CLI::App& app) {
  add_option(app, kWorkload, "--column", "NAME",
             "Column, key or HDF5 dataset of the lengths; \"a+b\" sums, \"T*S\" names\n"
             "frames and tokens per frame");
  add_flag(app, kWorkload, "--skip-invalid",
           "Leave out missing, zero, negative and fractional lengths");
  add_option(app, kWorkload, "--max-length", "N", "Upper edge of an open last histogram bin");
  add_option(app, kWorkload, "--limit", "N", "Only the first N rows of the file (default: all)");
}

void add_draw_options(CLI::App& app) {
  add_option(app, kWorkload, "--lengths", "FILE",
             "Your own lengths: CSV, TSV, JSON, JSONL, NPY, HDF5 or a histogram\n"
             "(length,weight), also gzipped; decided by content");
  add_length_file_options(app);
  add_flag(app, kWorkload, "--file-order",
           "Keep the order of the file (default: shuffled by --seed)");
  add_option(app, kWorkload, "--sequences", "N",
             "Sequences to draw (default: 20000; all of a file of lengths)");
  add_option(app, kWorkload, "--scale-lengths", "F",
             "Multiply every length by F (default: 1; 1/256 for tiny-* models)");
  add_option(app, kWorkload, "--seed", "N", "Seed of every draw (default: 0)");
}

void add_workload_options(CLI::App& app) {
  add_option(app, kWorkload, "--dataset", "NAME",
             "Shipped length distribution, repeatable; see `dcpbench dataset list`\n"
             "(default: text-* for 1D models, video-* for 2D models)");
  add_draw_options(app);
  add_option(app, kWorkload, "--seeds", "N",
             "Repeat for N seeds, --seed and the next; mean and spread (default: 1)");
  add_option(app, kWorkload, "--step-tokens", "N",
             "Tokens of an optimizer step; a step takes sequences in drawn order until\n"
             "the next would exceed it (default: 4194304)");
  add_option(app, kWorkload, "--step-sequences", "N|all",
             "Sequences of an optimizer step, instead of --step-tokens");
  add_option(app, kWorkload, "--oversize", "POLICY",
             "Sequences that fit at no SP degree: error, drop or truncate; the last\n"
             "two are counted in the report (default: error)");
}

void add_machine_options(CLI::App& app) {
  const char* group = "Model and machine";
  add_option(app, group, "--model", "NAME|FILE",
             "Model, repeatable; `dcpbench info` names the shipped ones\n"
             "(default: transformer-1d-1.2b on text-*, dit-2d-1.2b on video-*)");
  add_option(app, group, "--cluster", "NAME|FILE", "Cluster (default: h200-4x8)");
  add_option(app, group, "--gpus", "N",
             "Use N GPUs of the cluster's kind (default: the cluster's)");
  add_option(app, group, "--zero", "0|1|2|3", "ZeRO stage; 3 runs ranks in lockstep (default: 1)");
  add_option(app, group, "--tp", "N", "Tensor-parallel degree, cost model only (default: 1)");
  add_option(app, group, "--memory-fraction", "F",
             "Share of GPU memory that a plan may use (default: 0.90)");
  add_option(app, group, "--rank-tokens", "N",
             "Cap of tokens per rank in a micro-batch (default: none)");
  add_option(app, group, "--sp-method", "METHOD",
             "Sequence parallelism, ulysses or dsp (default: 1D ulysses, 2D dsp)");
}

void add_planning_options(CLI::App& app) {
  const char* group = kPlanning;
  add_option(app, group, "--strategy", "LIST",
             fmt::format("Comma-separated; default or all (default: the first {} of\n{})",
                         planner::kDefaultStrategies, fmt::join(strategy_names(), ", ")));
  add_option(app, group, "--accounting", "KIND",
             "equal: the workload fixes the sequences of every step; native: each\n"
             "strategy composes its own steps, as published (default: equal)");
  add_option(app, group, "--padding", "KIND",
             "longest (of the micro-batch) or none (default: longest; packed: none)");
  add_option(app, group, "--bucket-sp", "N|auto",
             "Fixed SP degree of bucket and packed; auto: the smallest at which the\n"
             "longest fits (default: the model's published degree, else auto)");
  add_option(app, group, "--bucket-edges", "LIST",
             "Upper edges of the length buckets, rising (default: powers of two;\n"
             "2D: one bucket per shape)");
  add_flag(app, group, "--no-median-cut",
           "Keep the largest batch of each bucket that fits (default: cut to the\n"
           "median bucket's time)");
  add_option(app, group, "--pack-tokens", "N", "Tokens of a pack (default: the largest that fits)");
  add_flag(app, group, "--drop-last",
           "Drop what can't fill a batch or round, counted in the report; needs\n"
           "--accounting native");
  add_option(app, group, "--min-accumulation", "N",
             "Least accumulation micro-batches per group and round of dcp-inter and\n"
             "dcp (default: 1; native: dcp-inter 2, dcp 15)");
  add_option(app, group, "--max-accumulation", "N",
             "Most accumulation micro-batches per group and round (default: none)");
  add_option(app, group, "--recompute", "KIND",
             "auto: the strategy's own choice; none or full for every micro-batch\n"
             "(default: auto)");
  add_option(app, group, "--recompute-layers", "N",
             "Recompute N layers in every micro-batch, instead of --recompute");
  add_option(app, group, "--plan-cluster", "NAME|FILE",
             "Plan for this cluster, execute on --cluster (default: the same)");
  add_option(app, group, "--max-communicators", "N",
             "Refuse plans that need more communicators per rank (default: none)");
}

void add_simulation_options(CLI::App& app) {
  const char* group = "Execution";
  add_option(app, group, "--plan", "FILE",
             "Execute this plan, made by `dcpbench plan` for the same workload");
  add_option(app, group, "--jitter", "F",
             "Multiply each rank's compute by 1 + F x u, u uniform in [0, 1)\n(default: 0)");
  add_option(app, group, "--slow-rank", "N", "This rank computes --slow-factor times longer");
  add_option(app, group, "--slow-factor", "F", "How much longer, at least 1");
}

bool JobOptions::packed_keeps_its_padding() const {
  const planner::Strategy* packed = planner::find_strategy("packed");
  return plan.padding == core::Padding::longest &&
         std::find(strategies.begin(), strategies.end(), packed) != strategies.end();
}

JobOptions read_job_options(const Arguments& arguments) {
  JobOptions options;
  read_workload(arguments, options);
  read_machine(arguments, options);
  read_planning(arguments, options);
  read_simulation(arguments, options);
  return options;
}

}  // namespace dcpbench::cli
