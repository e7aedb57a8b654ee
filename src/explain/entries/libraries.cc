// Libraries and extensions beside the frameworks.
#include <fmt/format.h>

#include "explain/explain.h"
#include "explain/text/quantity.h"

namespace warpscope::explain {
namespace {

struct Status {
  int number;
  std::string_view name, says;
};
// cublas_api.h, cublasStatus_t.
constexpr Status kCublas[] = {
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "cuBLAS could not start, mostly because device memory is full."},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "cuBLAS got no device memory."},
    {7, "CUBLAS_STATUS_INVALID_VALUE", "A size or type is not allowed, or two cuBLAS versions are mixed."},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", "This GPU lacks what the operation needs."},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "Memory could not be accessed."},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "A kernel failed, this one or one before it."},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "An internal operation failed, mostly a copy after an earlier fault."},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED",
     "This operation or type is not there on this GPU, such as int8 or fp8 products."},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "A licence check failed."},
};

void WorkCublasStatus(std::span<const Match> matches, Answer* answer) {
  const std::vector<std::string>& words = matches.front().captures;
  const auto number = words.empty() ? std::nullopt : NumberOf(words.back());
  if (!number) return;
  for (const Status& status : kCublas) {
    if (status.number != static_cast<int>(*number)) continue;
    answer->headline = std::string(status.says);
    answer->facts.push_back({"status", "status", fmt::format("{} {}", status.number, status.name), *number});
    answer->cause = std::string(status.says);
  }
}

