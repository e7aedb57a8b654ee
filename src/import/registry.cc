// The list of importers, from importers.def.
#include "import/ascend/ascend_importer.h"
#include "import/capture/capture_importer.h"
#include "import/importer.h"
#include "import/intel_gpu_top/intel_gpu_top_importer.h"
#include "import/kineto/kineto_importer.h"
#include "import/ncu/ncu_importer.h"
#include "import/ncu_csv/ncu_csv_importer.h"
#include "import/nsys_rep/nsys_rep_importer.h"
#include "import/nsys_stats/nsys_stats_importer.h"
#include "import/nvidia_smi/nvidia_smi_importer.h"
#include "import/parquet/parquet_importer.h"
#include "import/perfetto/perfetto_importer.h"
#include "import/prometheus/prometheus_importer.h"
#include "import/pytorch_snapshot/pytorch_snapshot_importer.h"
#include "import/rocm_smi/rocm_smi_importer.h"
#include "import/rocprof/rocprof_importer.h"
#include "import/rocprof_compute/rocprof_compute_importer.h"
#include "import/rocprofv3/rocprofv3_importer.h"
#include "import/sqlite/sqlite_importer.h"
#include "import/unitrace/unitrace_importer.h"
#include "import/xplane/xplane_importer.h"
#include "import/xpu_smi/xpu_smi_importer.h"

namespace warpscope::import {

const std::vector<const Importer*>& Importers() {
  static const std::vector<const Importer*> kAll = {
#define WS_IMPORTER(name) &name::kImporter,
#include "import/importers.def"
#undef WS_IMPORTER
  };
  return kAll;
}

}  // namespace warpscope::import
