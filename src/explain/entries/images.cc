// NVIDIA's images, hosts and drivers beside them: what they say at their start.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr Entry kEntries[] = {
    {"container.image_no_driver", "The image was started without a GPU",
     "The NVIDIA Driver was not detected. GPU functionality will not be available\nNo supported GPU(s) detected to run "
     "this container\nA GPU-enabled TensorFlow was requested but no GPU found",
     Role::kRoot, "container",
     "NVIDIA's images look for the driver when they start, and it was not given to this container.",
     "The option that gives GPUs is missing, or the host has no working driver.",
     "Does the host's driver work? $ nvidia-smi",
     "docker run --gpus all (Kubernetes: a limit of nvidia.com/gpu and the runtime nvidia).",
     "Do not install a driver inside the image.", "NVIDIA, Frameworks support: running containers"},
    {"container.image_release", "The image is newer than the host's driver",
     "This container was built for NVIDIA Driver Release {n} or later\ncompatibility mode is UNAVAILABLE\nThis "
     "container was built for CUDA {w}, but\nDetected NVIDIA {w} GPU, which is not yet supported in this version of "
     "the container\nwhich may not yet be supported in this version of the container",
     Role::kRoot, "old_driver", "The image brings a CUDA that this driver (or a GPU that this image) does not know.",
     "The host's driver is older than the image, and forward compatibility is not possible on this GPU; or the GPU is "
     "newer than the image.",
     "Which driver and GPU? $ nvidia-smi --query-gpu=name,driver_version --format=csv",
     "Update the host's driver, or take an image of the month that fits it; for a new GPU a newer image.", "",
     "NVIDIA, Frameworks support matrix"},
    {"container.image_shm", "The container has little shared memory",
     "The SHMEM allocation limit is set to the default of 64MB", Role::kRemark, "",
     "Workers of a data loader and ranks of one host exchange data through /dev/shm; 64 MB are soon full.",
     "Docker's default.", "", "docker run --ipc=host, or --shm-size=8g --ulimit memlock=-1 --ulimit stack=67108864.",
     "", "NVIDIA, Frameworks support: running containers"},
    {"package.ollama_cpu", "Ollama uses the processor",
     "GPU is too old to support CUDA\ninference compute\" id=0 library=cpu\nno compatible GPUs were discovered\ntimed "
     "out waiting for llama runner to start\nCPU does not have AVX or AVX2, disabling GPU support",
     Role::kSymptom, "cuda_unavailable", "No GPU was taken, or the model took longer to load than the server waits.",
     "No driver or an old GPU (below compute capability 5.0); a time-out: a slow disk, or a model larger than memory.",
     "What does it say at its start? $ journalctl -u ollama | grep -iE \"gpu|cuda|library\" | tail",
     "Driver first: nvidia-smi. Container: --gpus all. Slow loading: OLLAMA_LOAD_TIMEOUT=15m.", "",
     "Ollama, GPU and troubleshooting documents"},
    {"xla.old_driver", "The driver is older than the compiler",
     "which is older than the PTX compiler version\nwhich is older than the ptxas CUDA version\nCUDA backend failed to "
     "initialize: Unable to use CUDA because of the following issues",
     Role::kRemark, "",
     "XLA compiles on one thread only with such a driver; nothing else fails. \"Unable to use CUDA\": the lines below "
     "name what is missing.",
     "The host's driver is older than the CUDA packages.", "Versions? $ nvidia-smi | head -4; pip list | grep nvidia-",
     "Update the driver for faster compilation; or packages of the driver's CUDA.", "", "JAX, installation"},
    {"memory.pinned", "Pinned host memory could not be had",
     "ggml_cuda_host_malloc: failed to allocate {n}\nfailed to allocate {n} MiB of pinned memory\ncudaHostAlloc "
     "failed\ncudaMallocHost failed\nFailed to pin memory",
     Role::kRemark, "host_memory", "The program goes on with ordinary memory; copies are slower.",
     "The host's free memory, or the limit of WSL (half of the memory) or of the container.",
     "Free memory and limits? $ free -g; ulimit -l",
     "WSL: memory= in .wslconfig. Container: a higher limit. llama.cpp: GGML_CUDA_NO_PINNED=1 silences it.", "",
     "llama.cpp; CUDA runtime API, cudaHostAlloc"},
    {"host.cpu_isa", "The processor lacks instructions that the program uses",
     "Fatal glibc error: CPU does not support x86-64-v{n}\nIllegal instruction (core dumped)\nexit code "
     "-1073741795\n0xc000001d",
     Role::kRoot, "cpu", "The binary was built for a newer processor (AVX, AVX2, AVX-512). It is not about the GPU.",
     "An old processor, or a virtual machine that hides its features.",
     "What does it have? $ grep -o -m1 -E \"avx512f|avx2|avx\" /proc/cpuinfo | sort -u",
     "A build for older processors; virtual machine: CPU type host.", "", "glibc, hardware capabilities"},
    {"display.drm", "The display part of the NVIDIA driver failed",
     "Failed to allocate NvKmsKapiDevice\nFailed to allocate NVKMS memory for GEM object\n[nvidia-drm]{*}Failed "
     "to\nFlip event timeout on head {n}\nnv_drm_load [nvidia_drm]] *ERROR*\nflip_done timed out",
     Role::kRoot, "gl",
     "Kernel mode setting could not take the GPU, or a picture was not shown in time. Computing may work all the same.",
     "Module and library of two versions after an update, another driver (simpledrm, nouveau) that holds the display, "
     "or a GPU that did not start.",
     "What did the driver write before? $ sudo dmesg | grep -iE 'NVRM|nvidia|drm' | tail -30",
     "Reboot after a driver update; nvidia-drm.modeset=1 fbdev=1 (or modeset=0 on a machine for computing).", "",
     "NVIDIA driver README, DRM KMS"},
    {"module.bar", "The GPU got no addresses on the bus",
     "NVRM: request_mem_region failed for\nCannot allocate memory for GPU BAR\ndid not find valid ROM "
     "signature\nUnable to power on device, stuck in D3\nnvidia: probe of {w} failed with error -{n}",
     Role::kMachine, "no_device", "The driver found the device and could not reach its memory or its ROM.",
     "The BIOS gives too little address space, another driver holds it, pass-through to a virtual machine without its "
     "ROM, or the card does not wake.",
     "Addresses and holder? $ sudo lspci -vv -d 10de: | grep -E \"Region|driver\"",
     "BIOS: Above 4G decoding on, current version; boot option pci=realloc; virtual machine: give romfile, "
     "disable_idle_d3=1.\nPower the machine off and on once.",
     "", "NVIDIA driver README; Linux, vfio-pci"},
    {"package.numba_remark", "Numba remarks that a grid is small",
     "will likely result in GPU under-utilization due to low occupancy\nHost array used in CUDA kernel will incur copy "
     "overhead",
     Role::kRemark, "",
     "A remark on speed: few blocks leave most multiprocessors idle, or an array is copied at each launch.",
     "A small problem, or blocks that are too large.", "",
     "More and smaller blocks; cuda.to_device for arrays that are used again.", "", "Numba, CUDA documentation"},
    {"package.arch_check", "A kernel checks for architectures that this GPU is not",
     "Expected is_sm80 || is_sm90 to be true\nExpected is_sm8x || is_sm90 to be true\nExpected is_sm{n}\nFailed to "
     "import transformers{*}flash_attn\nthe following error{*}flash_attn_2_cuda",
     Role::kRoot, "arch", "Older releases of PyTorch's attention (backward, head size above 64) run on some GPUs only.",
     "A GPU of another architecture (sm_86, sm_89, sm_120) with an old PyTorch or flash-attn.",
     "Which? $ python -c \"import torch; print(torch.__version__, torch.cuda.get_device_capability())\"; pip list | "
     "grep -i flash",
     "A newer PyTorch; flash-attn built for this PyTorch; or attn_implementation=\"sdpa\".", "",
     "PyTorch, scaled_dot_product_attention"},
};

}  // namespace

extern const std::span<const Entry> kImages;
const std::span<const Entry> kImages = kEntries;

}  // namespace warpscope::explain