constexpr Entry kEntries[] = {
    {"lib.paddle_library", "Paddle does not find a library of CUDA",
     "The third-party dynamic library ({w}) that Paddle depends on is not configured correctly\nCannot load cudnn "
     "shared library\nCannot load cublas shared library\nPreconditionNotMetError: Cannot load {w} shared "
     "library\nCannot load nccl shared library",
     Role::kRoot, "library",
     "Paddle loads CUDA's libraries by name when they are first needed; this one is on none of its paths.",
     "cuDNN is not installed or of another version, or its folder is not on LD_LIBRARY_PATH.",
     "Where is it? $ ldconfig -p | grep -E \"cudnn|cublas\"; pip list | grep nvidia-; echo $LD_LIBRARY_PATH",
     "pip wheels of Paddle 3: reinstall with the nvidia-* packages that they name. Otherwise install the cuDNN that "
     "Paddle's page names and add its folder.",
     "", "PaddlePaddle, installation"},
    {"lib.paddle_cpu", "This Paddle was built without CUDA",
     "Cannot use CUDAPlace in CPU only version\nCannot use GPU because you have installed CPU version "
     "PaddlePaddle\nCannot use CUDAPlace because there is no GPU\nPaddlePaddle is not compiled with "
     "CUDA\nPlace(gpu:{n}) is not supported. Please check that your paddle compiles with WITH_GPU",
     Role::kRoot, "cuda_unavailable", "The package paddlepaddle is for the CPU; paddlepaddle-gpu is the other one.",
     "The CPU package was installed, alone or over the other.", "Which? $ pip list | grep -i paddle",
     "pip uninstall paddlepaddle paddlepaddle-gpu, then paddlepaddle-gpu from Paddle's index for your CUDA.", "",
     "PaddlePaddle, installation"},
    {"lib.no_gpu_build", "This library was built without its GPU part",
     "GPU Tree Learner was not enabled in this build\nCUDA Tree Learner was not enabled in this build\nEnvironment for "
     "task type [GPU] not found\nXGBoost version not compiled with GPU support\nDNN module was not built with CUDA "
     "backend\nThe library is compiled without CUDA support\nThe function/feature is not implemented{*}CUDA\nfaiss has "
     "no attribute 'StandardGpuResources'\nmodule 'faiss' has no attribute 'StandardGpuResources'\nmodule 'torch._C' "
     "has no attribute '_cuda_setDevice'\nPyTorch was compiled without CUDA support\ntorch was not compiled with "
     "CUDA\nwas not compiled with CUDA support\nrequires PyTorch compiled with CUDA\nCTranslate2 package was not "
     "compiled with CUDA support\nNot compiled with GPU support\nNot compiled with CUDA support",
     Role::kRoot, "cuda_unavailable", "GPU and driver are not asked at all: this package has no code for them.",
     "The default package of pip or conda is for the CPU.",
     "Which build? $ pip list | grep -iE \"torch|xgboost|lightgbm|catboost|opencv|faiss|detectron2|mmcv\"",
     "Install its GPU build (a wheel of the CUDA index, conda's cuda variant), or build it with CUDA switched on.",
     "Do not reinstall the driver.", "Documentation of the libraries: installation"},
    {"lib.map_location", "A checkpoint names a GPU that is not here",
     "Attempting to deserialize object on CUDA device {n} but torch.cuda.device_count() is {n}", Role::kRoot,
     "device_number", "Tensors remember the device that they were saved from.",
     "It was saved on another GPU number of a machine with more GPUs, or CUDA_VISIBLE_DEVICES shows fewer.",
     "How many are visible? $ nvidia-smi -L; echo $CUDA_VISIBLE_DEVICES",
     "torch.load(path, map_location=\"cpu\") (or \"cuda:0\"), then move the model.", "", "PyTorch, torch.load"},
    {"lib.status_number", "A CUDA library returned a status number",
     "cuBLAS API failed with status {n}\nCUBLAS error({n})\nCUBLAS error: {n}\ncublas error: {n}\ncublasCreate() "
     "failed with error code {n}\ncublas Error{*}status: "
     "{n}\nCUBLAS_STATUS_LICENSE_ERROR\nCUBLAS_STATUS_MAPPING_ERROR\ncublasLt ran into an error\nCUBLAS failure {n}",
     Role::kSymptom, "cublas",
     "cuBLAS tells what happened by number: 1 not initialised, 3 no memory, 7 invalid value, 8 architecture, 13 a "
     "kernel failed, 14 internal, 15 not supported.",
     "By the number.", "What failed first? $ CUDA_LAUNCH_BLOCKING=1 PROGRAM\nHow much memory is free? $ nvidia-smi",
     "Act by the status that the first line names.", "", "cuBLAS, status values", WorkCublasStatus},
    {"lib.fft_other", "cuFFT, cuRAND or cuSPARSE refused a call",
     "CUFFT_INVALID_{w}\nCUFFT_SETUP_FAILED\nCUFFT_UNALIGNED_DATA\nCUFFT_NO_WORKSPACE\nCUFFT_NOT_SUPPORTED\nCURAND_"
     "STATUS_INITIALIZATION_FAILED\nCURAND_STATUS_ALLOCATION_FAILED\nCURAND_STATUS_PREEXISTING_FAILURE\nCURAND_STATUS_"
     "INTERNAL_ERROR\nCUSPARSE_STATUS_NOT_INITIALIZED\nCUSPARSE_STATUS_ALLOC_FAILED\nCUSPARSE_STATUS_INVALID_"
     "VALUE\nCUSPARSE_STATUS_INTERNAL_ERROR\nCUSPARSE_STATUS_NOT_SUPPORTED\nCUSOLVER_STATUS_INVALID_VALUE\nCUSOLVER_"
     "STATUS_ALLOC_FAILED\nINTERNAL: cuSolver internal error\ncuSolver internal error",
     Role::kSymptom, "cublas", "A numerical library could not start or did not take its arguments.",
     "NOT_INITIALIZED, ALLOC, SETUP, INITIALIZATION: device memory is full or the context is broken. INVALID: size, "
     "type or layout. PREEXISTING: an error before it.",
     "How much memory is free? $ nvidia-smi\nWhat failed first? $ CUDA_LAUNCH_BLOCKING=1 PROGRAM",
     "Leave memory beside the framework's share; one CUDA version only (unset LD_LIBRARY_PATH).", "",
     "CUDA library references"},
    {"lib.nvrtc", "CUDA code could not be compiled at run time",
     "NVRTC_ERROR_{w}\nnvrtc: error: {*}\nnvrtc: error: invalid value for --gpu-architecture\nfailed to open "
     "nvrtc-builtins\nNVRTCError\nnvJitLink error: {*}\nERROR_NVVM_COMPILATION\nNvvmError\nJitify fatal error",
     Role::kRoot, "nvrtc",
     "NVRTC compiles kernels in the program itself (CuPy, PyTorch's fuser, Numba), and that failed.",
     "\"invalid value for --gpu-architecture\": NVRTC is older than the GPU. \"failed to open nvrtc-builtins\": a part "
     "of it is not on the path. COMPILATION: the code itself.",
     "Which one is loaded? $ pip list | grep -iE \"nvrtc|cupy|numba\"; ldconfig -p | grep nvrtc",
     "A package built for a CUDA that knows the GPU (Blackwell: 12.8 or later); one CUDA only on the path.", "",
     "NVRTC, user guide"},
    {"lib.ops_line", "A CUDA call in an extension failed",
     "Error named symbol not found at line {n} in file\nError invalid configuration argument at line {n} in "
     "file\nError invalid device function at line {n} in file\nError an illegal memory access was encountered at line "
     "{n} in file\nError out of memory at line {n} in file\nError invalid argument at line {n} in file\nError the "
     "provided PTX was compiled with an unsupported toolchain. at line {n} in file\nError no kernel image is available "
     "for execution on the device at line {n} in file\ncheck_error: Assertion `0' failed",
     Role::kSymptom, "extension_call",
     "The extension (bitsandbytes, darknet and others) ends the program at the first CUDA error; the words in the line "
     "are CUDA's own.",
     "\"named symbol not found\", \"no kernel image\", \"invalid device function\": no code for this GPU. \"invalid "
     "configuration\": an empty input. \"out of memory\": the GPU is full.",
     "Which GPU and build? $ nvidia-smi --query-gpu=name,compute_cap,memory.used --format=csv; pip list | grep -iE "
     "\"bitsandbytes|torch\"",
     "A newer release of the extension, or one built for this GPU; for memory a smaller batch.", "",
     "bitsandbytes, installation"},
    {"lib.tensorrt_cuda", "TensorRT could not use CUDA",
     "[TRT] [W] CUDA initialization failure with error: {n}\nCUDA initialization failure with error: {n}\nCUDA "
     "initialization failure with error {n}\nError Code {n}: Cuda Runtime ({*})\nError Code 1: Cuda Driver ({*})",
     Role::kSymptom, "tensorrt_cuda", "A CUDA call inside TensorRT failed; number or words in brackets are CUDA's own.",
     "35: the driver is older than this TensorRT's CUDA. 100: no device. 2, out of memory: memory.",
     "What does the number mean? $ warpscope explain \"CUDA error NUMBER\"\nDriver and memory? $ nvidia-smi",
     "35: update the driver. Memory: a smaller workspace or batch, end other processes.", "",
     "TensorRT developer guide"},
    {"lib.deepspeed_aio", "DeepSpeed goes without asynchronous files",
     "async_io requires the dev libaio .so object and headers but these were not found\nasync_io: please install the "
     "libaio-dev package with apt\nPlease specify the CUTLASS repo directory as environment variable\nusing untested "
     "triton version",
     Role::kRemark, "", "A remark of ds_report: only off-loading to disk (ZeRO-Infinity, NVMe) needs it.",
     "libaio's headers are not installed.", "", "Ignore it, or apt-get install libaio-dev.", "",
     "DeepSpeed, installation"},
    {"lib.fp8", "This GPU has no FP8 type",
     "fp8e4nv not supported in this architecture\nfp8e4nv data type is not supported on CUDA arch\nfp8e5 not supported "
     "in this architecture\ntorch._scaled_mm is only supported on CUDA devices with compute capability\nonly supported "
     "on CUDA devices with compute capability >= 9.0 or 8.9\nFP8 is only supported on\nDevice compute capability 8.9 "
     "or higher required for FP8 execution\nThe quantization method fp8 is not supported for the current GPU\nThe "
     "quantization method {w} is not supported for the current GPU. Minimum capability",
     Role::kRoot, "arch", "FP8 needs Ada (8.9), Hopper (9.0) or newer; some formats need more.",
     "The model or option is for newer GPUs.",
     "What has the GPU? $ nvidia-smi --query-gpu=name,compute_cap --format=csv",
     "Use bf16 or fp16 weights, or INT8 or AWQ (7.5 and 8.0 suffice).", "",
     "CUDA C++ programming guide, compute capabilities"},
    {"lib.ptxas", "The assembler ptxas failed on a kernel",
     "ptxas fatal : (C7600) Register allocation failed\nRegister allocation failed with register count of {n}\n`ptxas` "
     "failed with error code {n}\nptxas failed with error code {n}\nptxas fatal : Unresolved extern function\nptxas "
     "fatal : Ptx assembly aborted due to errors\nptxas fatal : Memory allocation failure\nptxas died with signal "
     "{n}\nLLVM ERROR: Cannot select",
     Role::kRoot, "compile", "The kernel's intermediate code could not be turned into machine code.",
     "Registers: the kernel is too large (block sizes, num_warps). Error code 4294967295 on Windows: ptxas could not "
     "write or is blocked. A version of the compiler that does not know the GPU.",
     "The lines above it name kernel and reason? $ grep -nE \"ptxas|error\" LOG | head\nWhich ptxas? $ pip list | grep "
     "-i triton; ptxas --version",
     "Triton kernel: smaller blocks, other num_warps, maxnreg below 255.\nA release of Triton and PyTorch that belong "
     "together and know the GPU; delete ~/.triton/cache.",
     "", "Triton and CUDA compiler documentation"},
    {"lib.threads", "No further thread or process can be started",
     "LLVM ERROR: pthread_create failed: Resource temporarily unavailable\npthread_create failed: Resource temporarily "
     "unavailable\nlibgomp: Thread creation failed: Resource temporarily unavailable\nOpenBLAS blas_thread_init: "
     "pthread_create failed\nAccept failed Resource temporarily unavailable\ncan't start new thread\nBlockingIOError: "
     "[Errno 11] Resource temporarily unavailable\nfork: retry: Resource temporarily unavailable",
     Role::kRoot, "host_limits",
     "The system's limit on threads of this user or container is reached; the GPU has no part in it.",
     "Many workers that each start as many threads as there are cores, or a small pids limit of the container.",
     "The limits? $ ulimit -u; cat /sys/fs/cgroup/pids.max; ps -eLf | wc -l",
     "OMP_NUM_THREADS=1 (or few) in workers, fewer workers; raise ulimit -u or docker --pids-limit.", "",
     "pthread_create(3)"},
    {"lib.mps_op", "Apple's GPU back end lacks an operation or got a tensor of the CPU",
     "is not currently implemented for the MPS device\nPlaceholder storage has not been allocated on MPS "
     "device\nCannot convert a MPS Tensor to float64 dtype\nMPS does not support {w}\nis not currently supported on "
     "the MPS backend",
     Role::kRoot, "mps", "PyTorch's back end for Apple GPUs (mps) does not have everything that CUDA has.",
     "The operation or type is missing; \"Placeholder storage\": model and input are on different devices.",
     "Which PyTorch? $ python -c \"import torch; print(torch.__version__)\"",
     "PYTORCH_ENABLE_MPS_FALLBACK=1 runs missing operations on the CPU; a newer PyTorch; float32 instead of "
     "float64.\nBoth on one device: x = x.to(\"mps\").",
     "", "PyTorch, MPS backend"},
    {"lib.cuda_gdb", "The debugger caught a fault of a kernel",
     "CUDA Exception: {*}\nCUDA_EXCEPTION_{n}\nreceived signal CUDA_EXCEPTION_{n}", Role::kRoot, "device_fault",
     "cuda-gdb or a core dump of the GPU names kind, block, warp and lane of the fault.",
     "Illegal or out-of-range address: an index. Illegal instruction: code not for this GPU, or memory overwritten. "
     "Assert: a check of the kernel.",
     "Where? $ cuda-gdb -ex run -ex \"info cuda kernels\" -ex bt --args PROGRAM\nFirst wrong access? $ "
     "compute-sanitizer PROGRAM",
     "Correct the line that it names.", "", "CUDA-GDB, exception reporting"},
    {"lib.capture_rng", "Something not allowed happened around a CUDA graph",
     "Offset increment outside graph capture encountered unexpectedly\nexpandable_segment_ INTERNAL ASSERT "
     "FAILED\nGraph contains no nodes{*}capture\nCUDAGraph: capture_begin{*}not supported",
     Role::kRoot, "capture",
     "PyTorch's random generator or allocator is in the state of a capture that did not end well.",
     "An exception during capture was caught and the program went on, or dropout ran with a generator that is "
     "registered to a graph.",
     "What failed first? $ warpscope explain --file LOG",
     "Correct the first error in the capture; start the process anew after it.", "", "PyTorch, CUDA graphs"},
    {"lib.nvml_assert", "PyTorch could not ask the driver (NVML)",
     "nvmlInit_v2_() INTERNAL ASSERT FAILED\nINTERNAL ASSERT FAILED at "
     "\"{*}driver_api.cpp\nc10/cuda/driver_api.cpp\":{n}\nnvmlDeviceGetHandleByPciBusId_v2_{*}INTERNAL ASSERT FAILED",
     Role::kSymptom, "nvml_call",
     "When memory is full PyTorch asks NVML who holds it, or uses the driver's memory mapping; that question failed "
     "and hides the real message.",
     "Device memory ran out; and NVML does not work in this container (MIG, no utility capability, WSL, Jetson).",
     "Does NVML work? $ nvidia-smi\nMemory? $ python -c \"import torch; print(torch.cuda.mem_get_info())\"",
     "Treat it as out of memory: a smaller batch. Container: NVIDIA_DRIVER_CAPABILITIES=compute,utility.", "",
     "PyTorch, CUDACachingAllocator"},
};

}  // namespace

extern const std::span<const Entry> kLibraries;
const std::span<const Entry> kLibraries = kEntries;

}  // namespace warpscope::explain
