#include "planner/shapes.hpp"

#include <algorithm>

namespace dcpbench::planner {

void executed_shapes(std::span<const std::uint32_t> ids, const core::Workload& workload,
                     core::Padding padding, std::vector<ShapeGroup>& out) {
  out.clear();
  if (padding == core::Padding::longest) {
    core::Shape longest;
    for (const std::uint32_t id : ids) longest = hull(longest, workload.sequences[id].shape);
    out.push_back({longest, static_cast<std::int64_t>(ids.size())});
    return;
  }
  for (const std::uint32_t id : ids) {
    const core::Shape& shape = workload.sequences[id].shape;
    if (!out.empty() && out.back().shape == shape) {
      ++out.back().count;
    } else {
      out.push_back({shape, 1});
    }
  }
  std::sort(out.begin(), out.end(),
            [](const ShapeGroup& a, const ShapeGroup& b) { return a.shape < b.shape; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (out[i].shape == out[last].shape) {
      out[last].count += out[i].count;
    } else {
      out[++last] = out[i];
    }
  }
  out.resize(last + 1);
}

core::Shape hull(const core::Shape& a, const core::Shape& b) {
  core::Shape shape{std::max(a.tokens, b.tokens), std::max(a.frames, b.frames),
                    std::max(a.tokens_per_frame, b.tokens_per_frame)};
  if (shape.is_2d()) {
    // Two long and narrow shapes across each other can leave 64 bits.
    __extension__ using Wide = __int128;
    const Wide tokens = Wide{shape.frames} * shape.tokens_per_frame;
    shape.tokens = static_cast<std::int64_t>(std::min(tokens, Wide{INT64_C(1) << 62}));
  }
  return shape;
}

}  // namespace dcpbench::planner
