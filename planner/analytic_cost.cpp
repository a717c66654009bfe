#include "planner/analytic_cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "planner/rounding.hpp"

namespace dcpbench::planner {

namespace {

std::int32_t count_degrees_above_one(std::int32_t ranks, const auto& refuse) {
  std::int32_t count = 0;
  for (std::int64_t degree = 2; degree <= ranks; degree *= 2) {
    if (!refuse(static_cast<std::int32_t>(degree))) ++count;
  }
  return count;
}

bool breaks_head_rule(const LocalHeads& heads, std::int32_t degree) {
  return heads.heads % degree != 0 ||
         (heads.kv_heads % degree != 0 && degree % heads.kv_heads != 0);
}

core::SpMethod method_of(const core::Model& model, const CostOptions& options) {
  return options.sp_method.value_or(model.is_2d() ? core::SpMethod::dsp : core::SpMethod::ulysses);
}

Parallelism parallelism_of(const core::Cluster& cluster, const core::Model& model,
                           const CostOptions& options) {
  Parallelism result;
  result.ranks = cluster.gpus() / options.tp;
  result.tp = options.tp;
  result.zero = options.zero;
  result.sharding = sharding(model.is_2d(), method_of(model, options));
  const LocalHeads heads = local_heads(model, options.tp);
  result.sp_degrees = count_degrees_above_one(result.ranks, [&](std::int32_t degree) {
    return result.sharding != Sharding::dynamic && breaks_head_rule(heads, degree);
  });
  return result;
}

}  // namespace

AnalyticCost::AnalyticCost(const core::Cluster& cluster, const core::Model& model,
                           const CostOptions& options)
    : model_(model),
      tp_(options.tp),
      zero_(options.zero),
      ranks_(cluster.gpus() / options.tp),
      ranks_per_node_(cluster.gpus_per_node / options.tp),
      sp_method_(method_of(model, options)),
      sharding_(sharding(model.is_2d(), sp_method_)),
      heads_(local_heads(model, options.tp)),
      rank_tokens_(options.rank_tokens),
      capacity_(cluster.device.memory * options.memory_fraction),
      peak_flops_(cluster.device.peak.value() * cluster.gpus()),
      uncertainty_(cluster.uncertainty),
      gemm_(cluster.device.gemm, "device.gemm"),
      attention_(cluster.device, model.mask, model.head_dim()),
      collectives_(cluster),
      memory_(cluster, model, parallelism_of(cluster, model, options)),
      sync_(cluster, model, parallelism_of(cluster, model, options), collectives_) {
  const core::Device& device = cluster.device;
  const ModelWork work = model_work(model, std::max(model.kv_heads, options.tp));
  const LayerWork& layer = work.layer;
  const double flops = device.peak.value() * tp_;
  const double bytes = device.memory_bandwidth.value() * device.memory_efficiency * tp_;

  micro_batch_seconds_ = cluster.overheads.micro_batch.value();
  const double launch = device.kernel_launch.value();
  launch_ = {layer.forward_kernels * launch, layer.backward_kernels * launch};

  const double attention = layer.attention_flops_per_pair * attention_.waste() / flops;
  attention_rate_ = {attention, kAttentionBackward * attention};
  token_rate_ = {layer.forward_bytes_per_token / bytes, layer.backward_bytes_per_token / bytes};
  text_tokens_ = work.text_tokens;
  if (text_tokens_ > 0) {
    const AttentionRates rates(device, core::Mask::full, model.head_dim());
    const double text = layer.text_attention_flops_per_pair * rates.waste() / flops;
    token_rate_.forward += text * rates.forward(text_tokens_).size;
    token_rate_.backward += kAttentionBackward * text * rates.backward(text_tokens_).size;
  }
  layer_rate_ = layer.gemm_flops_per_token / flops;
  text_rate_ = layer.text_gemm_flops_per_text_token / flops;
  head_rate_ = work.head_flops_per_token / flops;
  text_once_rate_ = work.text_gemm_flops_per_text_token / flops;
  modulation_rate_ = work.modulation_flops_per_sequence / flops;
  token_once_rate_ = {work.forward_bytes_per_token / bytes, work.backward_bytes_per_token / bytes};
  layer_gradient_seconds_ = layer.gradient_bytes / bytes;
  once_gradient_seconds_ = work.gradient_bytes / bytes;
  hidden_bytes_ = 2.0 * model.hidden / tp_;
}

std::optional<std::string> AnalyticCost::refuse_degree(std::int32_t degree) const {
  if (degree < 1 || (degree & (degree - 1)) != 0) {
    return fmt::format("SP degree {} is not a power of two", degree);
  }
  if (degree > ranks_) {
    return fmt::format("SP degree {} is above the {} ranks of the cluster", degree, ranks_);
  }
  if (sharding_ == Sharding::dynamic || !breaks_head_rule(heads_, degree)) return std::nullopt;
  const std::string per_gpu = tp_ > 1 ? fmt::format(" at tensor-parallel degree {}", tp_) : "";
  if (heads_.heads % degree != 0) {
    return fmt::format("head rule: {} heads{} are not divisible by SP degree {}", heads_.heads,
                       per_gpu, degree);
  }
  return fmt::format(
      "head rule: neither do {} kv heads{} divide by SP degree {} nor the degree by the kv heads",
      heads_.kv_heads, per_gpu, degree);
}

std::int64_t AnalyticCost::executed_tokens(std::span<const ShapeGroup> shapes,
                                           std::int32_t degree) const {
  return executed_tokens_of(shapes, degree, sharding_);
}

void AnalyticCost::add_attention(const LocalShape& local, Work& work) const {
  work.tokens += local.tokens;
  const auto length = static_cast<double>(local.length);
  const Effective forward = attention_.forward(length);
  const Effective backward = attention_.backward(length);
  work.forward_keys += local.queries * forward.size;
  work.backward_keys += local.queries * backward.size;
  work.extrapolation =
      std::max({work.extrapolation, forward.extrapolation, backward.extrapolation});
  if (local.frames == 0) return;
  work.video_tokens += local.tokens;
  const auto frames = static_cast<double>(local.frames);
  const Effective temporal_forward = attention_.forward(frames);
  const Effective temporal_backward = attention_.backward(frames);
  work.forward_keys += local.queries * temporal_forward.size;
  work.backward_keys += local.queries * temporal_backward.size;
  work.extrapolation = std::max(
      {work.extrapolation, temporal_forward.extrapolation, temporal_backward.extrapolation});
}

AnalyticCost::Work AnalyticCost::measured_work(std::span<const ShapeGroup> shapes,
                                               std::int32_t degree) const {
  Work work;
  for_each_local(shapes, degree, sharding_,
                 [&](const LocalShape& local) { add_attention(local, work); });
  const Effective rows = gemm_.at(work.tokens);
  work.rows = rows.size;
  work.extrapolation = std::max(work.extrapolation, rows.extrapolation);
  if (text_tokens_ > 0 || model_.modulated) {
    double sequences = 0;
    for (const ShapeGroup& group : shapes) sequences += static_cast<double>(group.count);
    if (text_tokens_ > 0) work.text_rows = gemm_.at(sequences * text_tokens_).size;
    if (model_.modulated) work.sequence_rows = gemm_.at(sequences).size;
  }
  return work;
}

AnalyticCost::Direction AnalyticCost::layer_work_seconds(const Work& work) const {
  const double gemm = layer_rate_ * work.rows + text_rate_ * work.text_rows;
  return {gemm + attention_rate_.forward * work.forward_keys + token_rate_.forward * work.tokens,
          kGemmBackward * gemm + attention_rate_.backward * work.backward_keys +
              token_rate_.backward * work.tokens};
}

AnalyticCost::Direction AnalyticCost::once_seconds(const Work& work) const {
  const double gemm = head_rate_ * work.rows + text_once_rate_ * work.text_rows +
                      modulation_rate_ * work.sequence_rows;
  return {gemm + token_once_rate_.forward * work.tokens,
          kGemmBackward * gemm + token_once_rate_.backward * work.tokens};
}

template <class Transfer>
void AnalyticCost::layer_transfers(const Work& work, Group group, Transfer&& transfer) const {
  if (group.degree > 1) {
    const CollectiveTimer all_to_all =
        collectives_.timer(core::Collective::all_to_all, group.degree, group.nodes);
    if (sharding_ == Sharding::dynamic) {
      transfer(all_to_all, hidden_bytes_ * work.tokens, Direction{2, 2});
    } else {
      const double kv_share =
          static_cast<double>(std::max(heads_.kv_heads, group.degree)) / heads_.heads;
      const auto attention = [&](double tokens) {
        if (tokens <= 0) return;
        const double bytes = hidden_bytes_ * tokens;
        transfer(all_to_all, bytes, Direction{2, 2});
        transfer(all_to_all, bytes * kv_share, Direction{2, 2});
      };
      attention(work.tokens);
      attention(work.video_tokens);
    }
  }
  if (tp_ > 1) {
    // Buffers are those of the whole rank: hidden_bytes_ is a GPU's share.
    const double bytes = hidden_bytes_ * tp_ * work.tokens;
    const double sub_layers = (model_.is_2d() ? 2 : 1) * (text_tokens_ > 0 ? 3 : 2);
    transfer(collectives_.timer(core::Collective::all_gather, tp_, 1), bytes,
             Direction{sub_layers, 2 * sub_layers});
    transfer(collectives_.timer(core::Collective::reduce_scatter, tp_, 1), bytes,
             Direction{sub_layers, sub_layers});
  }
}

template <class Transfer>
void AnalyticCost::end_transfers(const Work& work, Group group, Transfer&& transfer) const {
  if (group.degree > 1 && sharding_ == Sharding::dynamic) {
    transfer(collectives_.timer(core::Collective::all_gather, group.degree, group.nodes),
             hidden_bytes_ * work.tokens * group.degree, 1.0);
  }
}

MicroBatchCost AnalyticCost::micro_batch(std::span<const ShapeGroup> shapes, Group group,
                                         std::int32_t recompute_layers) const {
  const Work work = measured_work(shapes, group.degree);
  Direction layer = layer_work_seconds(work);
  layer.forward = std::max(layer.forward, launch_.forward);
  layer.backward = std::max(layer.backward + layer_gradient_seconds_, launch_.backward);
  Direction once = once_seconds(work);
  once.backward += once_gradient_seconds_;

  double extrapolation = work.extrapolation;
  const auto seconds_of = [&extrapolation](const CollectiveTimer& timer, double bytes) {
    const CollectiveTime time = timer(bytes);
    extrapolation = std::max(extrapolation, time.extrapolation);
    return time.seconds;
  };
  Direction layer_transfer;
  double end_transfer = 0;  // of one direction
  layer_transfers(work, group, [&](const CollectiveTimer& timer, double bytes, Direction count) {
    const double seconds = seconds_of(timer, bytes);
    layer_transfer.forward += count.forward * seconds;
    layer_transfer.backward += count.backward * seconds;
  });
  end_transfers(work, group, [&](const CollectiveTimer& timer, double bytes, double count) {
    end_transfer += count * seconds_of(timer, bytes);
  });

  const double layers = model_.layers;
  const double recomputed = recompute_layers;
  const double recompute = recomputed * layer.forward;
  MicroBatchCost cost;
  cost.compute = rounded(micro_batch_seconds_ + layers * (layer.forward + layer.backward) +
                         once.forward + once.backward);
  cost.recompute = rounded(recompute);
  const double backward_transfer =
      layers * layer_transfer.backward + recomputed * layer_transfer.forward + end_transfer;
  cost.communication = rounded(layers * layer_transfer.forward + end_transfer + backward_transfer);
  cost.backward = rounded(layers * layer.backward + once.backward + recompute + backward_transfer);
  cost.extrapolation = extrapolation;
  return cost;
}

core::Nanoseconds AnalyticCost::marginal_floor(const core::Shape& shape, Group group,
                                               std::int32_t recompute_layers) const {
  Work work;
  add_attention(least_local(shape, group.degree, sharding_), work);
  work.rows = gemm_.best() * work.tokens;
  work.text_rows = gemm_.best() * text_tokens_;
  work.sequence_rows = gemm_.best();
  const Direction layer = layer_work_seconds(work);
  const Direction once = once_seconds(work);
  const double layers = model_.layers;
  const double recomputed = recompute_layers;
  double transfer = 0;
  layer_transfers(work, group, [&](const CollectiveTimer& timer, double bytes, Direction count) {
    transfer += (layers * (count.forward + count.backward) + recomputed * count.forward) *
                (bytes * timer.least_seconds_per_byte());
  });
  end_transfers(work, group, [&](const CollectiveTimer& timer, double bytes, double count) {
    transfer += 2 * count * (bytes * timer.least_seconds_per_byte());
  });

  const double seconds = layers * (layer.forward + layer.backward) + recomputed * layer.forward +
                         once.forward + once.backward + transfer;
  return rounded_down(seconds * 1e9);
}

std::vector<MemoryPart> AnalyticCost::memory_parts(std::span<const ShapeGroup> shapes,
                                                   std::int32_t degree,
                                                   std::int32_t recompute_layers) const {
  return memory_.parts(shapes, degree, recompute_layers);
}

core::Bytes AnalyticCost::peak_memory(std::span<const ShapeGroup> shapes, std::int32_t degree,
                                      std::int32_t recompute_layers) const {
  return memory_.peak(shapes, degree, recompute_layers);
}

}  // namespace dcpbench::planner
