// The rules of a plan make it free of deadlock even if every rank blocks in every collective.
#include "tests/support/blocking_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "core/random.hpp"
#include "tests/support/plan_builder.hpp"

namespace dcpbench::test_support {
namespace {

TEST(BlockingWorld, TwoGroupsInOppositeOrderHang) {
  BlockingWorld world(4);
  world.add(0, {0, 2, "pair"});
  world.add(0, {0, 4, "all"});
  world.add(1, {0, 4, "all"});
  world.add(1, {0, 2, "pair"});
  world.add(2, {0, 4, "all"});
  world.add(3, {0, 4, "all"});
  EXPECT_EQ(world.run(),
            "rank 0 waits in pair of [0, 2) for rank 1 (in all of [0, 4))\n"
            "rank 1 waits in all of [0, 4) for rank 0 (in pair of [0, 2))\n"
            "rank 2 waits in all of [0, 4) for rank 0 (in pair of [0, 2))\n"
            "rank 3 waits in all of [0, 4) for rank 0 (in pair of [0, 2))\n");
}

TEST(BlockingWorld, AMissingCallHangs) {
  BlockingWorld world(2);
  world.add(0, {0, 2, "update"});
  EXPECT_EQ(world.run(), "rank 0 waits in update of [0, 2) for rank 1 (finished)\n");
}

TEST(BlockingWorld, TwoMicroBatchesOfOneGroupInOppositeOrderAreAMixUp) {
  BlockingWorld world(2);
  world.add(0, {0, 2, "forward 0"});
  world.add(0, {0, 2, "forward 1"});
  world.add(1, {0, 2, "forward 1"});
  world.add(1, {0, 2, "forward 0"});
  EXPECT_EQ(world.run(), "rank 1 is in forward 1 of [0, 2) while rank 0 is in forward 0 of [0, 2)");
}

TEST(BlockingWorld, RandomPlansNeverHang) {
  core::Random random(31);
  for (int i = 0; i < 1000; ++i) {
    const auto ranks = static_cast<std::int32_t>(1 + random.below(33));
    const PlannedWorkload planned = random_plan(random, ranks, i % 3 == 0);
    EXPECT_EQ(blocking_world(planned.plan).run(), std::nullopt) << "case " << i;
  }
}

// The closing mark is what makes the overlap safe: rank 1's last micro-batch is shared with rank 0,
// which still has another to run.
TEST(BlockingWorld, OverlapOutsideAClosingMicroBatchHangs) {
  PlannedWorkload planned(2);
  planned.begin_step();
  planned.add(0, 2, {100});
  planned.add(0, 1, {10});
  core::mark_closing(planned.plan);
  EXPECT_EQ(blocking_world(planned.plan).run(), std::nullopt);

  BlockingWorld world(2);
  world.add_to_all({0, 2, "forward 0"});
  world.add(1, {0, 2, "reduction"});  // the last of rank 1, not of its block
  world.add_to_all({0, 2, "backward 0"});
  world.add(0, {0, 1, "forward 1"});
  world.add(0, {0, 2, "reduction"});
  EXPECT_TRUE(world.run().has_value());
}

}  // namespace
}  // namespace dcpbench::test_support
