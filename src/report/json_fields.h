// JsonFields: the fields that JSON documents are made of, a key and a value each, one way for all of them: absent is
// null, never "" or 0. [one thread] Base of a document's writer.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "report/json_writer.h"

namespace warpscope::report {

class JsonFields {
 protected:
  // Beyond a millionth of a millisecond (or percent) digits are noise of the arithmetic, not of the program.
  static double Rounded(double value) {
    const double scaled = value * 1e6;
    return std::fabs(scaled) < 1e15 ? std::round(scaled) / 1e6 : value;
  }

  void Text(std::string_view key, std::string_view value) {
    json_.Key(key);
    json_.String(value);
  }
  void MaybeText(std::string_view key, std::string_view value) {
    json_.Key(key);
    value.empty() ? json_.Null() : json_.String(value);
  }
  void Number(std::string_view key, double value) {
    json_.Key(key);
    json_.Double(Rounded(value));
  }
  void MaybeNumber(std::string_view key, const std::optional<double>& value) {
    json_.Key(key);
    value ? json_.Double(Rounded(*value)) : json_.Null();
  }
  void UInt(std::string_view key, uint64_t value) {
    json_.Key(key);
    json_.UInt(value);
  }

  JsonWriter json_;
};

}  // namespace warpscope::report
