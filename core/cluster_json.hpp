// Parts of a cluster file that more than one source file reads. Internal to core.
#pragma once

#include <string_view>

#include "core/cluster.hpp"
#include "core/json_reader.hpp"

namespace dcpbench::core {

// A constant is either bare ("4.8 TB/s", 0.9) or {"value": ..., "source": "..."}. Required members
// of `object`; ranges in base units.
double read_constant(ObjectReader& object, std::string_view key, Dimension dimension, Range range,
                     JsonMistakes& mistakes);
double read_ratio(ObjectReader& object, std::string_view key, Range range, JsonMistakes& mistakes);
// The same for a value that is already at hand.
double read_constant(const JsonValue& value, Dimension dimension, Range range,
                     JsonMistakes& mistakes);

// "polynomial" and "table"; what is odd but allowed goes to `warnings`.
PolynomialCost polynomial_from_json(const JsonValue& value, JsonMistakes& mistakes);
TableCost table_from_json(const JsonValue& value, JsonMistakes& mistakes,
                          std::vector<std::string>& warnings);

}  // namespace dcpbench::core
