#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/cluster.hpp"
#include "core/json_reader.hpp"
#include "core/model.hpp"
#include "core/plan.hpp"

namespace dcpbench::core {

namespace {

constexpr std::int64_t kSchemaVersion = 1;
constexpr std::array<std::string_view, 2> kAccountingNames = {"equal", "native"};
constexpr std::array<std::string_view, 2> kPaddingNames = {"longest", "none"};
constexpr std::array<std::string_view, 2> kSpMethodNames = {"ulysses", "dsp"};

// Limits that keep every later sum within 64 bits, whatever a file says.
constexpr std::int64_t kMaxRounds = kMaxSequences;
constexpr std::int64_t kMaxLossTokens = INT64_C(1) << 62;

// A JSON string literal; bytes that are not UTF-8 are replaced.
std::string json_string(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class PlanWriter {
 public:
  explicit PlanWriter(const Plan& plan) : plan_(plan) {}

  std::string write() {
    put("{{\n  \"schema_version\": {},\n  \"strategy\": {},\n", kSchemaVersion,
        json_string(plan_.strategy));
    put("  \"accounting\": \"{}\",\n  \"padding\": \"{}\",\n  \"sp_method\": \"{}\",\n",
        to_string(plan_.accounting), to_string(plan_.padding), to_string(plan_.sp_method));
    put("  \"ranks\": {},\n  \"layers\": {},\n  \"zero\": {},\n  \"lockstep\": {},\n", plan_.ranks,
        plan_.layers, plan_.zero, plan_.lockstep);
    put("  \"plan_digest\": \"{}\",\n", plan_digest(plan_));
    put_settings();
    put("  \"warnings\": [");
    put_separated(plan_.warnings,
                  [this](const std::string& warning) { put("{}", json_string(warning)); });
    put("],\n  \"dropped\": ");
    put_ids(plan_.dropped);
    put(",\n  \"steps\": [");
    put_separated(plan_.steps, [this](const Step& step) { put_step(step); });
    put("\n  ]\n}}\n");
    return fmt::to_string(out_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  template <class Items, class PutItem>
  void put_separated(const Items& items, PutItem put_item) {
    bool first = true;
    for (const auto& item : items) {
      if (!first) put(", ");
      first = false;
      put_item(item);
    }
  }

  void put_ids(std::span<const std::uint32_t> ids) {
    out_.push_back('[');
    put_separated(ids, [this](std::uint32_t id) {
      const fmt::format_int digits(id);
      out_.append(digits.data(), digits.data() + digits.size());
    });
    out_.push_back(']');
  }

  void put_settings() {
    std::vector<std::string> names;
    for (const auto& [name, value] : plan_.settings) names.push_back(name);
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
      throw std::logic_error("plan_to_json: a setting is named twice");
    }
    put("  \"settings\": {{");
    put_separated(plan_.settings, [this](const auto& setting) {
      put("{}: {}", json_string(setting.first), json_string(setting.second));
    });
    put("}},\n");
  }

  void put_step(const Step& step) {
    put("\n    {{\"loss_tokens\": {}, ", step.loss_tokens);
    if (plan_.lockstep) put("\"rounds\": {}, ", step.rounds);
    put("\"micro_batches\": [");
    put_separated(plan_.micro_batches_of(step), [this](const MicroBatch& batch) {
      put("\n      {{\"first_rank\": {}, \"sp_degree\": {}, \"recompute_layers\": {}, ",
          batch.first_rank, batch.sp_degree, batch.recompute_layers);
      if (plan_.lockstep) put("\"round\": {}, ", batch.round);
      put("\"closing\": {}, \"loss_tokens\": {}, \"sequences\": ", batch.closing,
          batch.loss_tokens);
      put_ids(plan_.sequences_of(batch));
      out_.push_back('}');
    });
    put("]}}");
  }

  const Plan& plan_;
  fmt::memory_buffer out_;
};

class PlanReader {
 public:
  PlanReader(std::string_view text, std::string_view origin)
      : document_(text, origin), mistakes_(document_) {}

  Plan read() {
    ObjectReader object(document_.root(), mistakes_);
    read_schema_version(object);
    plan_.strategy = object.name("strategy");
    plan_.accounting =
        object.one_of("accounting", kAccountingNames) == 0 ? Accounting::equal : Accounting::native;
    plan_.padding = object.one_of("padding", kPaddingNames) == 0 ? Padding::longest : Padding::none;
    plan_.sp_method =
        object.one_of("sp_method", kSpMethodNames) == 0 ? SpMethod::ulysses : SpMethod::dsp;
    plan_.ranks = integer(object, "ranks", 1, kMaxGpus);
    plan_.layers = integer(object, "layers", 0, kMaxLayers);
    plan_.zero = integer(object, "zero", 0, 3);
    plan_.lockstep = object.boolean("lockstep");
    const auto digest = object.required("plan_digest");
    if (const auto settings = object.required("settings")) read_settings(*settings);
    if (const auto warnings = object.required("warnings")) read_warnings(*warnings);
    if (const auto dropped = object.required("dropped")) read_ids(*dropped, plan_.dropped);
    // The ranges in steps depend on the values above.
    const bool can_read_steps = mistakes_.empty();
    const auto steps = object.required("steps");
    if (steps && is_array(*steps, 0, mistakes_) && can_read_steps) {
      plan_.steps.reserve(steps->size());
      for (const JsonValue step : *steps) read_step(step);
    }
    object.finish();
    mistakes_.throw_if_any();
    if (digest) check_digest(*digest);
    mistakes_.throw_if_any();
    return std::move(plan_);
  }

 private:
  std::int32_t integer(ObjectReader& object, std::string_view key, std::int64_t low,
                       std::int64_t high) {
    return static_cast<std::int32_t>(object.integer(key, low, high));
  }

  void read_schema_version(ObjectReader& object) {
    const auto version = object.required("schema_version");
    if (!version || (version->is(JsonKind::integer) && version->integer() == kSchemaVersion))
      return;
    mistakes_.add(*version, fmt::format("this program reads schema_version {}, found {}",
                                        kSchemaVersion, version->shown()));
    mistakes_.throw_if_any();  // the other keys may mean anything
  }

  void read_settings(const JsonValue& value) {
    if (!ObjectReader(value, mistakes_).is_object()) return;
    for (const JsonValue member : value) {
      const bool is_empty = member.is(JsonKind::string) && member.text().empty();
      plan_.settings.emplace_back(member.key(),
                                  is_empty ? std::string() : read_text(member, mistakes_));
    }
  }

  void read_warnings(const JsonValue& value) {
    if (!is_array(value, 0, mistakes_)) return;
    for (const JsonValue warning : value) plan_.warnings.push_back(read_text(warning, mistakes_));
  }

  std::uint32_t read_ids(const JsonValue& value, std::vector<std::uint32_t>& ids) {
    if (!is_array(value, 0, mistakes_)) return 0;
    for (const JsonValue id : value) {
      ids.push_back(static_cast<std::uint32_t>(read_integer(id, 0, kMaxSequences - 1, mistakes_)));
    }
    return static_cast<std::uint32_t>(value.size());
  }

  void read_step(const JsonValue& value) {
    Step step;
    step.first_micro_batch = static_cast<std::uint32_t>(plan_.micro_batches.size());
    ObjectReader object(value, mistakes_);
    step.loss_tokens = object.integer("loss_tokens", 0, kMaxLossTokens);
    add_loss_tokens(value, step.loss_tokens, step_loss_tokens_);
    if (plan_.lockstep) {
      step.rounds = integer(object, "rounds", 1, kMaxRounds);
    } else {
      object.refuse("rounds", "only a lockstep plan has rounds");
    }
    const auto batches = object.required("micro_batches");
    if (batches && is_array(*batches, 0, mistakes_)) {
      for (const JsonValue batch : *batches) read_micro_batch(batch, step);
    }
    object.finish();
    step.micro_batch_count =
        static_cast<std::uint32_t>(plan_.micro_batches.size()) - step.first_micro_batch;
    plan_.steps.push_back(step);
  }

  void read_micro_batch(const JsonValue& value, const Step& step) {
    MicroBatch batch;
    ObjectReader object(value, mistakes_);
    batch.first_rank = integer(object, "first_rank", 0, plan_.ranks - 1);
    batch.sp_degree = integer(object, "sp_degree", 1, plan_.ranks);
    if (batch.first_rank > plan_.ranks - batch.sp_degree) {
      mistakes_.add(value,
                    fmt::format("ranks {} to {} are beyond the plan's {} ranks", batch.first_rank,
                                batch.first_rank + batch.sp_degree - 1, plan_.ranks));
    }
    batch.recompute_layers = integer(object, "recompute_layers", 0, plan_.layers);
    if (plan_.lockstep) {
      batch.round = integer(object, "round", 0, step.rounds - 1);
    } else {
      object.refuse("round", "only a lockstep plan has rounds");
    }
    batch.closing = object.boolean("closing");
    batch.loss_tokens = object.integer("loss_tokens", 0, kMaxLossTokens);
    add_loss_tokens(value, batch.loss_tokens, batch_loss_tokens_);
    batch.first_sequence = static_cast<std::uint32_t>(plan_.sequence_ids.size());
    if (const auto sequences = object.required("sequences")) {
      batch.sequence_count = read_ids(*sequences, plan_.sequence_ids);
      if (batch.sequence_count == 0 && sequences->is(JsonKind::array)) {
        mistakes_.add(*sequences, "a micro-batch needs at least one sequence");
      }
    }
    object.finish();
    plan_.micro_batches.push_back(batch);
  }

  // A sum over the plan that whoever adds up later may rely on.
  void add_loss_tokens(const JsonValue& value, std::int64_t tokens, std::int64_t& sum) {
    if (tokens <= kMaxLossTokens - sum) {
      sum += tokens;
      return;
    }
    mistakes_.add(value,
                  fmt::format("the loss tokens up to here sum to more than {}", kMaxLossTokens));
    sum = 0;
  }

  void check_digest(const JsonValue& value) {
    const std::string stored = read_text(value, mistakes_);
    const std::string actual = plan_digest(plan_);
    if (stored == actual) return;
    mistakes_.add(value, fmt::format("the file was edited after it was written: it names {}, its "
                                     "content gives {}; if the edit is wanted, put the latter here",
                                     value.shown(), actual));
  }

  JsonDocument document_;
  JsonMistakes mistakes_;
  Plan plan_;
  std::int64_t step_loss_tokens_ = 0;
  std::int64_t batch_loss_tokens_ = 0;
};

}  // namespace

std::string plan_to_json(const Plan& plan) { return PlanWriter(plan).write(); }

Plan plan_from_json(std::string_view text, std::string_view origin) {
  return PlanReader(text, origin).read();
}

}  // namespace dcpbench::core
