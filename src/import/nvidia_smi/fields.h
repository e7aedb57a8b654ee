// Which reading each field of nvidia-smi's outputs is, over all driver versions.
// [MT] Constant tables.
#pragma once

#include <string>
#include <string_view>

#include "import/monitor/recorder.h"

namespace warpscope::import::nvidia_smi {

enum class Use : uint8_t {
  kSet,
  kFallback,  // only where no better field told it
  kAdd,       // parts that are summed (ECC errors of SRAM and DRAM)
};

struct Field {
  std::string_view path;
  model::ReadingName name;
  Use use = Use::kSet;
  std::string_view unit;  // of values that are printed without one
};

// Puts a value into the sample under every name that the field has; under its own path, if it carries a unit, if none.
void ApplyQueryPath(std::string_view path, const monitor::Value& value, monitor::Sample& sample);  // -q
void ApplyXmlPath(std::string_view path, const monitor::Value& value, monitor::Sample& sample);    // -q -x
// `field` as --query-gpu names it, without its unit. False if it is not known.
bool ApplyCsvField(std::string_view field, std::string_view text, std::string_view header_unit,
                   monitor::Sample& sample);
bool IsCsvField(std::string_view field);
// The field of a metric name "utilization_gpu" in which everything but letters and digits became '_' (as
// nvidia_gpu_exporter writes it); null if there is none.
const Field* CsvFieldOfMetric(std::string_view metric);
bool ApplyDmonColumn(std::string_view column, std::string_view text, std::string_view unit, monitor::Sample& sample);

}  // namespace warpscope::import::nvidia_smi
