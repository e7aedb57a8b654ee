// Packages around PyTorch, TensorFlow, JAX, Paddle that do not fit the GPU or each other.
#include "explain/explain.h"
#include "explain/versions/arch.h"

namespace warpscope::explain {
namespace {

constexpr const char* kVersions =
    "Versions? $ python -c \"import torch; print(torch.__version__, torch.version.cuda)\"; pip list | grep -iE "
    "'torch|flash|xformers|bitsandbytes|triton|nvidia'";

constexpr Entry kEntries[] = {
    {"package.bitsandbytes", "bitsandbytes has no CUDA library for this set-up",
     "The installed version of bitsandbytes was compiled without GPU support\nCUDA Setup failed despite GPU being "
     "available\nCUDA Setup failed despite CUDA being available\nCould not find the bitsandbytes CUDA binary "
     "at\nRequired library version not found: libbitsandbytes_cuda{w}\nRequired library version not found: "
     "libsbitsandbytes_{w}\nlibbitsandbytes_cuda{w}: cannot open shared object file\nlibbitsandbytes_cpu.so: "
     "undefined symbol\nConfigured CUDA binary not found at\n'NoneType' object has no attribute "
     "'cget_managed_ptr'\nCUDA SETUP: {*}libcudart.so not found",
     Role::kRoot, "package",
     "bitsandbytes chooses a library by PyTorch's CUDA version and found none, so that it fell back to the CPU.",
     "bitsandbytes is older than PyTorch's CUDA, or PyTorch itself is the CPU build.",
     "What does it say? $ python -m bitsandbytes\nVersions? $ python -c \"import torch; "
     "print(torch.__version__, torch.version.cuda)\"; pip show bitsandbytes",
     "pip install -U bitsandbytes (0.46 and later bring CUDA 11.8 to 13).\nPyTorch says '+cpu' or None: install its "
     "CUDA build first.\nBNB_CUDA_VERSION is set: unset it.",
     "Do not copy or rename libbitsandbytes files, and take no 'bitsandbytes-windows'.",
     "bitsandbytes, installation guide"},
    {"package.flash_gpu", "FlashAttention does not support this GPU",
     "FlashAttention only supports Ampere GPUs or newer\nFlashAttention only support Ampere GPUs or "
     "newer\nFlashAttention is only supported on CUDA 11.6 and above\nFlashAttention backward for head dim > 192 "
     "requires A100/A800 or H100/H800\nFlashAttention-3 can only be run on the Hopper GPU\nFlashAttention forward only "
     "supports head dimension at most {n}",
     Role::kRoot, "package",
     "The kernels need compute capability "
     "8.0 or more.",
     "A Turing or Volta GPU (RTX 20, T4, V100, Quadro RTX), or a head dimension beyond its limits.",
     "$ nvidia-smi --query-gpu=name,compute_cap --format=csv",
     "attn_implementation='sdpa' (transformers), or xformers; vLLM: VLLM_ATTENTION_BACKEND=XFORMERS or "
     "TRITON_ATTN.\nIf the GPU is new enough: the model runs on the CPU or on a second, older GPU - choose with "
     "CUDA_VISIBLE_DEVICES.",
     "Do not rebuild flash-attn: it is the GPU.", "flash-attention, README"},
    {"package.bf16", "This GPU has no bfloat16",
     "Bfloat16 is only supported on GPUs with compute capability of at least {n}\nyour GPU does not support "
     "bf16\nYour setup doesn't support bf16/gpu\nCurrent CUDA Device does not support bfloat16\nBF16 is not supported "
     "on "
     "this device",
     Role::kRoot, "package", "Arithmetic in bfloat16 needs compute capability 8.0 (Ampere) or newer.",
     "A Turing, Volta or older GPU (T4, V100, RTX 20), and a model whose configuration says bfloat16.",
     "$ nvidia-smi --query-gpu=name,compute_cap --format=csv",
     "float16 instead: vLLM --dtype=half; transformers torch_dtype=torch.float16; Trainer fp16=True, bf16=False.\nIf "
     "float16 gives NaN: float32, or a newer GPU.",
     "Do not change driver or CUDA: it is the GPU.", "vLLM, supported data types"},
    {"package.mixed_types", "Tensors of different types meet in one operation",
     "expected scalar type {w} but found {w}\nexpected m1 and m2 to have the same dtype\nmat1 and mat2 must have the "
     "same "
     "dtype\nInput type ({w}) and bias type ({w}) should be the same",
     Role::kRoot, "types",
     "A matrix product or convolution takes one type for all its inputs, and here they differ (Half: float16).",
     "Model or input was turned into half precision by hand, the other was not; or code runs outside the autocast "
     "block.",
     "Which types are they? A line in the program: print({p.dtype for p in model.parameters()}, "
     "x.dtype)\nWhich line is it? The Traceback's last line of your own code.",
     "Training: leave the weights float32 and use autocast: with torch.autocast(\"cuda\", dtype=torch.bfloat16).\n"
     "Inference: the same type for both: model.half(); x = x.half(), or x.to(next(model.parameters()).dtype).\n"
     "Custom layers: cast where the types meet: h = h.to(self.weight.dtype).",
     "Do not call .half() on a model that is trained with autocast: its weights lose digits.",
     "PyTorch, ATen's checks of types; 'Automatic Mixed Precision'"},
    {"package.flash_type", "FlashAttention needs half precision",
     "FlashAttention only support fp16 and bf16 data type\nFlash Attention only support fp16 and bf16", Role::kRoot,
     "package", "Tensors are in float32.", "Model or inputs were not cast.", "",
     "Load with torch_dtype=torch.bfloat16, or use torch.autocast.", "", "flash-attention, README"},
    {"package.flash_missing", "flash-attn is not installed or does not load",
     "FlashAttention2 has been toggled on, but it cannot be used due to the following error\nNo module named "
     "'flash_attn'\nNo module named 'flash_attn_2_cuda'\nImportError: {*}flash_attn_2_cuda{*}undefined symbol\nDLL "
     "load failed while importing flash_attn_2_cuda\nflash_attn seems to be not installed\nthe package flash_attn "
     "seems to be not installed",
     Role::kRoot, "abi",
     "The package, or its compiled part, is "
     "missing or was built for another PyTorch.",
     "No wheel for this PyTorch, CUDA and Python; PyTorch was updated after it had been built.", kVersions,
     "pip install flash-attn --no-build-isolation, or the wheel of the release page whose name says exactly this "
     "torch, cu and cp.\nOr do without: attn_implementation='sdpa'.",
     "Do not downgrade the driver.", "flash-attention, README"},
    {"package.xformers", "xFormers was built for another PyTorch",
     "xFormers can't load C++/CUDA extensions. xFormers was built for\nWARNING[XFORMERS]: xFormers can't load C++/CUDA "
     "extensions\nxFormers wasn't build with CUDA support\nxFormers was built with CUDA support\nNo operator found for "
     "`memory_efficient_attention_forward`\nNotImplementedError: No operator found for "
     "memory_efficient_attention\nxformers version: {w} is not compatible",
     Role::kRoot, "abi",
     "Its compiled part is not "
     "loaded; memory-efficient attention is missing.",
     "xFormers and PyTorch are of versions that do not belong together.", "$ python -m xformers.info",
     "pip install -U xformers --index-url of the same cuXXX as PyTorch; each version is for one PyTorch.\nOr do "
     "without: PyTorch's scaled_dot_product_attention does the same.",
     "Do not let pip pull another PyTorch in: look at what it would change.", "xFormers, README"},
    {"package.torchvision", "torchvision and PyTorch do not fit",
     "operator torchvision::nms does not exist\nCould not run 'torchvision::nms' with arguments from the 'CUDA' "
     "backend\nCouldn't load custom C++ ops\nDetected that PyTorch and torchvision were compiled with different CUDA "
     "{w}\nDetected that PyTorch and torchaudio were compiled with different CUDA",
     Role::kRoot, "abi", "torchvision is of another version, or a CPU build beside a CUDA PyTorch.",
     "One of them was "
     "installed alone.",
     kVersions, "Install torch, torchvision and torchaudio together, from one index.", "", "torchvision, README"},
    {"package.deepspeed", "A DeepSpeed operator could not be built",
     "Unable to JIT load the {w} op due to\nCUDAMismatchException: >- DeepSpeed Op Builder: Installed CUDA version {w} "
     "does not match\nInstalled CUDA version {n} does not match the version torch was compiled with "
     "{n}\nCUDAMismatchException",
     Role::kRoot, "toolkit", "DeepSpeed compiles with the machine's nvcc, which is of another CUDA than PyTorch.",
     "Another toolkit, or none.",
     "$ ds_report; nvcc --version; python "
     "-c \"import torch; print(torch.version.cuda)\"",
     "A toolkit of PyTorch's CUDA and CUDA_HOME set to it.", "Do not skip the check across major versions.",
     "DeepSpeed, installation details"},
    {"package.apex", "apex was built without its CUDA part",
     "No module named 'amp_C'\nNo module named 'fused_layer_norm_cuda'\nNo module named 'apex_C'\nColumnParallelLinear "
     "was called with gradient_accumulation_fusion set to True but the custom CUDA extension",
     Role::kRoot, "package", "The fused operations were not compiled.",
     "pip install without the options that build them.", kVersions,
     "Build apex from source with --cpp_ext --cuda_ext; or use PyTorch's own AdamW(fused=True) and "
     "layer norm.",
     "", "apex, README"},
    {"package.tensorflow_cpu", "TensorFlow does not use the GPU",
     "Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed "
     "properly\nCannot dlopen some GPU libraries\nCould not find cuda drivers on your machine, GPU will not be "
     "used\nSkipping registering GPU devices\nfailed call to cuInit: CUDA_ERROR_NO_DEVICE\nfailed call to cuInit: "
     "UNKNOWN ERROR (303)\nCould not find TensorRT\nTF-TRT Warning: Could not find "
     "TensorRT\ntf.config.list_physical_devices('GPU') "
     "[]",
     Role::kSymptom, "cuda_unavailable", "TensorFlow goes on with the CPU. (A missing TensorRT alone changes nothing.)",
     "CUDA libraries of TensorFlow's versions are not installed; no driver; or Windows, where TensorFlow has had no "
     "GPU support since 2.11 outside WSL.",
     "$ python -c \"import tensorflow as tf; print(tf.sysconfig.get_build_info()); "
     "print(tf.config.list_physical_devices('GPU'))\"\n$ nvidia-smi",
     "pip install 'tensorflow[and-cuda]' in a fresh environment.\nWindows: use WSL "
     "2.",
     "Do not install CUDA by hand beside it.", "TensorFlow, 'Install TensorFlow with pip'"},
    {"package.jax_cpu", "JAX does not use the GPU",
     "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed\nNo GPU/TPU found, "
     "falling back to CPU\nUnable to initialize backend 'cuda'\nUnable to initialize backend "
     "'gpu'\nJaxStackTraceBeforeTransformation{*}no GPU",
     Role::kRoot, "cpu_build", "A jaxlib without CUDA is installed, or its CUDA part does not load.",
     "pip install jax gives the CPU version.", "$ python -c \"import jax; jax.print_environment_info()\"",
     "pip "
     "install -U \"jax[cuda12]\" or \"jax[cuda13]\", by the driver.\nTake LD_LIBRARY_PATH off: it hides the wheels' "
     "libraries.",
     "Do not install a system CUDA for it.", "JAX, installation"},
    {"package.jax_ptxas", "JAX's compiler tools are older than the GPU or library",
     "ptxas version {*} too old\nPTX JIT compilation{*}ptxas\nCouldn't get ptxas version string\nLoaded runtime CuDNN "
     "library: {w} but source\nCUDA_ERROR_UNSUPPORTED_PTX_VERSION{*}jax\nptxas exited with non-zero error code {n}",
     Role::kRoot, "arch", "ptxas is missing, or does not know the GPU.", "An older toolkit stands first on the path.",
     "$ which ptxas; ptxas --version",
     "Install jax[cuda12] or [cuda13] anew; take old toolkits off "
     "PATH.",
     "", "JAX, installation"},
    {"package.paddle_check", "Paddle's run_check failed",
     "PaddlePaddle meets some problem with {n} GPUs\nYou are using GPU version PaddlePaddle, but there is no GPU "
     "detected on your machine\nYou are using GPU version Paddle, but your CUDA device is not set "
     "properly\nPaddlePaddle is installed successfully ONLY for single GPU\nCannot run on multiple GPU\nNot compiled "
     "with CUDA, but\nOriginal Error is Not compiled with CUDA\nPaddle is not compiled with CUDA",
     Role::kRoot, "paddle",
     "paddle.utils.run_check() found that "
     "Paddle cannot use the GPU, or only one of several.",
     "'Not compiled with CUDA': the CPU wheel is installed. 'no GPU detected': driver or CUDA_VISIBLE_DEVICES. 'ONLY "
     "for single GPU': NCCL between the cards.",
     "$ python -c \"import paddle; print(paddle.version.cuda(), paddle.device.is_compiled_with_cuda(), "
     "paddle.device.cuda.device_count())\"\n$ nvidia-smi; echo \"[$CUDA_VISIBLE_DEVICES]\"",
     "CPU wheel: pip uninstall paddlepaddle; install paddlepaddle-gpu from "
     "Paddle's index for the driver's CUDA.\nSeveral cards: NCCL_P2P_DISABLE=1 shows whether it is the path between "
     "them; one card works meanwhile.",
     "Do not install paddlepaddle and paddlepaddle-gpu together.", "PaddlePaddle, installation guide"},
    {"package.paddle_capability", "Paddle tells GPU and CUDA versions",
     "Please NOTE: device: {n}, GPU Compute Capability: {n}, Driver API Version: {n}, Runtime API Version: {n}",
     Role::kRemark, "paddle", "A notice, not an error.", "", "",
     "Only if a later message complains: the driver's version must be at least the runtime's.", "", "PaddlePaddle",
     WorkOldDriver},
    {"package.onnx", "ONNX Runtime fell back from CUDA to the CPU",
     "Failed to create CUDAExecutionProvider\nSpecified provider 'CUDAExecutionProvider' is not in available provider "
     "names\nError loading{*}onnxruntime_providers_cuda\nFailed to load library "
     "libonnxruntime_providers_cuda.so\nFailed to create TensorrtExecutionProvider\nUserWarning: Specified provider "
     "'CUDAExecutionProvider' is not in available provider names",
     Role::kRoot, "package",
     "The CUDA provider could not be loaded; "
     "everything runs on the CPU.",
     "onnxruntime and onnxruntime-gpu are both installed, or CUDA and cuDNN are not of the versions that it needs.",
     "$ python -c \"import onnxruntime as o; print(o.__version__, o.get_available_providers())\"; pip list | grep -i "
     "onnx",
     "pip uninstall -y onnxruntime onnxruntime-gpu; pip install onnxruntime-gpu.\nCUDA 12 and cuDNN 9 for 1.19 and "
     "later; onnxruntime.preload_dlls() takes PyTorch's.",
     "", "ONNX Runtime, CUDA execution provider"},
    {"package.ollama", "Ollama or llama.cpp does not use the GPU",
     "no compatible GPUs were discovered\nunable to load cudart library\nunable to load nvcuda\nggml_cuda_init: failed "
     "to initialize CUDA\ninferior graphics "
     "card{*}\nWARNING: No NVIDIA/AMD GPU detected. Ollama will run in CPU-only mode\nggml_backend_load_best: search "
     "path\nwarning: no usable GPU found, --gpu-layers option will be ignored\nwarning: not compiled with GPU offload "
     "support",
     Role::kRoot, "cuda_unavailable", "It runs on the processor.",
     "Driver not reachable, nvidia-uvm not "
     "loaded, or a build without GPU support.",
     "$ nvidia-smi; lsmod | grep nvidia_uvm; ls -l /dev/nvidia*",
     "modprobe nvidia-uvm; pass the GPU to the container (--gpus all); build with -DGGML_CUDA=ON.", "",
     "Ollama, troubleshooting"},
};

}  // namespace

extern const std::span<const Entry> kPackages;
const std::span<const Entry> kPackages = kEntries;

}  // namespace warpscope::explain
