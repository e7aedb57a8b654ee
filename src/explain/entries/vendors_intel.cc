// oneAPI: what Unified Runtime, Level Zero and the loader say.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr Entry kEntries[] = {
    {"intel.backend", "A SYCL or Level Zero call failed",
     "?level_zero backend failed with error: {n}\n?opencl backend failed with error: {n}\nRuntimeError: UR error\n?UR "
     "error{*}\n?UR_RESULT_ERROR_{w}\n?ZE_RESULT_ERROR_{w}\nUnknown ze_result_t value: {n}\n?Level-Zero error: "
     "{*}\nzeInit failed\nL0 build module "
     "failed\n?PI_ERROR_{w}\n?OPENCL_ERROR_{w}\nCL_BUILD_PROGRAM_FAILURE\nCL_INVALID_{w} (-{n})",
     Role::kRoot, "level_zero", "The name in brackets is the runtime's own word for the failure.",
     "A runtime and a framework of different releases; next: a GPU that this build has no code for, or rights on "
     "/dev/dri.",
     "Seen by the runtime? $ sycl-ls; clinfo -l; ls -l /dev/dri; id\nTrace of the calls? $ SYCL_UR_TRACE=-1 PROGRAM "
     "2>&1 | tail -20",
     "One oneAPI for all: the wheel's own, without sourcing setvars.sh; a current compute runtime.", "",
     "oneAPI, Unified Runtime and Level Zero specifications"},
    {"intel.loader", "Two versions of oneAPI are mixed",
     "libur_loader.so.0: version `LIBUR_LOADER_{w}' not found\nlibsycl.so.{n}: version `{w}' not "
     "found\nlibsycl.so.{n}: cannot open shared object file\nlibze_loader.so.{n}: cannot open shared object "
     "file\nfailed to load adapter 'libur_adapter_level_zero.so\nCannot load libmkl_{w}\nIntel MKL FATAL ERROR: "
     "{*}\nlibintel-ext-pt-gpu.so: undefined symbol",
     Role::kRoot, "library",
     "The framework brings its own oneAPI libraries, and others were found first or are missing.",
     "setvars.sh was sourced before, conda and pip packages are mixed, or the runtime packages are missing.",
     "Which are found? $ echo $LD_LIBRARY_PATH; pip list | grep -iE \"intel|sycl|mkl|dpcpp\"",
     "A new shell without setvars.sh, a fresh environment with pip packages of one release.", "",
     "PyTorch, Intel GPU documentation"},
};

}  // namespace

extern const std::span<const Entry> kVendorsIntel;
const std::span<const Entry> kVendorsIntel = kEntries;

}  // namespace warpscope::explain
