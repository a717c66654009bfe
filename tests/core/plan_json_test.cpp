#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/plan.hpp"
#include "core/random.hpp"
#include "tests/core/messages.hpp"

namespace dcpbench::core {
namespace {

using nlohmann::json;

// A random but self-consistent plan; ids are 0, 1, 2, ... in shuffled order.
Plan random_plan(std::uint64_t seed, bool lockstep) {
  Random random(seed);
  Plan plan;
  plan.strategy = "dcp";
  plan.accounting = random.below(2) == 0 ? Accounting::equal : Accounting::native;
  plan.padding = random.below(2) == 0 ? Padding::longest : Padding::none;
  plan.sp_method = random.below(2) == 0 ? SpMethod::ulysses : SpMethod::dsp;
  plan.ranks = 8;
  plan.layers = 28;
  plan.zero = lockstep ? 3 : 1;
  plan.lockstep = lockstep;
  plan.settings = {{"sp_degree", "8"}, {"quote \"", "\\ \xc3\xa9"}, {"empty", ""}};
  plan.warnings = {"one", "two \"quoted\""};
  const std::uint32_t steps = 1 + static_cast<std::uint32_t>(random.below(4));
  for (std::uint32_t s = 0; s < steps; ++s) {
    Step step;
    step.first_micro_batch = static_cast<std::uint32_t>(plan.micro_batches.size());
    step.micro_batch_count = 1 + static_cast<std::uint32_t>(random.below(6));
    step.rounds = lockstep ? static_cast<std::int32_t>(step.micro_batch_count) : 0;
    for (std::uint32_t m = 0; m < step.micro_batch_count; ++m) {
      MicroBatch batch;
      batch.sp_degree = 1 << random.below(4);
      batch.first_rank =
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(8 / batch.sp_degree)) *
                                    static_cast<std::uint64_t>(batch.sp_degree));
      batch.recompute_layers = static_cast<std::int32_t>(random.below(29));
      batch.round = lockstep ? static_cast<std::int32_t>(m) : 0;
      batch.first_sequence = static_cast<std::uint32_t>(plan.sequence_ids.size());
      batch.sequence_count = 1 + static_cast<std::uint32_t>(random.below(5));
      for (std::uint32_t i = 0; i < batch.sequence_count; ++i) {
        plan.sequence_ids.push_back(static_cast<std::uint32_t>(plan.sequence_ids.size()));
      }
      batch.loss_tokens = static_cast<std::int64_t>(random.below(UINT64_C(1) << 40));
      step.loss_tokens += batch.loss_tokens;
      plan.micro_batches.push_back(batch);
    }
    plan.steps.push_back(step);
  }
  shuffle(std::span(plan.sequence_ids), random);
  plan.dropped = {static_cast<std::uint32_t>(plan.sequence_ids.size()),
                  static_cast<std::uint32_t>(plan.sequence_ids.size()) + 7};
  mark_closing(plan);
  return plan;
}

TEST(PlanJson, RoundTripIsExact) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Plan plan = random_plan(seed, seed % 2 == 1);
    const std::string text = plan_to_json(plan);
    const Plan read = plan_from_json(text, "plan.json");
    EXPECT_EQ(plan_digest(read), plan_digest(plan));
    EXPECT_EQ(plan_to_json(read), text);
    EXPECT_EQ(read.accounting, plan.accounting);
    EXPECT_EQ(read.settings, plan.settings);
    EXPECT_EQ(read.warnings, plan.warnings);
    EXPECT_EQ(read.dropped, plan.dropped);
    EXPECT_EQ(read.sequence_ids, plan.sequence_ids);
    EXPECT_EQ(read.steps.size(), plan.steps.size());
  }
}

