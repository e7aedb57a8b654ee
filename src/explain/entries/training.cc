// Set-up of training and of inference engines: processes, parallelism, attention, back ends.
#include <fmt/format.h>

#include "explain/explain.h"
#include "explain/text/pattern.h"
#include "explain/text/quantity.h"

namespace warpscope::explain {
namespace {

// "attention heads (28) must be divisible by tensor parallel size (8)": the sizes that would do.
void WorkHeads(std::span<const Match> matches, Answer* answer) {
  const auto match =
      Find("attention heads ({n}) must be divisible by tensor parallel size ({n})", matches.front().window);
  if (!match) return;
  const auto heads = NumberOf(match->captures[0]), asked = NumberOf(match->captures[1]);
  if (!heads || !asked || *heads < 1 || *heads > 4096 || *asked < 1 || *asked > 4096) return;
  std::string sizes;
  for (int size = 1; size <= static_cast<int>(*asked); ++size) {
    if (static_cast<int>(*heads) % size == 0) sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", size);
  }
  answer->headline = fmt::format("{:.0f} attention heads cannot be divided over {:.0f} GPUs; sizes that do: {}.",
                                 *heads, *asked, sizes);
}

constexpr Entry kEntries[] = {
    {"train.env_rendezvous", "The launcher's variables are not set",
     "environment variable RANK expected, but not set\nenvironment variable WORLD_SIZE expected, but not "
     "set\nenvironment "
     "variable MASTER_ADDR expected, but not set\nenvironment variable MASTER_PORT expected, but not set",
     Role::kRoot, "rendezvous", "init_process_group reads rank and size from the environment, and nobody set them.",
     "The program was started with python instead of torchrun.", "$ env | grep -E 'RANK|WORLD_SIZE|MASTER'",
     "torchrun --standalone --nproc_per_node=N PROGRAM\nSlurm: RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS, and "
     "MASTER_ADDR of "
     "the first node.",
     "", "PyTorch, torchrun"},
    {"train.no_group", "The process group was not set up", "Default process group has not been initialized",
     Role::kRoot, "rendezvous", "A collective was called before init_process_group, or in a process of its own.",
     "A program for several GPUs was started as a single process.", "",
     "Start it with torchrun, and call init_process_group first.\nFor one GPU: use the variant without distribution.",
     "", "PyTorch, torch.distributed"},
    {"train.unused_parameters", "DDP waits for gradients that never come",
     "Expected to have finished reduction in the prior iteration before starting a new one\nParameter indices which "
     "did not "
     "receive grad for rank",
     Role::kRoot, "", "Some parameters took no part in the loss of the last step, so that their gradients are missing.",
     "A branch of the model that is not always used, or an output that does not enter the loss.",
     "Which parameters? $ TORCH_DISTRIBUTED_DEBUG=DETAIL PROGRAM",
     "Let all parameters enter the loss, or leave them out of the model.\nElse DistributedDataParallel(..., "
     "find_unused_parameters=True), which costs a search each step.",
     "Do not switch find_unused_parameters on where nothing is unused.", "PyTorch, DistributedDataParallel"},
    {"train.gloo", "Gloo's processes do not connect", "Gloo connectFullMesh failed", Role::kSymptom, "rendezvous",
     "Processes of the CPU group could not open connections to each other.",
     "The host's name resolves to 127.0.0.1, another interface is taken, or a rank ended.",
     "$ getent hosts $(hostname); env | grep GLOO", "GLOO_SOCKET_IFNAME=eth0 on all hosts; repair /etc/hosts.", "",
     "PyTorch, distributed: choosing the network interface"},
    {"train.heads", "The model cannot be divided over that many GPUs",
     "attention heads ({n}) must be divisible by tensor parallel size ({n})", Role::kRoot, "",
     "Tensor parallelism gives each GPU whole attention heads.",
     "A tensor parallel size that does not divide the heads.", "",
     "Take a size that divides the number of heads, and pipeline parallelism for the rest.", "",
     "vLLM, distributed serving", WorkHeads},
    {"train.sdpa_kernel", "No attention kernel fits", "No available kernel. Aborting execution", Role::kRoot,
     "attention",
     "scaled_dot_product_attention was told which kernels it may use, and none of them takes these inputs.",
     "sdpa_kernel(FLASH_ATTENTION) with float32, a mask, a large head dimension, or a GPU before Ampere.",
     "Why is each refused? Warnings right above say it; or torch.backends.cuda.can_use_flash_attention(params, "
     "debug=True)",
     "Allow the efficient and math kernels as well, or use bfloat16 or float16.", "",
     "PyTorch, scaled_dot_product_attention"},
    {"train.flash_capability", "FlashAttention's check of the GPU failed",
     "Expected is_sm90 || is_sm8x || is_sm75 to be true\nExpected is_sm8x || is_sm90 to be true\nExpected is_sm80 to "
     "be true",
     Role::kRoot, "attention",
     "The kernel exists for some architectures only, and for large head dimensions on fewer still.",
     "A GPU before Turing or newer than the package; or the backward pass of a head dimension above 64 on RTX 30 "
     "cards.",
     "$ nvidia-smi --query-gpu=name,compute_cap --format=csv",
     "A newer flash-attn or PyTorch; else attn_implementation='sdpa'.", "", "FlashAttention, requirements"},
    {"train.nan_vae", "The image decoder produced NaN",
     "A tensor with all NaNs was produced in VAE\nA tensor with all NaNs was produced in Unet", Role::kRoot, "",
     "Numbers left the range of half precision.",
     "A decoder (VAE) that needs more range than float16 has; GTX 16 cards, whose half precision fails in some "
     "operations.",
     "", "--no-half-vae (VAE only), or --upcast-sampling; for GTX 16: --no-half.\nUse bfloat16 where the GPU has it.",
     "Do not use --disable-nan-check: the image stays black.", "Stable Diffusion web UI, troubleshooting"},
    {"train.triton_missing", "Triton is not installed",
     "No module named 'triton'\nA matching Triton is not available, some optimizations will not be enabled\nCannot "
     "find a working "
     "triton installation",
     Role::kRemark, "triton", "A package would use kernels that are written in Triton and goes on without, or stops.",
     "On Windows the official PyTorch brings none.", "",
     "Linux: pip install triton (of PyTorch's version).\nWindows: pip install triton-windows, or use WSL 2.", "",
     "Triton, installation"},
    {"train.jax_cudnn", "JAX finds an older cuDNN than it was built for",
     "CUDA backend failed to initialize: Found {w} version {n}, but JAX was built against version {n}\nbut JAX was "
     "built against "
     "version",
     Role::kRoot, "cudnn",
     "A library on the path is older than the one that JAX was built with; JAX then uses the processor.",
     "LD_LIBRARY_PATH names the system's CUDA, which comes before pip's.",
     "$ echo $LD_LIBRARY_PATH; pip list | grep -i nvidia", "unset LD_LIBRARY_PATH, and pip install -U 'jax[cuda12]'.",
     "Do not install an older JAX for it.", "JAX, installation"},
    {"train.libdevice", "XLA does not find libdevice",
     "Can't find libdevice directory\nFailed to find libdevice\nlibdevice not found at "
     "./libdevice.10.bc\nlibdevice.10.bc",
     Role::kRoot, "toolkit", "XLA compiles kernels with a file of the CUDA toolkit that is not where it looks.",
     "The toolkit's nvvm folder is not in the environment.", "$ find / -name libdevice.10.bc 2>/dev/null | head",
     "export XLA_FLAGS=--xla_gpu_cuda_data_dir=FOLDER (the one that holds nvvm/libdevice).\nOr pip install "
     "'tensorflow[and-cuda]' or nvidia-cuda-nvcc-cu12.",
     "", "TensorFlow, 'Install TensorFlow with pip'"},
    {"train.tf_remarks", "Messages of TensorFlow that mean nothing is wrong",
     "Unable to register cuDNN factory: Attempting to register factory\nUnable to register cuBLAS factory: Attempting "
     "to "
     "register factory\nUnable to register cuFFT factory: Attempting to register factory\nsuccessful NUMA node read "
     "from SysFS "
     "had negative value\nThis TensorFlow binary is optimized to use available CPU instructions",
     Role::kRemark, "", "Start-up messages that are printed as errors or warnings and change nothing.",
     "TensorFlow's way of logging.", "", "Nothing has to be done; TF_CPP_MIN_LOG_LEVEL=2 hides them.",
     "Do not reinstall because of them.", "TensorFlow, issue tracker"},
    {"train.nccl_cpu_tensor", "NCCL was given tensors that are not on a GPU",
     "Tensors must be CUDA and dense\nNo backend type associated with device type cpu", Role::kRoot, "nccl_usage",
     "The group works with NCCL, and NCCL moves memory of GPUs only.",
     "A tensor or object that is still on the CPU: a metric, an index, a loaded state.", "",
     "Move it: tensor.cuda(local_rank).\nOr a group for both kinds: init_process_group('cpu:gloo,cuda:nccl').",
     "", "PyTorch, torch.distributed: backends"},
    {"train.batch_zero", "No batch size fits", "No executable batch size found, reached zero", Role::kRoot, "memory",
     "Accelerate halves the batch size after each failure for lack of memory; not even one sample fitted.",
     "Model, gradients and optimiser fill the GPU by themselves, or a single sample is too long.",
     "How much is taken before the first step? $ nvidia-smi\nHow long is the longest sample? Print its number of "
     "tokens.",
     "Limit the length of samples (max_length with truncation).\nGradient checkpointing; LoRA or 8-bit optimisers; "
     "a smaller model.\nIf training had run before: a failed attempt keeps its memory; start a new process with a "
     "fixed batch size and without auto_find_batch_size.",
     "Do not start with a smaller batch size: one sample was tried already.", "Hugging Face Accelerate"},
    {"train.kernel_missing", "The inference engine has no kernel for this GPU",
     "No compiled cutlass_scaled_mm for\nNot implemented "
     "or built, mostly likely because the current current device does not support this kernel",
     Role::kRoot, "arch",
     "The format of the model's weights needs a kernel that this build has for other compute capabilities only.",
     "A GPU older than the format (FP8 needs 8.9, INT8 needs 7.5), or so new that the build leaves it out.",
     "What does the GPU need? $ nvidia-smi --query-gpu=name,compute_cap --format=csv",
     "New GPU: a newer build of the engine for CUDA 12.8 or later, or one built with TORCH_CUDA_ARCH_LIST of this "
     "GPU.\nOld GPU: the model in another format, such as AWQ, GPTQ or FP16.",
     "", "vLLM, supported hardware of quantisation"},
    {"train.graph_capture", "The inference engine could not record its CUDA graphs",
     "Capture cuda graph failed\nCapture CUDA graph failed", Role::kSymptom, "launcher",
     "At its start the engine records one graph a batch size, and that failed; the reason stands after the colon.",
     "No memory was left for the graphs after weights and cache, another rank ended, or a kernel does not fit the GPU.",
     "What stands after the colon, and in the traceback above? $ warpscope explain --file LOG",
     "Memory: --mem-fraction-static 0.8 or lower, and --cuda-graph-max-bs 16.\nTo tell what fails: "
     "--disable-cuda-graph once; if it then runs, it is the recording.",
     "Do not leave --disable-cuda-graph in place: small batches become much slower.", "SGLang, troubleshooting"},
    {"train.engine_dead", "The inference engine has stopped",
     "AsyncEngineDeadError\nEngineDeadError\nllama runner process has terminated: exit status {n}\nllama runner "
     "process no longer "
     "running\nggml_cuda_compute_forward: {w} failed",
     Role::kSymptom, "launcher", "The process or loop that runs the model ended; requests after it get this answer.",
     "The first error before it: memory, a kernel fault, or a build without code for this GPU.",
     "$ warpscope explain --file LOG", "Correct the first error; then start the engine again.", "",
     "vLLM and Ollama, troubleshooting"},
};

}  // namespace

extern const std::span<const Entry> kTraining;
const std::span<const Entry> kTraining = kEntries;

}  // namespace warpscope::explain
