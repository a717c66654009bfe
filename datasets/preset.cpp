#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/did_you_mean.hpp"
#include "core/error.hpp"
#include "datasets/dataset.hpp"
#include "datasets/preset_tables.hpp"

namespace dcpbench::datasets {

namespace {

constexpr std::uint64_t kZipfScale = std::uint64_t{1} << 32;
constexpr std::uint64_t kZipfOffset = 5;

// 2^32 / n^3, rounded half up: relative error below 2e-6 for n up to 25.
constexpr std::uint64_t inverse_cube(std::uint64_t n) {
  const std::uint64_t cube = n * n * n;
  return (2 * kZipfScale + cube) / (2 * cube);
}

// One resolution and frame count of Open-Sora 1.2: S = tokens per latent frame after the 8x VAE and
// 2x2 patches, T = floor(5 frames / 17) latent frames (1 for an image).
struct Resolution {
  std::int64_t height;  // nominal, as in "144p"
  std::int64_t tokens_per_frame;
};
constexpr std::array<Resolution, 5> kResolutions = {
    {{144, 144}, {240, 405}, {360, 920}, {480, 1590}, {720, 3600}}};
constexpr std::array<std::int64_t, 4> kVideoFrames = {51, 102, 204, 408};

constexpr std::int64_t latent_frames(std::int64_t frames) { return 5 * frames / 17; }

core::Shape shape_2d(std::int64_t frames, std::int64_t tokens_per_frame) {
  return {frames * tokens_per_frame, frames, tokens_per_frame};
}

// Images : videos = images_per_video : 1 by count. Within images (by resolution) and within videos
// (by frames x nominal height, ties by resolution) the i-th has a weight of (i + 5)^-3. The two
// Zipf laws are mixed exactly: an image weighs a_i * R * sum(b), a video b_j * sum(a).
Dataset video(std::string_view name, std::string_view what, std::uint64_t images_per_video) {
  struct Video {
    std::int64_t size;
    core::Shape shape;
  };
  std::vector<Video> videos;
  for (const Resolution& resolution : kResolutions) {
    for (const std::int64_t frames : kVideoFrames) {
      videos.push_back({frames * resolution.height,
                        shape_2d(latent_frames(frames), resolution.tokens_per_frame)});
    }
  }
  std::stable_sort(videos.begin(), videos.end(),
                   [](const Video& a, const Video& b) { return a.size < b.size; });

  std::uint64_t image_sum = 0;
  std::uint64_t video_sum = 0;
  for (std::size_t i = 1; i <= kResolutions.size(); ++i) image_sum += inverse_cube(i + kZipfOffset);
  for (std::size_t i = 1; i <= videos.size(); ++i) video_sum += inverse_cube(i + kZipfOffset);

  Dataset dataset;
  dataset.name = name;
  dataset.is_2d = true;
  dataset.summary =
      fmt::format("images and videos of 144p to 720p, {} : 1 by count: {}", images_per_video, what);
  dataset.source =
      "published synthetic workload of DCP (VideoSys dcp branch: zipf alpha 3, offset 5, "
      "image_mixing_frac "
      "50, 10 or 1), shapes of Open-Sora 1.2";
  for (std::size_t i = 0; i < kResolutions.size(); ++i) {
    dataset.distribution.push_back(
        {shape_2d(1, kResolutions[i].tokens_per_frame),
         inverse_cube(i + 1 + kZipfOffset) * images_per_video * video_sum});
  }
  for (std::size_t i = 0; i < videos.size(); ++i) {
    dataset.distribution.push_back(
        {videos[i].shape, inverse_cube(i + 1 + kZipfOffset) * image_sum});
  }
  return dataset;
}

// Rungs 1k, 2k, ... 256k (i = 1 to 9); weight_base(i)^-3.
Dataset text(std::string_view name, std::string_view what,
             std::uint64_t (*weight)(std::uint64_t rung)) {
  constexpr std::uint64_t kRungs = 9;
  Dataset dataset;
  dataset.name = name;
  dataset.summary = fmt::format("documents of 1k to 256k tokens (k = 1024): {}", what);
  dataset.source = "our choice";
  for (std::uint64_t i = 1; i <= kRungs; ++i) {
    dataset.distribution.push_back({{std::int64_t{1024} << (i - 1), 0, 0}, weight(i)});
  }
  return dataset;
}

Dataset real(const RealPreset& preset) {
  Dataset dataset;
  dataset.name = preset.name;
  dataset.summary = preset.summary;
  dataset.source = preset.source;
  for (const LengthCount& row : preset.histogram) {
    dataset.distribution.push_back({{row.length, 0, 0}, row.weight});
  }
  return dataset;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names = {"video-short", "video-balanced", "video-long",
                                    "text-short",  "text-balanced",  "text-long"};
  for (const RealPreset& preset : real_presets()) names.emplace_back(preset.name);
  return names;
}

Dataset preset(std::string_view name) {
  if (name == "video-short") return video("video-short", "short sequences dominate", 50);
  if (name == "video-balanced") return video("video-balanced", "balanced", 10);
  if (name == "video-long") return video("video-long", "long sequences dominate", 1);
  if (name == "text-short") {
    return text("text-short", "weights (i + 5)^-3, short ones dominate",
                [](std::uint64_t i) { return inverse_cube(i + 5); });
  }
  if (name == "text-balanced") {
    return text("text-balanced", "every length equally often",
                [](std::uint64_t) { return std::uint64_t{1}; });
  }
  if (name == "text-long") {
    return text("text-long", "weights (15 - i)^-3, long ones dominate",
                [](std::uint64_t i) { return inverse_cube(15 - i); });
  }
  for (const RealPreset& real_preset : real_presets()) {
    if (real_preset.name == name) return real(real_preset);
  }
  const std::vector<std::string> names = preset_names();
  throw core::Error(
      core::ErrorKind::usage,
      fmt::format("unknown dataset \"{}\"{}; datasets are {}; lengths of your own are given "
                  "with --lengths FILE",
                  name.substr(0, 80), core::did_you_mean(name, names),
                  std::accumulate(names.begin() + 1, names.end(), names[0],
                                  [](const std::string& all, const std::string& next) {
                                    return all + ", " + next;
                                  })));
}

}  // namespace dcpbench::datasets
