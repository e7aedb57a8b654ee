// TensorFlow, JAX and their compiler.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr Entry kEntries[] = {
    {"xla.jaxlib", "JAX, jaxlib and its CUDA plug-in are of different versions",
     "jaxlib version {w} is newer than and incompatible with jax version\njaxlib is version {w}, but this version of "
     "jax requires version\nJAX plugin {w} version {w} is installed, but it is not compatible with the installed "
     "jaxlib version\njax requires jaxlib to be installed\nPJRT plugin and framework PJRT API "
     "version{*}incompatible\nUnexpected PJRT_Plugin_Attributes_Args size",
     Role::kRoot, "packages", "The three packages belong together; with a foreign plug-in JAX goes on with the CPU.",
     "One of them was updated alone.", "Which are there? $ pip list | grep -iE \"^jax\"",
     "pip install -U \"jax[cuda12]\" (or cuda13), which takes all of one release.", "Do not install jaxlib by hand.",
     "JAX, installation"},
    {"xla.libraries", "XLA cannot load a CUDA library",
     "Error loading CUDA libraries. GPU will not be used\nFailed call to cudaGetRuntimeVersion\nFailed to load CUDA "
     "libraries\nUnable to load cuSPARSE. Is it installed\nUnable to load cuDNN. Is it installed\nUnable to load "
     "CUPTI. Is it installed\nUnable to load cuSOLVER. Is it installed\nUnable to load cuBLAS. Is it installed\nUnable "
     "to load CUDA. Is it installed\nUnable to load cuFFT. Is it installed\nJax plugin configuration error: Exception "
     "when calling jax_plugins",
     Role::kRoot, "cuda_unavailable",
     "JAX looks for CUDA in pip's packages nvidia-*, or on LD_LIBRARY_PATH; one is missing or of another version.",
     "LD_LIBRARY_PATH names another CUDA, or jax was installed without its CUDA packages.",
     "What is on the path? $ echo $LD_LIBRARY_PATH; pip list | grep nvidia-",
     "Take all of one release: unset LD_LIBRARY_PATH; pip install -U \"jax[cuda12]\".", "", "JAX, installation"},
    {"xla.check", "A check inside XLA failed",
     "INTERNAL: RET_CHECK failure\nRET_CHECK failure ({w}\nCheck failed: {*}XLA\nXlaRuntimeError: INTERNAL: Unable to "
     "launch triton kernel\nXlaRuntimeError: INTERNAL: Generated function failed: CpuCallback error\nXlaRuntimeError: "
     "INTERNAL: Autotuning failed for HLO",
     Role::kSymptom, "xla",
     "The compiler or its run time met a state that it does not expect; what stands before \"!=\" or in the first "
     "error above names it.",
     "A library that did not start above (dnn != nullptr: cuDNN, mostly for lack of memory), a GPU newer than this "
     "XLA, or a fault of this version.",
     "What failed first? $ warpscope explain --file LOG",
     "Correct the error above it; memory: XLA_PYTHON_CLIENT_PREALLOCATE=false.\nNone above: another release of JAX or "
     "TensorFlow.",
     "", "XLA, error codes"},
    {"xla.dst", "TensorFlow could not place a tensor on the GPU",
     "Dst tensor is not initialized\nFailed copying input tensor from{*}to{*}GPU:{n}", Role::kRoot, "memory",
     "The copy to the GPU had no memory to go to; TensorFlow words it so.",
     "GPU memory is full: another process, or this one's batch.", "Who uses it? $ nvidia-smi",
     "End other processes; a smaller batch; set_memory_growth; feed the data in parts (tf.data) instead of one tensor.",
     "", "TensorFlow, use a GPU"},
    {"xla.gemm", "A matrix multiplication could not be started",
     "Blas GEMM launch failed\nBlas xGEMM launch failed\nBlas SGEMM launch failed\nBlas xGEMV launch failed\nBlas GEMV "
     "launch failed\nBlas xGEMMBatched launch failed\nfailed to create cublas handle: {w}\nfailed to run cuBLAS "
     "routine\nAttempting to perform BLAS operation using StreamExecutor without BLAS support",
     Role::kSymptom, "cublas", "TensorFlow's call of cuBLAS failed; the shapes in the message are seldom the reason.",
     "Device memory is full (another process or notebook holds it), or this CUDA is older than the GPU (RTX 30 and "
     "newer with TensorFlow 1.x).",
     "Who uses memory? $ nvidia-smi\nThe first error? $ grep -nE \"failed|error\" LOG | head -5",
     "End other processes; set_memory_growth; a TensorFlow whose CUDA knows the GPU.", "", "TensorFlow, use a GPU"},
    {"xla.capability", "TensorFlow leaves a GPU out because it is too old",
     "Ignoring visible gpu device {*}with Cuda compute capability {n}. The minimum required Cuda capability is "
     "{n}\nIgnoring visible gpu device",
     Role::kRoot, "arch", "This build needs a newer compute capability; the GPU is seen and not used.",
     "An old GPU, or the display's small one beside the one for computing.",
     "Which GPUs? $ nvidia-smi --query-gpu=index,name,compute_cap --format=csv",
     "Only the display's card: no fault. The one for computing: an older TensorFlow, or a newer GPU.", "",
     "TensorFlow, hardware requirements"},
    {"xla.profiling", "No way to compute a convolution worked",
     "No algorithm worked! Error messages\nNo algorithm worked!\nNo execution plans support the graph\nNo valid engine "
     "configs for\nCould not find any implementation for node {*}\nAll algorithms tried for convolution {*}failed",
     Role::kSymptom, "cudnn", "Every algorithm was tried, and each failed or found no memory.",
     "Too little free device memory for work areas; next: cuDNN older than the GPU, or mixed cuDNN versions.",
     "How much is free at that time? $ nvidia-smi\nWhich cuDNN? $ pip list | grep -i cudnn",
     "A smaller batch, or memory left to the libraries (XLA_PYTHON_CLIENT_MEM_FRACTION=.8, set_memory_growth); "
     "TensorRT: a larger workspace.\nA newer framework build on a new GPU.",
     "", "cuDNN and TensorRT developer guides"},
};

}  // namespace

extern const std::span<const Entry> kXla;
const std::span<const Entry> kXla = kEntries;

}  // namespace warpscope::explain
