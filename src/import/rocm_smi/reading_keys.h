// Keys of rocm-smi and amd-smi and the catalogue's names for them. Keys differ by release; several lead to one name.
// [MT] Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/reading_names.h"

namespace warpscope::import::rocm_smi {

// rocm-smi writes the unit into the key: "Average Graphics Package Power (W)".
std::optional<model::ReadingName> RocmSmiName(std::string_view key);
// amd-smi's keys by path: "usage.gfx_activity", "clock.gfx_0.clk".
std::optional<model::ReadingName> AmdSmiName(std::string_view path);
// Identifies a person's hardware or says nothing about its state: not read.
bool IsPrivateKey(std::string_view key);

struct Quantity {
  double value = 0;
  std::string unit;  // of the catalogue where known ("watts", "celsius", "mhz", "bytes" ...), else as written, in lower
                     // case; "" if none
};
// A number in a unit as AMD's tools write it ("W", "C", "MHz", "MB", "%", "mV") in the catalogue's.
Quantity Convert(double value, std::string_view unit);
// "36.0", "(1402Mhz)", "8 (1725Mhz)", "495Mhz": the last number, with its unit. Absent for words.
std::optional<Quantity> QuantityIn(std::string_view text);
// "Fan speed (%)" -> "%". "" if the key has none.
std::string_view UnitInKey(std::string_view key);
// The words for no value.
bool IsNoValue(std::string_view text);

}  // namespace warpscope::import::rocm_smi