TEST(PlanJson, IsReadableByOthers) {
  const Plan plan = random_plan(3, true);
  const json value = json::parse(plan_to_json(plan));
  EXPECT_EQ(value["schema_version"], 1);
  EXPECT_EQ(value["plan_digest"], plan_digest(plan));
  EXPECT_EQ(value["settings"]["sp_degree"], "8");
  const json& batch = value["steps"][0]["micro_batches"][0];
  for (const char* key : {"first_rank", "sp_degree", "recompute_layers", "round", "closing",
                          "loss_tokens", "sequences"}) {
    EXPECT_TRUE(batch.contains(key)) << key;
  }
}

TEST(PlanJson, AnEmptyPlanSurvives) {
  Plan plan;
  plan.strategy = "none";
  EXPECT_EQ(plan_digest(plan_from_json(plan_to_json(plan), "")), plan_digest(plan));
}

TEST(PlanJson, AMillionSequences) {
  Plan plan;
  plan.strategy = "bucket";
  plan.ranks = 64;
  constexpr std::uint32_t kBatches = 200'000;
  constexpr std::uint32_t kPerBatch = 5;
  for (std::uint32_t i = 0; i < kBatches; ++i) {
    MicroBatch batch;
    batch.first_rank = static_cast<std::int32_t>(i % 64);
    batch.first_sequence = i * kPerBatch;
    batch.sequence_count = kPerBatch;
    plan.micro_batches.push_back(batch);
  }
  for (std::uint32_t i = 0; i < kBatches * kPerBatch; ++i) plan.sequence_ids.push_back(i);
  plan.steps = {{0, kBatches, 0, 0}};
  const std::string text = plan_to_json(plan);
  const Plan read = plan_from_json(text, "");
  EXPECT_EQ(read.sequence_ids, plan.sequence_ids);
  EXPECT_EQ(plan_digest(read), plan_digest(plan));
}

std::vector<std::string> mistakes(const json& value) {
  return messages_of([&] { (void)plan_from_json(value.dump(), "plan.json"); });
}

TEST(PlanJson, AnEditIsNoticed) {
  const Plan plan = random_plan(5, false);
  json value = json::parse(plan_to_json(plan));
  value["steps"][0]["micro_batches"][0]["recompute_layers"] =
      (plan.micro_batches[0].recompute_layers + 1) % 29;
  const auto messages = mistakes(value);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_TRUE(mentions(messages, "was edited after it was written"));
  EXPECT_TRUE(mentions(messages, plan_digest(plan)));
  // The digest that the message offers is the right one.
  const std::size_t at = messages[0].find("content gives ") + 14;
  value["plan_digest"] = messages[0].substr(at, 64);
  EXPECT_TRUE(mistakes(value).empty());
}

