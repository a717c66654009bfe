#include "core/sequence.hpp"

#include <gtest/gtest.h>

namespace dcpbench::core {
namespace {

Workload lengths(std::initializer_list<std::int64_t> values) {
  Workload workload;
  for (const std::int64_t tokens : values)
    workload.sequences.push_back({{tokens, 0, 0}, tokens, 0});
  return workload;
}

TEST(Steps, TakeSequencesUntilTheNextWouldExceed) {
  Workload workload = lengths({4, 4, 3, 20, 1});
  split_steps_by_tokens(workload, 10);
  // 4+4 (3 more would make 11) | 3 (20 more) | 20 alone, above the limit | 1
  ASSERT_EQ(workload.steps.size(), 4u);
  EXPECT_EQ(workload.steps[0].count, 2u);
  EXPECT_EQ(workload.steps[1].count, 1u);
  EXPECT_EQ(workload.steps[2].count, 1u);
  EXPECT_EQ(workload.steps[3].first, 4u);
}

TEST(Steps, ByCountKeepTheShortTail) {
  Workload workload = lengths({1, 1, 1, 1, 1});
  split_steps_by_count(workload, 2);
  ASSERT_EQ(workload.steps.size(), 3u);
  EXPECT_EQ(workload.steps[2].count, 1u);
}

TEST(WorkloadHash, DependsOnValuesAndSteps) {
  Workload a = lengths({1, 2, 3});
  Workload b = lengths({1, 2, 3});
  single_step(a);
  single_step(b);
  b.dataset = "another name";
  EXPECT_EQ(workload_sha256(a), workload_sha256(b));
  split_steps_by_count(b, 1);
  EXPECT_NE(workload_sha256(a), workload_sha256(b));
  b = lengths({1, 23});
  Workload c = lengths({12, 3});
  single_step(b);
  single_step(c);
  EXPECT_NE(workload_sha256(b), workload_sha256(c));
}

}  // namespace
}  // namespace dcpbench::core
