// Scrapes of GPU exporters (dcgm-exporter, nvidia_gpu_exporter, AMD's device-metrics-exporter) in Prometheus' text
// format (docs/formats/prometheus.md). [one thread]; see import/importer.h.
#pragma once

#include "import/importer.h"

namespace warpscope::import::prometheus {

extern const Importer kImporter;

}  // namespace warpscope::import::prometheus
