// Failures of kernels and of the libraries that launch them.
#include "explain/collectives/watchdog.h"
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr const char* kLibraryChecks =
    "How much memory is free? $ nvidia-smi\n"
    "What failed first? Run once with $ CUDA_LAUNCH_BLOCKING=1 PROGRAM\n"
    "Which library is loaded? $ python -c \"import torch; print(torch.version.cuda, torch.backends.cudnn.version())\"; "
    "echo $LD_LIBRARY_PATH";

constexpr Entry kEntries[] = {
    {"kernel.assertion", "An assertion in a kernel failed",
     "Assertion `input_val >= zero && input_val <= one\nAssertion `srcIndex < srcSelectDimSize\nAssertion `t >= 0 && t "
     "< n_classes\nblock: [{*}], thread: [{*}] Assertion `{*}` failed\nblock: [{*}], thread: [{*}] Assertion {*} "
     "failed\nindexSelectLargeIndex: block: [\nScatterGatherKernel.cu:{n}: {*}Assertion `",
     Role::kRoot, "assert",
     "A check inside a kernel failed: the data break a rule of the operation. The CUDA context is lost; all later "
     "errors of this process "
     "follow.",
     "The condition names it.",
     "Which operation? $ CUDA_LAUNCH_BLOCKING=1 PROGRAM\nThe same step on the CPU gives a readable error.",
     "Correct the data or the size of the layer.", "Do not change memory settings or drivers: this is about values.",
     "PyTorch, aten/src/ATen/native/cuda", WorkAssertion},
    {"kernel.probability", "Sampling got invalid probabilities",
     "probability tensor contains either `inf`, `nan` or element < 0\nprobability tensor contains either inf, nan or "
     "element < 0",
     Role::kRoot, "nan", "The model's output holds NaN or infinite values.",
     "fp16 overflow with weights made for bf16, a broken quantisation, or right padding.",
     "$ python -c \"...; print(torch.isfinite(logits).all())\"",
     "Load in bfloat16 or float32.\nPad on the left, give the "
     "attention mask.",
     "Do not clamp the probabilities: the model is broken before.", "PyTorch, torch.multinomial"},
    {"library.cublas_init", "cuBLAS could not be initialised",
     "CUBLAS_STATUS_NOT_INITIALIZED\nfailed to create cublas handle: {*}", Role::kSymptom, "cublas",
     "cuBLAS could not set itself up in this process.",
     "The device's memory is full: the handle needs some of its own. Next: an earlier fault of a kernel, such as an "
     "index out of range.",
     kLibraryChecks,
     "Free memory: a smaller batch; create the handle early with a small "
     "matmul.\nIf CUDA_LAUNCH_BLOCKING=1 shows another error first: correct that.",
     "Do not reinstall CUDA first.", "cuBLAS, status values"},
    {"library.cublas_alloc", "cuBLAS could not allocate its workspace", "CUBLAS_STATUS_ALLOC_FAILED", Role::kRoot,
     "memory", "cuBLAS asks the driver for memory and the device is full.",
     "PyTorch's or TensorFlow's cache holds what cuBLAS would need.", kLibraryChecks,
     "A smaller batch, or leave memory beside the framework's share.", "", "cuBLAS, status values"},
    {"library.cublas_exec", "A cuBLAS kernel failed", "CUBLAS_STATUS_EXECUTION_FAILED\nCUBLAS_STATUS_INTERNAL_ERROR",
     Role::kSymptom, "cublas", "A kernel of cuBLAS failed, or one before it.",
     "An earlier kernel wrote out of range; the error is reported at the next call.", kLibraryChecks,
     "Correct the first error that blocking launches show.", "", "cuBLAS, status values"},
    {"library.cublas_value", "cuBLAS got an invalid argument", "CUBLAS_STATUS_INVALID_VALUE", Role::kRoot, "cublas",
     "Sizes or types that cuBLAS does not take.",
     "Two cuBLAS versions are mixed (a toolkit on LD_LIBRARY_PATH before the wheel's own).", kLibraryChecks,
     "unset LD_LIBRARY_PATH, or install one CUDA only.", "", "cuBLAS, status values"},
    {"library.cublas_unsupported", "cuBLAS does not support the operation here",
     "CUBLAS_STATUS_NOT_SUPPORTED\nCUBLAS_STATUS_ARCH_MISMATCH", Role::kRoot, "cublas",
     "The type or layout is not available on this GPU, such as bf16 before Ampere or fp8 before Ada.",
     "The GPU is too old for the type.", "$ nvidia-smi --query-gpu=name,compute_cap --format=csv",
     "Use fp16 or fp32 on this GPU.", "", "cuBLAS, status values"},
    {"library.cudnn_init", "cuDNN could not be initialised",
     "CUDNN_STATUS_NOT_INITIALIZED\nDNN library initialization failed\nDNN library is not found\nFailed to get "
     "convolution algorithm. This is "
     "probably because cuDNN failed to initialize\nCould not create cudnn handle",
     Role::kSymptom, "cudnn", "cuDNN could not set itself up.",
     "Device memory is full, most often because TensorFlow or another process reserved it. Next: a cuDNN of another "
     "version is loaded.",
     kLibraryChecks,
     "Free memory: TensorFlow set_memory_growth, end other processes.\nOne cuDNN only: unset LD_LIBRARY_PATH; the "
     "wheel brings its own.",
     "Do not copy cuDNN files into /usr/local/cuda beside a wheel that has its own.", "cuDNN, status codes"},
    {"library.cudnn_engine", "cuDNN finds no way to compute a convolution",
     "unable to find an engine to execute this computation\nUnable to find a valid cuDNN algorithm to run "
     "convolution\nGET was "
     "unable to find an engine\nFIND was unable to find an engine",
     Role::kSymptom, "cudnn", "Each of cuDNN's algorithms for this convolution failed or was refused.",
     "Too little free device memory for any work area; next: cuDNN libraries of mixed versions, or a type that this "
     "GPU does not "
     "have (bfloat16 before Ampere).",
     "Free memory at that moment? $ nvidia-smi\nWhich cuDNN is loaded? $ python -c \"import torch; "
     "print(torch.backends.cudnn.version(), torch.__version__)\"; pip list | grep cudnn\nWithout cuDNN? "
     "torch.backends.cudnn.enabled = False",
     "A smaller batch or resolution.\nOne cuDNN: unset LD_LIBRARY_PATH, and reinstall torch in a fresh "
     "environment.\nTuring and "
     "older: float16 instead of bfloat16.",
     "Do not leave cuDNN switched off: convolutions become much slower.",
     "PyTorch, issue tracker; cuDNN, error reporting"},
    {"library.cudnn_load", "cuDNN's libraries are not found, or of two versions",
     "Unable to load any of {*}libcudnn_{w}\nCannot load symbol cudnn{w}\nCould not load library libcudnn_{w}",
     Role::kRoot, "cudnn",
     "cuDNN loads its parts late, by name; one of them is on no path, or belongs to another version.",
     "The package was built for cuDNN 9 and 8 is installed (or the reverse), or the folder of pip's nvidia-cudnn is "
     "not on the "
     "loader's path.",
     "Which are there? $ pip list | grep -i cudnn; ldconfig -p | grep cudnn\nWhere are pip's? $ python -c \"import "
     "nvidia.cudnn; "
     "print(nvidia.cudnn.__path__)\"",
     "pip install 'nvidia-cudnn-cu12>=9' (or '<9' for programs of cuDNN 8), and put its lib folder on "
     "LD_LIBRARY_PATH.\n"
     "CTranslate2 and faster-whisper: from version 4.5 on cuDNN 9, before it cuDNN 8.\nWSL, and libcuda.so is named: "
     "LD_LIBRARY_PATH=/usr/lib/wsl/lib",
     "Do not link a file of one major version to the name of another.", "cuDNN installation guide"},
    {"library.cudnn_alloc", "cuDNN could not allocate",
     "CUDNN_STATUS_ALLOC_FAILED\nCUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED\nCUDNN_STATUS_INTERNAL_ERROR_"
     "DEVICE_ALLOCATION_FAILED",
     Role::kRoot, "memory", "No memory for cuDNN's work area.", "The device is full.", kLibraryChecks,
     "A smaller batch; torch.backends.cudnn.benchmark=False takes algorithms with smaller work areas.", "",
     "cuDNN, status codes"},
    {"library.cudnn_exec", "A cuDNN operation failed",
     "CUDNN_STATUS_EXECUTION_FAILED\nCUDNN_STATUS_INTERNAL_ERROR\nCUDNN_STATUS_MAPPING_ERROR", Role::kSymptom, "cudnn",
     "A kernel of cuDNN failed, or one before it.", "Little memory, or an earlier fault that is reported here.",
     kLibraryChecks,
     "See what blocking launches show; try torch.backends.cudnn.enabled=False to tell whether it is cuDNN.", "",
     "cuDNN, status codes"},
    {"library.cudnn_support", "cuDNN does not support this case",
     "CUDNN_STATUS_NOT_SUPPORTED\nCUDNN_STATUS_ARCH_MISMATCH\nCUDNN_STATUS_BAD_PARAM\nCUDNN_STATUS_NOT_SUPPORTED_ARCH_"
     "MISMATCH",
     Role::kRoot, "cudnn", "Shape, type, layout or GPU are outside of what cuDNN does.",
     "A tensor that is not contiguous, an empty batch, or a GPU older than this cuDNN supports.",
     "$ nvidia-smi --query-gpu=name,compute_cap --format=csv",
     "Make "
     "inputs contiguous(); check for empty batches; for old GPUs an older cuDNN.",
     "", "cuDNN, status codes"},
    {"library.cudnn_version", "cuDNN versions are mixed",
     "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH\nCUDNN_STATUS_VERSION_MISMATCH\nCUDNN_STATUS_SUBLIBRARY_LOADING_"
     "FAILED\nLoaded runtime CuDNN library: {w} but source was compiled with: {w}\nThe installed Paddle is compiled "
     "with CUDNN {n}, but CUDNN version in your machine is {n}\ncuDNN version incompatibility: PyTorch was compiled "
     "against",
     Role::kRoot, "library",
     "Parts of cuDNN of two versions are loaded, or an older one than the program was built for.",
     "A system cuDNN stands on the library path before the one that the wheel brings.",
     "Which are there? $ ldconfig -p | grep cudnn; pip list | grep cudnn; echo $LD_LIBRARY_PATH",
     "unset LD_LIBRARY_PATH, or install the version that the message asks for (pip install nvidia-cudnn-cu12==...).",
     "Do not rename library files.",
     "cuDNN, status "
     "codes"},
    {"library.cusolver", "cuSOLVER, cuSPARSE or cuFFT failed",
     "CUSOLVER_STATUS_INTERNAL_ERROR\nCUSOLVER_STATUS_NOT_INITIALIZED\nCUSOLVER_STATUS_EXECUTION_FAILED\nCUSPARSE_"
     "STATUS_EXECUTION_FAILED\nCUSPARSE_STATUS_INSUFFICIENT_RESOURCES\nCUFFT_INTERNAL_ERROR\nCUFFT_ALLOC_FAILED\nCUFFT_"
     "EXEC_FAILED\nCURAND_STATUS_LAUNCH_FAILURE",
     Role::kSymptom, "cublas", "A numerical library of CUDA failed.",
     "Little memory, an earlier fault, or NaN in the input. cuFFT's internal error "
     "with CUDA 11.7 or older on RTX 40 and newer: the build is too old for the GPU.",
     kLibraryChecks, "Check the input for NaN; take a newer build on a new GPU.", "", "CUDA library references"},
    {"kernel.fork", "CUDA was used in a forked process", "Cannot re-initialize CUDA in forked subprocess", Role::kRoot,
     "fork", "A worker was forked from a process that had used CUDA; a context does not survive fork().",
     "Multiprocessing starts with fork on Linux by default.", "$ grep -rn \"multiprocessing\\|num_workers\" .",
     "torch.multiprocessing.set_start_method('spawn', force=True).\nOr use CUDA only in the workers; datasets should "
     "return CPU "
     "tensors.\nvLLM: VLLM_WORKER_MULTIPROC_METHOD=spawn.",
     "", "PyTorch, 'Multiprocessing best practices'"},
    {"kernel.device_mix", "Tensors are on different devices",
     "Expected all tensors to be on the same device, but found at least two devices\nInput type (torch.cuda.{w}) and "
     "weight type (torch.{w}) should be the same\nInput type (torch.{w}) and weight type (torch.cuda.{w}) should be "
     "the same",
     Role::kRoot, "", "An operation got tensors from two devices.",
     "Input or a buffer was not moved: .to(device) of a tensor returns a new one.",
     "$ python -c \"...; "
     "print({p.device for p in model.parameters()}, x.device)\"",
     "x = x.to(model.device); register constants as buffers so that model.to() moves them.", "", "PyTorch"},
    {"kernel.triton_compile", "Triton could not compile a kernel",
     "triton.compiler.errors.CompilationError\ntriton.compiler.CompilationError\nPTXASError: PTXAS error\nInternal "
     "Triton PTX codegen error\nFailed to compile Triton kernel\nCannot find a working triton installation\nTriton "
     "only supports devices of CUDA Capability >= {n}\nerror: triton_busy{*}",
     Role::kRoot, "", "A Triton kernel was not translated for this GPU.",
     "Triton is older than the GPU's "
     "architecture or does not fit PyTorch; GPUs before compute capability 7.0 are not supported.",
     "$ python -c \"import torch, triton; print(torch.__version__, triton.__version__, "
     "torch.cuda.get_device_capability())\"\nCompiler and headers there? $ which gcc; python3-config --includes",
     "Install the Triton that this PyTorch names (pip check); on Windows triton-windows.\nAs a way round: "
     "TORCHDYNAMO_DISABLE=1, or torch.compile off.",
     "Do "
     "not delete kernels from the library; clear ~/.triton/cache first.",
     "Triton, errors"},
    {"kernel.triton_ptxas", "ptxas does not know the architecture",
     "ptxas fatal : Value 'sm_{n}' is not defined\nptxas fatal : Value 'sm_{w}' is not defined", Role::kRoot, "arch",
     "The assembler that Triton or the toolkit uses is older than the GPU.", "Triton's own ptxas is of an older CUDA.",
     "$ python -c \"import triton; print(triton.__version__)\"",
     "Update Triton with PyTorch, or TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas of a newer toolkit.", "", "Triton"},
    {"kernel.fallen", "The GPU fell off the bus",
     "GPU has fallen off the bus\nGPU is lost. Reboot the system to recover this GPU\nGPU is lost\nUnable to determine "
     "the device handle for GPU{*}Unknown Error\nUnable to determine the device handle for gpu{*}GPU is lost",
     Role::kMachine, "lost",
     "The GPU does not answer on PCIe any more. No program can use it until the machine restarts.",
     "Power, heat, or a bad seat; the program only drew the load.",
     "What came "
     "before? $ warpscope faults /var/log/kern.log\nStill on the bus? $ lspci | grep -i nvidia",
     "Power the machine off and on; check cables and temperature; if it comes back under load, lower the power limit "
     "(nvidia-smi -pl) to see, and replace card or supply.",
     "Do not restart the job on this GPU.", "NVIDIA, Xid errors"},
    {"kernel.xid", "The driver wrote an Xid", "Xid ({*}): {n}\nXid {n}\nXid: {n}\nXid error {n}", Role::kRoot, "xid",
     "A line of the NVIDIA driver in the kernel's log.", "See the code; the whole log tells which came first.",
     "All of them in order, by GPU, with what to do: $ warpscope faults FILE",
     "Follow what warpscope faults says for the code.", "Do not take Xid 45 or 43 for the cause: they follow others.",
     "NVIDIA, Xid errors", WorkXid},
    {"kernel.xid_machine", "The driver wrote an Xid of the machine",
     "Xid ({*}): 48\nXid ({*}): 62\nXid ({*}): 64\nXid ({*}): 74\nXid ({*}): 79\nXid ({*}): 95\nXid ({*}): 119\nXid "
     "({*}): 120\nXid ({*}): 140\nXid ({*}): 145\nXid ({*}): 149",
     Role::kMachine, "xid",
     "A line of the NVIDIA driver in the kernel's log: the device, its memory, link or firmware failed by itself.",
     "The machine, not the program.",
     "All of them in order, by GPU, with what to do: $ warpscope "
     "faults FILE",
     "Follow what warpscope faults says for the code.", "Do not restart the job on this GPU.", "NVIDIA, Xid errors",
     [](std::span<const Match> matches, Answer* answer) {
       std::vector<Match> again(matches.begin(), matches.begin() + 1);
       const size_t at = again[0].window.find("): ");
       if (at != std::string::npos)
         again[0].captures.push_back(
             again[0].window.substr(at + 3, again[0].window.find_first_not_of("0123456789", at + 3) - at - 3));
       WorkXid(again, answer);
     }},
};

}  // namespace

extern const std::span<const Entry> kKernel;
const std::span<const Entry> kKernel = kEntries;

}  // namespace warpscope::explain
