// What planners rely on, over random micro-batches on the shipped clusters and models.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/configs.hpp"
#include "core/random.hpp"
#include "planner/make_cost_model.hpp"
#include "small_cluster.hpp"

namespace dcpbench::planner {
namespace {

constexpr int kTrials = 3000;

struct Setting {
  std::string cluster;
  std::string model;
  CostOptions options;
};

std::vector<Setting> settings() {
  CostOptions ulysses;
  ulysses.sp_method = core::SpMethod::ulysses;
  CostOptions tensor;
  tensor.tp = 2;
  return {{"h200-4x8", "transformer-1d-1.2b", {}}, {"h200-4x8", "llama-8b", {}},
          {"h200-4x8", "dit-2d-1.2b", {}},         {"h200-4x8", "dit-2d-1.2b", ulysses},
          {"h100-4x8", "llama-70b", tensor},       {"cpu-generic", "tiny-2d", {}}};
}

// Short and long sequences alike: the number of bits is uniform.
std::int64_t random_size(core::Random& random, std::uint64_t bits) {
  return 1 + static_cast<std::int64_t>(random.below(UINT64_C(1) << (1 + random.below(bits))));
}

core::Shape random_shape(core::Random& random, bool is_2d) {
  if (!is_2d) return {random_size(random, 17), 0, 0};
  const std::int64_t frames = random.below(2) == 0 ? 1 : random_size(random, 6);
  const std::int64_t per_frame = random_size(random, 11);
  return {frames * per_frame, frames, per_frame};
}

std::vector<ShapeGroup> grouped(std::vector<core::Shape> shapes) {
  std::sort(shapes.begin(), shapes.end());
  std::vector<ShapeGroup> groups;
  for (const core::Shape& shape : shapes) {
    if (!groups.empty() && groups.back().shape == shape) {
      ++groups.back().count;
    } else {
      groups.push_back({shape, 1});
    }
  }
  return groups;
}

struct Trial {
  std::vector<core::Shape> shapes;
  Group group;
  std::int32_t recompute = 0;
};

Trial random_trial(core::Random& random, const CostModel& cost) {
  Trial trial;
  const std::uint64_t count = 1 + random.below(12);
  for (std::uint64_t i = 0; i < count; ++i) {
    // Equal shapes are common.
    if (i > 0 && random.below(3) == 0) {
      trial.shapes.push_back(trial.shapes[random.below(i)]);
    } else {
      trial.shapes.push_back(random_shape(random, cost.is_2d()));
    }
  }
  const std::vector<std::int32_t> degrees = cost.allowed_degrees();
  trial.group = cost.worst_group(degrees[random.below(degrees.size())]);
  trial.recompute =
      static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(cost.layers()) + 1));
  return trial;
}

void expect_not_below(const MicroBatchCost& more, const MicroBatchCost& less) {
  EXPECT_GE(more.compute, less.compute);
  EXPECT_GE(more.recompute, less.recompute);
  EXPECT_GE(more.communication, less.communication);
  EXPECT_GE(more.total(), less.total());
}

class CostProperty : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    const Setting& setting = GetParam();
    cluster_ = core::load_cluster(setting.cluster);
    model_ = core::load_model(setting.model);
    cost_ = make_cost_model(cluster_, &model_, setting.options);
  }
  core::Cluster cluster_;
  core::Model model_;
  std::unique_ptr<CostModel> cost_;
  core::Random random_{17};
};

