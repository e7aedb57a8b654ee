// Inference engines and what they stand on: vLLM, SGLang, llama.cpp, Ray, Vulkan.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr Entry kEntries[] = {
    {"serve.custom_allreduce", "vLLM's own all-reduce between GPUs failed",
     "custom_all_reduce.cuh:{n}\ncustom_all_reduce.cu:{n}\nCuda error {*}custom_all_reduce\nCustom allreduce is "
     "disabled because\nquick_all_reduce.cuh:{n}",
     Role::kRoot, "peer",
     "For small messages the engine copies straight between GPUs; a call of that part failed, or it was switched off.",
     "Peer access does not work on this machine (PCIe topology, ACS or IOMMU, GeForce without it, a container without "
     "shared IPC). The line \"is disabled\" alone is only a remark.",
     "How are the GPUs connected? $ nvidia-smi topo -m; nvidia-smi topo -p2p r\nWithout it? $ vllm serve MODEL "
     "--disable-custom-all-reduce",
     "--disable-custom-all-reduce: NCCL takes over, a little slower for small messages.\nContainer: --ipc=host. "
     "Virtual machine or ACS: see warpscope doctor, step peer_access.",
     "", "vLLM, troubleshooting"},
    {"serve.memory_moved", "GPU memory changed while the engine measured it",
     "Error in memory profiling. Initial free memory\nGPU memory was not properly cleaned up before initializing the "
     "vLLM instance\nMemory profiling{*}the GPU memory was not properly cleaned up",
     Role::kRoot, "memory",
     "vLLM measures free memory at its start, and another process gave memory back (or took some) meanwhile.",
     "An engine that was ended a moment ago still frees its memory, or two engines start on one GPU at once.",
     "Who is on the GPU? $ nvidia-smi",
     "Wait until nvidia-smi shows the memory free, then start; start several engines one after the other.", "",
     "vLLM, troubleshooting"},
    {"serve.no_platform", "vLLM or SGLang finds no device to run on",
     "Failed to infer device type\nNo platform detected, vLLM is running on UnspecifiedPlatform\nvLLM is running on "
     "UnspecifiedPlatform\nDevice string must not be empty\ncannot import name 'current_platform' from\nNo accelerator "
     "(CUDA, XPU, HPU, NPU{*}) is available",
     Role::kSymptom, "cuda_unavailable",
     "The engine asks the driver (NVML) and the build of PyTorch which device there is, and got none.",
     "No driver in this container, or a CPU build of PyTorch or of the engine.",
     "Driver and build? $ nvidia-smi -L; python -c \"import torch; print(torch.__version__, "
     "torch.cuda.is_available())\"",
     "Container: --gpus all. Then the engine's own CUDA wheel in a fresh environment.", "", "vLLM, installation"},
    {"serve.flash_backend", "Another attention kernel is used on this GPU",
     "Cannot use FlashAttention-2 backend for Volta and Turing GPUs\nCannot use FlashAttention backend for head "
     "size\nCannot use FlashAttention-2 backend because\nFlashAttention 2 is not supported on{*}falling back",
     Role::kRemark, "", "The engine falls back to another backend (xFormers, Triton); slower, not wrong.",
     "The GPU is older than Ampere, or the model has a head size or type that FlashAttention does not take.",
     "Which GPU? $ nvidia-smi --query-gpu=name,compute_cap --format=csv",
     "Nothing to repair. Faster: a GPU of compute capability 8.0 or higher.", "", "vLLM, supported hardware"},
    {"serve.ray_actor", "A Ray worker ended",
     "ray.exceptions.RayActorError\nray.exceptions.ActorDiedError\nThe actor died unexpectedly before finishing this "
     "task\nWorker exit type: SYSTEM_ERROR\nray.exceptions.WorkerCrashedError\nray.exceptions.OutOfMemoryError\nThe "
     "worker died unexpectedly while executing this task\nThe actor is dead because its worker process has died",
     Role::kSymptom, "launcher", "Ray tells that a process is gone; why stands in that worker's own log.",
     "An exception or crash in the worker, or the host's memory: Ray and the kernel end the largest process.",
     "The worker's own words? $ ls -t /tmp/ray/session_latest/logs/worker-*.err | head -3; grep -rlE "
     "\"Error|Traceback\" /tmp/ray/session_latest/logs | head\nEnded by the kernel? $ sudo dmesg -T | grep -iE \"out "
     "of memory|Killed process\" | tail",
     "Correct the first error of that log; for memory fewer workers or RAY_memory_usage_threshold.", "",
     "Ray, fault tolerance"},
    {"serve.ray_resources", "Ray has not as many GPUs as were asked for",
     "Ray does not allocate any GPUs on the driver node\nCannot provide a placement group\nThe number of required GPUs "
     "exceeds the total number of available GPUs in the placement group\nNo available node types can fulfill resource "
     "request\nThe following resource request cannot be scheduled right now: {'GPU'\nThe following resource request "
     "cannot be scheduled right now{*}GPU\nCurrent node has no GPU available. current_node_resource\nThe number of "
     "required GPUs exceeds the total number of available GPUs",
     Role::kRoot, "quota", "Ray counts GPUs when it starts on each node, and hands them out by number.",
     "Ray was started without GPUs (CUDA_VISIBLE_DEVICES, container), an old job still holds them, or a node did not "
     "join.",
     "What does Ray count? $ ray status\nAnd the node? $ nvidia-smi -L; echo $CUDA_VISIBLE_DEVICES",
     "ray stop on all nodes, then ray start with --num-gpus N where nvidia-smi -L shows N.\ntensor_parallel_size times "
     "pipeline_parallel_size must not exceed the GPUs of ray status.",
     "", "vLLM, distributed serving; Ray, resources"},
    {"serve.ggml_arch", "llama.cpp was not built for this GPU",
     "ggml was not compiled with any CUDA arch <= {n}\nggml was not compiled with any CUDA arch\nggml_cuda{*}compiled "
     "for: {n}\nhas no device code compatible with CUDA arch {n}",
     Role::kRoot, "arch",
     "The kernels in this build are for other compute capabilities; the number is capability times 100 (750: 7.5).",
     "CMake compiled for the GPU of another machine (native), or an environment sets CMAKE_CUDA_ARCHITECTURES or "
     "CUDAARCHS.",
     "What does the GPU need? $ nvidia-smi --query-gpu=name,compute_cap --format=csv\nWhat is set? $ env | grep -i "
     "arch",
     "Delete the build folder; cmake -B build -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=\"86;89\" with the numbers of "
     "your GPUs.",
     "", "llama.cpp, build documentation"},
    {"serve.ggml_vulkan", "llama.cpp or another Vulkan program ran out of device memory",
     "ggml_vulkan: Device memory allocation of size {n} "
     "failed\nErrorOutOfDeviceMemory\nVK_ERROR_OUT_OF_DEVICE_MEMORY\nErrorOutOfHostMemory\nVK_ERROR_OUT_OF_POOL_"
     "MEMORY\nggml_vulkan: Requested buffer size exceeds device memory allocation limit\nOut of video memory trying to "
     "allocate a rendering resource\nDXGI_ERROR_OUT_OF_MEMORY\nE_OUTOFMEMORY{*}D3D",
     Role::kRoot, "memory", "The device could not give one block of that size.",
     "Model, context or textures are larger than the GPU's memory, or one buffer exceeds the driver's limit for one "
     "allocation (often 4 GiB).",
     "How much is there, and the limit? $ vulkaninfo | grep -E 'maxMemoryAllocationSize|heap|size = '\nWho uses it? $ "
     "nvidia-smi",
     "Fewer layers on the GPU (-ngl), a smaller context or batch (-c, -ub), a smaller quantisation; games: lower "
     "texture quality.",
     "Intel games: \"out of video memory\" on 13th and 14th generation CPUs is often a CPU fault, not memory.",
     "Vulkan specification; llama.cpp"},
    {"serve.vulkan_lost", "A Vulkan device was lost",
     "vk::DeviceLostError\nErrorDeviceLost\nvk::Queue::submit: ErrorDeviceLost\nvk::Device::waitForFences: "
     "ErrorDeviceLost\nD3D11 device removed\nD3D12 device "
     "removed\nDXGI_ERROR_DRIVER_INTERNAL_ERROR\n0x887A0020\n0x887A002B",
     Role::kRoot, "tdr", "The driver gave the device up: work on it hung or faulted.",
     "A kernel too long for the system's limit, unstable clocks, memory pressure, or a fault of the driver.",
     "What did the system write? $ sudo dmesg -T | warpscope faults -",
     "Default clocks; a newer driver; smaller batches (-ub 256) so that one submission is shorter.", "",
     "Vulkan specification, lost device"},
    {"serve.runner_crash", "The model's process ended",
     "llama runner process has terminated: {w}\nEngineCore failed to start\nEngineCore encountered a fatal "
     "error\nEngineCore encountered an issue\nGGML_ASSERT: {*}!\"CUDA error\"\nGGML_ASSERT({*}) failed\nfailed to "
     "allocate compute pp buffers\nfailed to initialize the context: {*}\n[TensorRT-LLM][ERROR] Encountered an "
     "error\nScheduler hit an exception",
     Role::kSymptom, "launcher", "The server tells that its worker is gone; the reason was written just before.",
     "The first error before it: memory, a kernel fault, or a build without code for this GPU.",
     "What failed first? $ warpscope explain --file LOG", "Correct the first error; then start the engine again.", "",
     "vLLM, llama.cpp, Ollama, TensorRT-LLM: troubleshooting"},
};

}  // namespace

extern const std::span<const Entry> kEngines;
const std::span<const Entry> kEngines = kEntries;

}  // namespace warpscope::explain