TEST(PlanJson, HostileNumbersAreRefused) {
  const json good = json::parse(plan_to_json(random_plan(7, true)));
  const auto with = [&good](const char* pointer, const json& replacement) {
    json value = good;
    value[json::json_pointer(pointer)] = replacement;
    return mistakes(value);
  };
  const std::string batch = "/steps/0/micro_batches/0/";
  const auto with_batch = [&](const char* key, const json& replacement) {
    return with((batch + key).c_str(), replacement);
  };
  EXPECT_TRUE(mentions(with("/ranks", 2'000'000'000), "ranks: 2000000000 is out of range"));
  EXPECT_TRUE(mentions(with("/ranks", 0), "ranks: 0 is out of range"));
  EXPECT_TRUE(mentions(with("/zero", 4), "zero"));
  EXPECT_TRUE(mentions(with_batch("first_rank", -1), "first_rank: -1 is out of range"));
  EXPECT_TRUE(mentions(with_batch("first_rank", 4294967296), "is out of range"));
  EXPECT_TRUE(mentions(with_batch("first_rank", 1e30), "expected a whole number"));
  EXPECT_TRUE(mentions(with_batch("sp_degree", 0), "sp_degree: 0 is out of range"));
  EXPECT_TRUE(mentions(with_batch("sp_degree", 9), "sp_degree: 9 is out of range"));
  json beyond = good;
  beyond[json::json_pointer(batch + "first_rank")] = 7;
  beyond[json::json_pointer(batch + "sp_degree")] = 2;
  EXPECT_TRUE(mentions(mistakes(beyond), "ranks 7 to 8 are beyond the plan's 8 ranks"));
  EXPECT_TRUE(mentions(with_batch("recompute_layers", 29), "allowed: 0 to 28"));
  EXPECT_TRUE(mentions(with_batch("round", 1000), "round: 1000 is out of range"));
  EXPECT_TRUE(mentions(with_batch("loss_tokens", -5), "loss_tokens: -5 is out of range"));
  EXPECT_TRUE(mentions(with_batch("loss_tokens", INT64_MAX), "is out of range"));
  EXPECT_TRUE(mentions(with_batch("loss_tokens", INT64_C(1) << 62), "sum to more than"));
  EXPECT_TRUE(mentions(with_batch("sequences", json::array()), "at least one sequence"));
  EXPECT_TRUE(mentions(with_batch("sequences", {4294967296}), "is out of range"));
  EXPECT_TRUE(mentions(with_batch("sequences", "0"), "expected an array"));
  EXPECT_TRUE(mentions(with_batch("closing", 1), "expected true or false"));
  EXPECT_TRUE(mentions(with_batch("sequence", 1), "did you mean \"sequences\""));
  EXPECT_TRUE(mentions(with("/schema_version", 2), "reads schema_version 1, found 2"));
  EXPECT_TRUE(mentions(with("/steps", json::object()), "steps: expected an array"));
  EXPECT_TRUE(mentions(with("/steps/0/rounds", 0), "rounds: 0 is out of range"));
  EXPECT_TRUE(mentions(with("/accounting", "eqal"), "did you mean \"equal\""));
  EXPECT_TRUE(mentions(with("/lockstep", false), "only a lockstep plan has rounds"));
}

TEST(PlanJson, SumsOfLossTokensCannotOverflow) {
  Plan plan = random_plan(2, false);
  plan.steps[0].loss_tokens = INT64_C(1) << 62;
  plan.steps.push_back(plan.steps[0]);
  EXPECT_TRUE(mentions(messages_of([&] { (void)plan_from_json(plan_to_json(plan), ""); }),
                       "sum to more than"));
}

TEST(PlanJson, WhateverIsReadIsSafeToIterate) {
  Random random(1);
  int read_plans = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    // The digest would catch nearly every edit before anything is returned.
    const std::string text = mutated(plan_to_json(random_plan(seed % 20, seed % 2 == 1)), random);
    const auto messages = messages_of([&] {
      Plan plan = plan_from_json(text, "plan.json");
      ++read_plans;
      mark_closing(plan);
      (void)count_empty_micro_batches(plan);
      (void)plan_digest(plan);
    });
    for (const std::string& message : messages) {
      const std::size_t at = message.find("content gives ");
      if (at == std::string::npos) continue;
      std::string accepted = text;
      const std::size_t key = accepted.find("\"plan_digest\": \"");
      if (key == std::string::npos) continue;
      const std::size_t first = key + 16;
      accepted.replace(first, accepted.find('"', first) - first, message.substr(at + 14, 64));
      EXPECT_TRUE(messages_of([&] {
                    Plan plan = plan_from_json(accepted, "plan.json");
                    ++read_plans;
                    mark_closing(plan);
                    (void)count_empty_micro_batches(plan);
                    (void)plan_digest(plan);
                  }).empty());
    }
  }
  EXPECT_GT(read_plans, 100);
}

TEST(PlanJson, TruncatedTextIsRefused) {
  const std::string text = plan_to_json(random_plan(11, true));
  for (std::size_t size = 0; size + 2 < text.size(); size += 7) {
    EXPECT_FALSE(messages_of([&] { (void)plan_from_json(text.substr(0, size), ""); }).empty());
  }
}

}  // namespace
}  // namespace dcpbench::core
