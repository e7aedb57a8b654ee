// Out of memory, in the words of each framework.
#include "explain/explain.h"
#include "explain/memory/other_oom.h"
#include "explain/memory/torch_oom.h"

namespace warpscope::explain {
namespace {

constexpr const char* kHolders =
    "Who holds memory? $ nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv\n"
    "How much is free? $ nvidia-smi --query-gpu=index,memory.free,memory.total --format=csv";
constexpr const char* kShrink =
    "Take a smaller batch, resolution or sequence; use bf16 or fp16.\n"
    "End other programs on the GPU, or choose another with CUDA_VISIBLE_DEVICES.";

constexpr Entry kEntries[] = {
    {"memory.torch", "PyTorch ran out of device memory",
     "CUDA out of memory. Tried to allocate\nHIP out of memory. Tried to allocate\nXPU out of memory. Tried to "
     "allocate\nNPU out of memory. Tried to "
     "allocate\nMLU out of memory. Tried to allocate\nMUSA out of memory. Tried to allocate\nCUDA out of memory: Tried "
     "to allocate",
     Role::kRoot, "memory",
     "A request for device memory could not be served, after PyTorch had given back its unused cache.",
     "The numbers of the message do not say which; most often the batch or model is too large for the GPU.", kHolders,
     kShrink, "Do not set max_split_size_mb before the numbers show fragmentation.",
     "PyTorch, 'CUDA semantics', section 'Memory management'", WorkTorchOom},
    {"memory.torch_async", "PyTorch's asynchronous allocator has no device memory left",
     "!!! Allocation on device\nGot an OOM, unloading all loaded models\nAllocation on device {n} would exceed allowed "
     "memory\nOutOfMemoryError: Allocation on device",
     Role::kRoot, "memory",
     "The allocator of the driver (backend:cudaMallocAsync), which ComfyUI chooses, could not get what was asked for.",
     "The model and its intermediate results do not fit beside what is there already.", kHolders,
     "A smaller image or batch, --lowvram or a quantised model; free models that are not needed.\nEnd other programs "
     "on the GPU.",
     "", "PyTorch, CUDA semantics: memory management", WorkAsyncOom},
    {"memory.mps", "An Apple GPU's memory limit is reached", "MPS backend out of memory (MPS allocated: {n} {w}",
     Role::kRoot, "memory", "PyTorch's MPS allocator reached its share of the machine's common memory.",
     "Model and data are too large beside what other programs use.", "What uses memory? $ vm_stat; top -o mem",
     "Close programs, or take a smaller batch or model.\nPYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 lifts the limit.",
     "Do not lift the limit on a machine that already swaps: it may freeze.", "PyTorch, 'MPS environment variables'"},
    {"memory.cuda", "The CUDA driver has no device memory left",
     "system_error: {*}out of memory\ncudaErrorMemoryAllocation\nCUDA_ERROR_OUT_OF_MEMORY\nCUDA error: out of "
     "memory\nCUDA error 2\nCUDA "
     "error(2)\nCUDA error (2)\nCUDA runtime error (2) : out of "
     "memory\nCUDA runtime error: out of memory\nCUDA driver error: out of memory\nError 2: out of memory\nCUDA "
     "failure 'out of memory'\nCUDA failure 2\ncode=2(cuda"
     "\nTriton Error [CUDA]: out of memory\ncudaMalloc failed: out of memory\nfailed to allocate{*}from device: "
     "CUDA_ERROR_OUT_OF_MEMORY\nCuda error: out of memory\n"
     "GPUassert: out of memory\nCUDA out of memory\nOut of memory in cuCtx{w}\nOut of memory in cuMem{w}\nOut of "
     "memory in cuStream{w}"
     "\nOut of memory in cuLaunch{w}\nOut of memory in cuModule{w}\nCUDA Driver API error (code: 2,\n[2] Call to "
     "cu{w}\n"
     "OPTIX_ERROR_DEVICE_OUT_OF_MEMORY\nout_of_memory: CUDA error at\ncuda_malloc(): out of memory\nCUDA error: {*} "
     "returned (2): Out of "
     "memory",
     Role::kRoot, "memory", "An allocation outside a framework's own cache failed: the device is full.",
     "Another process, or a framework in this process that reserved nearly everything at its start.", kHolders, kShrink,
     "Do not look for a driver fault: the driver answers correctly.",
     "CUDA Runtime API reference (cudaErrorMemoryAllocation)", WorkAskedBytes},
    {"memory.host_cuda", "Pinned host memory could not be had",
     "cudaHostAlloc failed: out of memory\npin_memory{*}CUDA error: out of memory", Role::kRoot, "memory",
     "Memory of the host, page-locked for copies, is exhausted; the device may have room.",
     "Too much is pinned, or the container's memory is limited.",
     "Host memory and limits? $ free -g; ulimit -l; cat /sys/fs/cgroup/memory.max",
     "Pin less (pin_memory=False, fewer prefetched batches), or raise the limit.", "", "CUDA Runtime API reference"},
    {"memory.tensorflow", "TensorFlow ran out of device memory",
     "(GPU_{n}_bfc) ran out of memory trying to allocate\nOOM when allocating tensor with shape[\nResource exhausted: "
     "OOM when allocating tensor\nResourceExhaustedError: "
     "{*}OOM when allocating",
     Role::kRoot, "memory", "A tensor did not fit into the memory that TensorFlow's allocator holds.",
     "The batch is too large, or another process took the device first: TensorFlow reserves nearly all at its start.",
     kHolders,
     "Halve the batch.\nMixed precision: tf.keras.mixed_precision.set_global_policy('mixed_float16').\nShare the GPU: "
     "tf.config.experimental.set_memory_growth(gpu, True).",
     "Do not read memory use in nvidia-smi as need: TensorFlow reserves by default.", "TensorFlow guide, 'Use a GPU'",
     WorkTensorflowOom},
    {"memory.tensorflow_hint", "TensorFlow would have liked more memory and went on without",
     "The caller indicates that this is not a failure", Role::kRemark, "memory",
     "An algorithm with a large work area did not fit; a slower one was taken. Nothing failed.",
     "The device is nearly full.", kHolders, "Free memory, if speed matters.",
     "Do not treat it as the error of a run that failed.", "TensorFlow, bfc_allocator"},
    {"memory.xla", "XLA (JAX) ran out of device memory",
     "RESOURCE_EXHAUSTED: Out of memory while trying to allocate\nResource exhausted: Out of memory while trying to "
     "allocate\nRESOURCE_EXHAUSTED: Failed to allocate request for\n"
     "Resource exhausted: Failed to allocate request for\nRESOURCE_EXHAUSTED: Out of memory "
     "allocating\nRESOURCE_EXHAUSTED: Attempting to allocate",
     Role::kRoot, "memory",
     "The compiled program's buffers do not fit into the share of the device that JAX has reserved.",
     "The program needs more than the reserved 75 % of the device, or other processes share it.",
     "Who holds memory? $ nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv\nWhich buffers are "
     "largest? They stand below the message under 'Peak buffers'.",
     "Alone on the GPU: XLA_PYTHON_CLIENT_MEM_FRACTION=0.95.\nWith others: "
     "XLA_PYTHON_CLIENT_PREALLOCATE=false.\nTraining: jax.checkpoint (remat), a smaller batch, bf16, donate_argnums "
     "for state that is "
     "replaced.",
     "Do not set both a high fraction and several processes a GPU.", "JAX, 'GPU memory allocation'", WorkXlaOom},
    {"memory.vllm_start", "vLLM finds too little free memory at its start",
     "Free memory on device{*}on startup is less than desired GPU memory utilization", Role::kRoot, "memory",
     "vLLM wants a fixed share of the whole device, and others hold a part of it.",
     "Another process on the GPU, often an earlier server that did not end.", kHolders,
     "End the other process.\nOr lower --gpu-memory-utilization.",
     "Do not lower the share so far that no KV cache is left.", "vLLM, 'Conserving memory'", WorkVllmStart},
    {"memory.vllm_cache", "vLLM has no room for the KV cache of one request",
     "To serve at least one request with the model{*}max seq len\nThe model's max seq len ({n}) is larger than the "
     "maximum number of tokens that can be stored in KV cache",
     Role::kRoot, "memory", "Weights leave less memory than the KV cache of one request of full length takes.",
     "The model's longest context is far beyond what the GPU can keep.", kHolders,
     "Raise --gpu-memory-utilization if the GPU is otherwise free.\n--kv-cache-dtype fp8 halves the cache; more GPUs "
     "(--tensor-parallel-size) divide it.",
     "", "vLLM, 'Conserving memory'", WorkVllmKvCache},
    {"memory.vllm_blocks", "vLLM has no memory left for the KV cache", "No available memory for the cache blocks",
     Role::kRoot, "memory", "Weights and work space fill the share that vLLM may use; nothing is left for requests.",
     "The model is too large for the share, or the share is too small.", kHolders,
     "Raise --gpu-memory-utilization (0.9 by default).\nShard (--tensor-parallel-size), or take a quantised model.", "",
     "vLLM, 'Conserving memory'"},
    {"memory.cupy", "CuPy ran out of device memory",
     "cupy.cuda.memory.OutOfMemoryError\ncupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorMemoryAllocation",
     Role::kRoot, "memory", "CuPy's pool could not get memory.",
     "The array is too large, or the pool keeps freed blocks of other sizes.", kHolders,
     "Free the pool: cupy.get_default_memory_pool().free_all_blocks().\nWork in pieces.", "",
     "CuPy, 'Memory management'", WorkAskedBytes},
    {"memory.paddle", "Paddle ran out of device memory", "Out of memory error on GPU {n}. Cannot allocate", Role::kRoot,
     "memory", "Paddle's allocator could not get memory.", "The batch is too large, or another process holds the GPU.",
     kHolders, "Reduce the batch.\nFLAGS_fraction_of_gpu_memory_to_use and another GPU where it is shared.", "",
     "PaddlePaddle, memory flags", WorkAskedBytes},
    {"memory.llama", "llama.cpp could not allocate on the GPU",
     "ggml_backend_cuda_buffer_type_alloc_buffer: allocating\nggml_gallocr_reserve_n: failed to allocate\nunable to "
     "allocate "
     "CUDA{n} buffer\nfailed to allocate CUDA{n} buffer\nunable to allocate ROCm{n} buffer\nfailed to allocate ROCm{n} "
     "buffer\nunable to allocate Vulkan{n} buffer\nfailed to allocate Vulkan{n} buffer",
     Role::kRoot, "memory", "A buffer for weights, cache or computing did not fit.",
     "Too many layers on the GPU, or too long a context.", kHolders,
     "Fewer layers on the GPU (-ngl), a shorter context (-c), a smaller quantisation.\nQuantise the cache: -ctk q8_0 "
     "-ctv q8_0 with "
     "flash attention (-fa).",
     "", "llama.cpp", WorkAskedBytes},
    {"memory.ollama_host", "The model does not fit into the host's memory",
     "model requires more system memory ({n} {w}) than is available ({n} {w})", Role::kRoot, "host_memory",
     "What does not fit on the GPU is held in the host's memory, and that is too small.",
     "The model and its context are larger than GPU and host together.", "$ free -g; ollama ps; nvidia-smi",
     "A smaller model or quantisation, a shorter context (num_ctx), or more memory.\nA model that fits on the GPU "
     "alone needs "
     "little of the host.",
     "", "Ollama, troubleshooting"},
    {"memory.onnxruntime", "ONNX Runtime could not allocate", "Failed to allocate memory for requested buffer of size",
     Role::kRoot, "memory", "The arena could not grow.",
     "The model's largest tensor or the batch is too large, or another process holds the GPU.", kHolders,
     "Limit the arena (gpu_mem_limit, arena_extend_strategy=kSameAsRequested) and reduce the batch.", "",
     "ONNX Runtime, CUDA execution provider", WorkAskedBytes},
    {"memory.triton_shared", "A Triton kernel needs more of a block's resources than the GPU has",
     "out of resource: {*} Required: {n}, Hardware limit\nout of resource: {*} Required: {n}, Hardware limitation",
     Role::kRoot, "",
     "Shared memory, registers or threads of one block; the kernel cannot run on this GPU. It is not "
     "about the GPU's main memory.",
     "The kernel's tile sizes were tuned on a larger GPU.",
     "Which kernel and which configuration? The lines above name both.\nThe device's limit? $ warpscope occupancy "
     "--help",
     "Give the autotuner smaller configurations, so that it can drop those that do not fit.\nInductor: "
     "TORCHINDUCTOR_MAX_AUTOTUNE=0, or a newer PyTorch.",
     "Do not reduce the batch: the need is a block's.", "Triton, triton.runtime.errors", WorkSharedMemory},
    {"memory.shm", "Workers of the data loader have no shared memory",
     "It is possible that dataloader's workers are out of shared memory\nunable to mmap{*}Cannot allocate "
     "memory\nUnexpected bus error encountered in worker",
     Role::kRoot, "", "Host memory under /dev/shm is full; batches go from the workers to the program through it.",
     "A container starts with 64 MiB of /dev/shm.", "How large? $ df -h /dev/shm",
     "docker run --shm-size=8g or --ipc=host; in Kubernetes an emptyDir "
     "of medium Memory on /dev/shm.\nOr fewer workers.",
     "Do not change GPU settings: this is host memory.", "PyTorch, README, Docker image"},
    {"memory.host_kill", "The system killed a process because host memory ran out",
     "^OOMKilled\nreason: OOMKilled\nOOMKilled (exit code\nOOMKilled\": true\nOOMKilled: true\nstatus OOMKilled\nexit "
     "code 137\nexited with code 137\nexit status 137\nOut of memory: Killed process {n}\nMemory "
     "cgroup out of memory: Kill\noom-kill:constraint\nDetected {n} "
     "oom\\_kill\nDetected {n} oom_kill\noom_kill event in",
     Role::kRoot, "host_memory", "Not the GPU's memory: the host, or the container's limit, was full.",
     "The limit of the job or container is below what loading, workers or a profiler in memory take.",
     "Limit and peak? $ cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.peak\nWho was killed? $ warpscope "
     "faults /var/log/kern.log",
     "Raise the memory of the job, or take fewer workers and prefetched batches; load weights without a second copy "
     "(low_cpu_mem_usage, safetensors).\nA profiler that keeps all in memory: "
     "record fewer steps.",
     "Do not shrink the model for the GPU.", "Linux kernel, mm/oom_kill.c"},
    {"memory.host_alloc", "The host's memory is not enough for a request",
     "DefaultCPUAllocator: can't allocate memory: you tried to allocate {n} bytes\nDefaultCPUAllocator: not enough "
     "memory: you tried to allocate {n} bytes\nDefaultCPUAllocator: can't allocate memory\nnumpy.core._exceptions."
     "_ArrayMemoryError: Unable to allocate {n}\nMemoryError: Unable to allocate {n} {w} for an array with shape\n"
     "_ArrayMemoryError: Unable to allocate {n}\nterminate called after throwing an instance of 'std::bad_alloc'",
     Role::kRoot, "host_memory",
     "A tensor or array on the CPU did not fit into the host's memory; the GPU is not concerned.",
     "A wrong shape, or data and weights that are held on the host as a whole.",
     "Host memory, swap, limit of the job? $ free -g; ulimit -v; cat /sys/fs/cgroup/memory.max",
     "Look at the shape in the failing line.\nLoad in pieces or memory-mapped (np.memmap, safetensors); float16 or "
     "bfloat16 "
     "in place of float32.\nWindows: a larger paging file.",
     "Do not change the GPU's allocator or batch first.", "PyTorch, c10/core/impl/alloc_cpu.cpp; NumPy",
     WorkAskedBytes},
    {"memory.killed", "The shell says that a process was killed (signal 9)", "^Killed", Role::kRoot, "host_memory",
     "Nobody ends a program so but the kernel when host memory runs out, a scheduler at its limit, or a person with "
     "kill -9. The program itself had no chance to write an error.",
     "Host memory (not the GPU's) or the container's limit was full: the kernel's OOM killer.",
     "Did the kernel kill it, and what was full? $ warpscope faults\nThe limit and how often it was hit? $ cat "
     "/sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.events",
     "Give the job or container more host memory, or take fewer DataLoader workers and prefetched batches.\nLoad "
     "weights without a second copy (low_cpu_mem_usage, safetensors).",
     "Do not shrink the model for the GPU: device memory does not end a program in this way.",
     "Linux kernel, mm/oom_kill.c; bash, signal messages"},
};

}  // namespace

extern const std::span<const Entry> kMemory;
const std::span<const Entry> kMemory = kEntries;

}  // namespace warpscope::explain