TEST_P(CostProperty, NeverFallsWhenASequenceIsAddedOrMadeLongerOrMoreIsRecomputed) {
  for (int i = 0; i < kTrials && !HasFailure(); ++i) {
    const Trial trial = random_trial(random_, *cost_);
    const auto shapes = grouped(trial.shapes);
    const MicroBatchCost base = cost_->micro_batch(shapes, trial.group, trial.recompute);
    const core::Bytes memory = cost_->peak_memory(shapes, trial.group.degree, trial.recompute);

    std::vector<core::Shape> added = trial.shapes;
    added.push_back(random_shape(random_, cost_->is_2d()));
    const auto added_shapes = grouped(added);
    expect_not_below(cost_->micro_batch(added_shapes, trial.group, trial.recompute), base);
    EXPECT_GE(cost_->peak_memory(added_shapes, trial.group.degree, trial.recompute), memory);
    EXPECT_GE(cost_->executed_tokens(added_shapes, trial.group.degree),
              cost_->executed_tokens(shapes, trial.group.degree));

    std::vector<core::Shape> longer = trial.shapes;
    core::Shape& shape = longer[random_.below(longer.size())];
    if (!shape.is_2d()) {
      shape.tokens += random_size(random_, 12);
    } else {
      (random_.below(2) == 0 ? shape.frames : shape.tokens_per_frame) += random_size(random_, 6);
      shape.tokens = shape.frames * shape.tokens_per_frame;
    }
    const auto longer_shapes = grouped(longer);
    expect_not_below(cost_->micro_batch(longer_shapes, trial.group, trial.recompute), base);
    EXPECT_GE(cost_->peak_memory(longer_shapes, trial.group.degree, trial.recompute), memory);

    if (trial.recompute < cost_->layers()) {
      expect_not_below(cost_->micro_batch(shapes, trial.group, trial.recompute + 1), base);
      EXPECT_LE(cost_->peak_memory(shapes, trial.group.degree, trial.recompute + 1), memory);
    }
  }
}

TEST_P(CostProperty, FloorsOfTheSequencesAreBelowTheMicroBatch) {
  std::int64_t floor_sum = 0;
  std::int64_t total_sum = 0;
  for (int i = 0; i < kTrials && !HasFailure(); ++i) {
    const Trial trial = random_trial(random_, *cost_);
    const MicroBatchCost base =
        cost_->micro_batch(grouped(trial.shapes), trial.group, trial.recompute);
    core::Nanoseconds floors(0);
    for (const core::Shape& shape : trial.shapes) {
      floors += cost_->marginal_floor(shape, trial.group, trial.recompute);
    }
    EXPECT_LE(floors, base.total());
    EXPECT_LE(base.backward, base.total());
    EXPECT_GE(base.extrapolation, 1);
    floor_sum += floors.value();
    total_sum += base.total().value();
  }
  // A bound of nearly nothing would hold too.
  EXPECT_GT(static_cast<double>(floor_sum), 0.3 * static_cast<double>(total_sum));
}

TEST_P(CostProperty, BetterHardwareIsNeverSlower) {
  core::Cluster better = cluster_;
  better.device.peak = better.device.peak * 1.37;
  better.device.memory_bandwidth = better.device.memory_bandwidth * 1.11;
  better.intra_node.bandwidth = better.intra_node.bandwidth * 1.23;
  better.inter_node.bandwidth = better.inter_node.bandwidth * 1.41;
  const auto fast = make_cost_model(better, &model_, GetParam().options);
  EXPECT_LE(fast->step().gradient_sync, cost_->step().gradient_sync);
  EXPECT_LE(fast->step().optimizer, cost_->step().optimizer);
  for (int i = 0; i < kTrials && !HasFailure(); ++i) {
    const Trial trial = random_trial(random_, *cost_);
    const auto shapes = grouped(trial.shapes);
    expect_not_below(cost_->micro_batch(shapes, trial.group, trial.recompute),
                     fast->micro_batch(shapes, trial.group, trial.recompute));
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, CostProperty, testing::ValuesIn(settings()),
                         [](const testing::TestParamInfo<Setting>& setting) {
                           std::string name = setting.param.cluster + "_" + setting.param.model +
                                              "_" + std::to_string(setting.index);
                           for (char& c : name) {
                             if (c == '-' || c == '.') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace dcpbench::planner
