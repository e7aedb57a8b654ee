// Driver, CUDA and framework builds that do not fit each other.
#include "explain/explain.h"
#include "explain/versions/arch.h"

namespace warpscope::explain {
namespace {

constexpr const char* kTorchChecks =
    "Which build is it, for which CUDA? $ python -c \"import torch; print(torch.__version__, torch.version.cuda)\"\n"
    "Does the driver work by itself? $ nvidia-smi";
constexpr const char* kArchCheck =
    "What is the GPU, and what is in the build? $ python -c \"import torch; print(torch.cuda.get_device_capability(), "
    "torch.cuda.get_arch_list())\"";

constexpr Entry kEntries[] = {
    {"setup.torch_arch", "The GPU's architecture is not in this build of PyTorch",
     "CUDA capability {w} is not compatible with the current PyTorch installation\nThe current PyTorch install "
     "supports CUDA capabilities\nPyTorch no longer supports this GPU because it is too old\n"
     "which is of cuda capability {n}\nwhich is of compute capability (CC) {n}\nis not compatible with the current "
     "PyTorch installation",
     Role::kRoot, "arch",
     "The build holds machine code for some architectures only, and this GPU's is not among them; the first kernel "
     "fails.",
     "The build is older than the GPU, or the GPU too old for the build.", kArchCheck,
     "Install a build whose list holds the GPU's architecture.", "Do not change the driver.",
     "PyTorch, torch/cuda/__init__.py; CUDA release notes", WorkTorchArch},
    {"setup.paddle_arch", "The GPU's architecture is not in this build of Paddle",
     "which is not compatible with Paddle installation with arch: {*},\nMismatched GPU Architecture: The installed "
     "PaddlePaddle package was compiled for",
     Role::kRoot, "arch", "Paddle's wheel holds code for some architectures only.",
     "A wheel for another generation of GPUs.",
     "What is it? $ nvidia-smi --query-gpu=name,compute_cap --format=csv\n$ python -c \"import paddle; "
     "paddle.utils.run_check()\"",
     "Install the wheel for the GPU: newer GPUs need the newest CUDA build, Pascal and older need cu118.", "",
     "PaddlePaddle, installation guide", WorkPaddleArch},
    {"setup.jit_slow", "No machine code for this GPU; the driver compiles PTX at the first run",
     "TensorFlow was not built with CUDA kernel binaries compatible with compute capability {n}\nCUDA kernels will be "
     "jit-compiled from PTX",
     Role::kRemark, "arch", "The program works. The first run takes up to half an hour.",
     "The build is older than the GPU and brings PTX.",
     "Is the cache kept? $ ls ~/.nv/ComputeCache; echo $CUDA_CACHE_MAXSIZE",
     "Let it finish once (CUDA_CACHE_MAXSIZE=4294967296 keeps all), or "
     "install a build for the GPU.",
     "Do not break it off: it would begin again.", "CUDA programming guide, just-in-time compilation"},
    {"setup.old_driver_torch", "The NVIDIA driver is too old for this build of PyTorch",
     "The NVIDIA driver on your system is too old (found version {n})\nThe NVIDIA driver on your system is too old",
     Role::kRoot, "old_driver", "The driver supports CUDA only up to a version below that of the build.",
     "The build is newer than the driver.", kTorchChecks, "Update the driver, or install a build for an older CUDA.",
     "Do not install a toolkit: the driver decides.", "PyTorch, torch/cuda", WorkOldDriver},
    {"setup.no_driver_torch", "No NVIDIA driver is found", "Found no NVIDIA driver on your system", Role::kRoot,
     "no_driver", "PyTorch has CUDA, and the machine or container offers no driver.",
     "A container started without GPUs, a machine without NVIDIA GPU, or no "
     "driver installed.",
     "Is there a GPU, a driver, a node? $ lspci | grep -i nvidia; nvidia-smi; ls /dev/nvidia*",
     "Container: --gpus all. Cluster: ask the job for a GPU. Host: install the driver.\nWithout GPU: run on the CPU "
     "(device='cpu').",
     "Do not reinstall "
     "PyTorch.",
     "PyTorch, torch/cuda"},
    {"setup.no_driver_numba", "Numba finds no driver",
     "CUDA driver library cannot be found\nCudaSupportError: Error at driver init\nlibNVVM cannot be found",
     Role::kRoot, "no_driver",
     "Numba loads the driver (libcuda.so) and, to compile, NVVM of the toolkit; one of them is not there.",
     "No driver, or a container without GPUs; for NVVM: no CUDA toolkit in the environment.",
     "$ nvidia-smi; ldconfig -p | grep libcuda.so; numba -s | grep -A20 CUDA",
     "Driver: install it, or start the container with --gpus all.\nNVVM: conda install cuda-nvvm, or pip install "
     "numba-cuda[cu12]; else set CUDA_HOME.",
     "", "Numba, CUDA installation"},
    {"setup.smi_missing", "nvidia-smi is not there",
     "nvidia-smi: command not found\nnvidia-smi: not found\nnvidia-smi: No such file or directory\n'nvidia-smi' is not "
     "recognized as an internal or external command\nexec: \"nvidia-smi\": executable file not found",
     Role::kRoot, "no_driver", "The driver's tool is not on the path: mostly the driver itself is not installed here.",
     "No driver on this machine, or a container that was started without GPUs or without the capability 'utility'.",
     "Is there a GPU, a driver? $ lspci | grep -i nvidia; cat /proc/driver/nvidia/version\nAll layers? $ warpscope "
     "doctor",
     "Host: install the driver.\nContainer: --gpus all, and NVIDIA_DRIVER_CAPABILITIES=compute,utility.",
     "Do not install the CUDA toolkit for it: nvidia-smi comes with the driver.", "NVIDIA driver, installation guide"},
    {"setup.module_unsigned", "Secure Boot refuses the driver's module",
     "Key was rejected by service\nRequired key not available\nLoading of unsigned module is rejected\nLoading of "
     "module "
     "with unavailable key is rejected",
     Role::kMachine, "no_driver", "The kernel takes only modules that are signed with a key it knows.",
     "The driver was built or updated and its key (MOK) was never enrolled.",
     "Is Secure Boot on? $ mokutil --sb-state\nWho signed the module? $ modinfo -F signer nvidia\nWhat does the kernel "
     "say? $ dmesg | grep -iE 'nvidia|module verification'",
     "Enrol the key that signs the module: sudo mokutil --import /var/lib/shim-signed/mok/MOK.der (or the file that "
     "your distribution names), restart, and confirm it in the blue menu.\nOr take the distribution's signed "
     "driver packages, or switch Secure Boot off in the BIOS.",
     "Do not reinstall the driver again and again: each build is refused in the same way.",
     "NVIDIA driver README, 'Signing the kernel module'"},
    {"setup.module_no_device", "The driver's module finds no device that it may take",
     "could not insert 'nvidia': No such device\ncould not insert nvidia.ko: No such device", Role::kMachine,
     "no_driver", "The module was loaded, took no GPU, and was unloaded again.",
     "The GPU is older or newer than this driver, another driver (nouveau, vfio-pci) holds it, or none is on the bus.",
     "Which GPU, which driver on it? $ lspci -nnk -d 10de:\nThe kernel's reason? $ dmesg | grep -E 'NVRM|nvidia' | "
     "tail -20; warpscope faults",
     "Install the driver branch that supports this GPU (580 for Maxwell to Volta; the open modules need Turing or "
     "newer).\nBlacklist nouveau, or give the device back from vfio-pci.",
     "", "NVIDIA driver README, 'Supported NVIDIA GPU products'"},
    {"setup.torch_cpu_build", "This PyTorch was built without CUDA",
     "Torch not compiled with CUDA enabled\ntorch.version.cuda: None\nCUDA used to build PyTorch: None\nPyTorch was "
     "installed without CUDA support\ntorch.__version__ = {w}+cpu\ntorch=={w}+cpu\ntorch {w}+cpu\nPyTorch version: "
     "{w}+cpu\nPytorch version: {w}+cpu",
     Role::kRoot, "cpu_build", "A CPU-only wheel is installed. No driver and no setting can make it use the GPU.",
     "pip or conda took the CPU build: the default on Windows and macOS, a version pinned by another package, or a "
     "mixed channel.",
     "The build? '+cpu' or None says it. $ python -c \"import torch; print(torch.__version__, "
     "torch.version.cuda)\"\nIs it the environment you think? $ python -c \"import torch, sys; print(sys.executable, "
     "torch.__file__)\"",
     "pip uninstall -y torch torchvision torchaudio; pip install torch torchvision torchaudio --index-url "
     "https://download.pytorch.org/whl/cu128\n(Take the newest cuXXX that nvidia-smi's CUDA version allows.)",
     "Do not reinstall the driver or the CUDA toolkit: nvidia-smi and nvcc say nothing about the wheel.",
     "PyTorch, 'Get started'", WorkCpuWheel},
    {"setup.cuda_unavailable", "PyTorch does not see CUDA",
     "torch.cuda.is_available() is False\ntorch.cuda.is_available(): False\ntorch.cuda.is_available() "
     "False\ntorch.cuda.is_available() returns False\ntorch.cuda.is_available() = False\ntorch.cuda.is_available() == "
     "False\nIs CUDA available: False\ntorch.cuda.is_available() should be True but is False\nCUDA available: "
     "False\ncuda is not available\n"
     "CUDA is not available\nAttempting to deserialize object on a CUDA device but torch.cuda.is_available() is False\n"
     "ProcessGroupNCCL is only supported with GPUs, no GPUs found",
     Role::kSymptom, "cuda_unavailable", "The program falls back to the CPU or stops. Why is not said here.",
     "A CPU-only build of PyTorch. Next: no or too old a driver; CUDA_VISIBLE_DEVICES empty; a container without GPUs.",
     "The build: '+cpu' or None? $ python -c \"import torch; print(torch.__version__, torch.version.cuda)\"\nThe "
     "driver? $ nvidia-smi\nThe reason in words? $ python -c \"import torch; torch.cuda.init()\"\nWhat is visible? $ "
     "echo \"[$CUDA_VISIBLE_DEVICES]\"; ls -l /dev/nvidia*",
     "CPU build: install a CUDA build.\nDriver: repair it first.\nLoading a checkpoint on a machine without GPU: "
     "torch.load(..., map_location='cpu').",
     "Do not reinstall everything: the first check decides.", "PyTorch, 'Get started'"},
    {"setup.no_gpus_torch", "PyTorch finds no GPU",
     "No CUDA GPUs are available\nno NVIDIA GPU detected\nNo GPU detected\nno GPU device found", Role::kSymptom,
     "no_device", "Driver and build are there, but this process is offered no device.",
     "CUDA_VISIBLE_DEVICES is empty or names a device that is not "
     "there; a job or container without GPU; or the variable was changed after CUDA had started.",
     "What is visible? $ echo \"[$CUDA_VISIBLE_DEVICES]\"; nvidia-smi -L; ls -l /dev/nvidia*\nInside a job? $ scontrol "
     "show job $SLURM_JOB_ID | grep -i tres",
     "Correct CUDA_VISIBLE_DEVICES before the first import "
     "that uses CUDA; ask the scheduler for a GPU; pass it to the container.",
     "Do not reinstall the driver while nvidia-smi -L lists the GPU.", "PyTorch, torch/cuda"},
    {"setup.nvml_mismatch", "Driver and library are of different versions",
     "Failed to initialize NVML: Driver/library version mismatch\nDriver/library version "
     "mismatch\nnvmlInit{*}Driver/library version mismatch\nAPI mismatch: the client has the version {w}\nAPI "
     "mismatch: this NVIDIA driver component has version",
     Role::kMachine, "driver_mismatch",
     "The kernel module in memory and the user libraries on disk are of two driver versions. Programs that run already "
     "go on; new ones fail.",
     "The driver was updated (often automatically) and the machine not restarted. In a container: the "
     "libraries of an older driver are still mounted.",
     "Loaded? $ cat /proc/driver/nvidia/version\nOn disk? $ ls /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.*; dpkg -l | "
     "grep nvidia; modinfo -F version nvidia",
     "Reboot. Or end all users of the GPU and reload: rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia; modprobe "
     "nvidia.\nStill different: packages of two versions are mixed; install one driver whole.\nContainer: restart "
     "it.\nAgainst the next time: hold the packages "
     "(apt-mark hold).",
     "Do not reinstall CUDA or PyTorch.", "NVIDIA driver README, 'API mismatch'", WorkNvmlMismatch},
    {"setup.nvml_unknown", "NVML cannot be initialised: Unknown Error", "Failed to initialize NVML: Unknown Error",
     Role::kMachine, "nvml",
     "A process may not open the devices any more. On hosts: the GPU or driver is in a bad state.",
     "In a container that worked before: 'systemctl "
     "daemon-reload' on the host (often by automatic updates) rewrote the device rights of the container.",
     "Does it work on the host and in a new container? $ nvidia-smi; docker run --rm --gpus all ubuntu "
     "nvidia-smi\nRights? $ cat /sys/fs/cgroup/devices/devices.list 2>/dev/null; ls -l /dev/nvidia*\nOn the "
     "host: a fault? $ warpscope faults /var/log/kern.log",
     "Restart the container.\nFor good: name the devices (--device /dev/nvidia0 --device /dev/nvidiactl --device "
     "/dev/nvidia-uvm), or set \"exec-opts\": [\"native.cgroupdriver=cgroupfs\"] in /etc/docker/daemon.json, or use "
     "CDI.",
     "Do not reinstall the driver while the host's nvidia-smi works.", "NVIDIA Container Toolkit, troubleshooting"},
    {"setup.nvml_missing", "The NVML library is not found",
     "NVML: Shared Library Not Found\nlibnvidia-ml.so not found\nNVML Shared Library Not Found\ncouldn't find "
     "libnvidia-ml.so",
     Role::kRoot, "no_driver", "The driver's management library is not here.",
     "No driver, or a container without GPUs or without the capability 'utility'.",
     "$ nvidia-smi; echo $NVIDIA_DRIVER_CAPABILITIES",
     "Container: --gpus all, NVIDIA_DRIVER_CAPABILITIES=compute,utility.", "", "NVIDIA Container Toolkit"},
    {"setup.nvml_permission", "The process may not talk to the driver",
     "Failed to initialize NVML: Insufficient Permissions", Role::kRoot, "nvml",
     "The device nodes may not be opened by this user.", "Nodes that belong to a group in which the user is not.",
     "$ ls -l /dev/nvidia*; id",
     "Add the user to the "
     "group (often video or render), or set NVreg_DeviceFileMode=0666.",
     "", "NVIDIA driver README"},
    {"setup.smi_cannot_talk", "nvidia-smi cannot reach the driver",
     "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver\nNVIDIA-SMI has failed because you "
     "are not",
     Role::kMachine, "no_driver", "The kernel module 'nvidia' is not loaded, or does not find its GPU.",
     "A kernel update came without the module being built for it. Next: Secure Boot refuses an unsigned module, or "
     "nouveau has the GPU.",
     "Is it loaded, and why not? $ lsmod | grep -E 'nvidia|nouveau'; sudo modprobe nvidia; dmesg | tail -20\nIs it "
     "built for this kernel? $ dkms status; uname -r\nSecure Boot? $ mokutil --sb-state\nIs the GPU on the bus? $ "
     "lspci | grep -i nvidia",
     "Build it: install the headers (linux-headers-$(uname -r)) and reinstall the driver package, or dkms autoinstall; "
     "reboot.\nSecure Boot: enrol the key (mokutil --import), or take the distribution's signed modules.\nNot on the "
     "bus: a hardware, power or virtual machine matter.",
     "Do not install a .run driver over the distribution's packages.", "NVIDIA driver README; DKMS"},
    {"setup.smi_no_devices", "nvidia-smi finds no device", "No devices were found", Role::kMachine, "no_device",
     "The module is loaded, and no GPU answers it.",
     "The GPU failed at start (power cable, riser, heat, resources of the BIOS), fell off the bus, or needs the other "
     "kind of kernel module.",
     "What does the kernel say? $ dmesg | grep -iE 'nvrm|nvidia'; warpscope faults /var/log/kern.log\nOn the bus? $ "
     "lspci -nn | grep -i nvidia\nOpen or closed module? $ cat /proc/driver/nvidia/version",
     "'RmInitAdapter failed': reseat card and power, newer BIOS, 'Above 4G decoding' on.\nRTX 50 and Blackwell need "
     "the open kernel modules (nvidia-open); GPUs before Turing the closed ones.\nAfter a fall off the bus: power the "
     "machine off and on.",
     "Do not reinstall CUDA.", "NVIDIA driver README, open kernel modules"},
    {"setup.counters", "Performance counters are not allowed for this user",
     "ERR_NVGPUCTRPERM\nCUPTI_ERROR_INSUFFICIENT_PRIVILEGES\nCUPTI initialization failed - CUDA profiler activities "
     "will be missing\nUser does not have permission to access NVIDIA GPU "
     "Performance Counters\nThe user does not have permission to profile on the target device",
     Role::kRoot, "counters",
     "The driver keeps hardware counters to administrators. Timelines work all the same; only counter metrics are "
     "missing.",
     "The default since driver 418. Inside a container even root lacks it without the capability SYS_ADMIN.",
     "The setting? $ grep RmProfilingAdminOnly /proc/driver/nvidia/params\nWhat is possible here? $ warpscope doctor "
     "capture -- PROGRAM",
     "On the host: options nvidia NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d, then reload the module or "
     "reboot.\nOr run the profiler as root on the host; container: --cap-add SYS_ADMIN.\nRented machine: only the "
     "provider can; record a timeline (warpscope record) instead.",
     "Do not run as root inside a container and expect it to help.", "NVIDIA, 'ERR_NVGPUCTRPERM' page"},
    {"setup.library", "A shared library is not found",
     "libcuda.so{w}: cannot open shared object file\nlibcuda.so: cannot open shared object file\nlibcudart.so: cannot "
     "open shared object file\nlibcudart.so{w}: cannot open shared object file\nlibcudart-{w}: cannot open shared "
     "object file\nlibcublas.so{w}: cannot open shared object file\nlibcublasLt.so{w}: cannot open shared object "
     "file\nlibcudnn.so{w}: cannot open shared object file\nlibcudnn_{w}: cannot open shared object file\n"
     "libcufft.so{w}: cannot open shared object file\nlibcurand.so{w}: cannot open shared object "
     "file\nlibcusparse.so{w}: cannot open shared object file\nlibcusparseLt.so{w}: cannot open shared object "
     "file\nlibcusolver.so{w}: cannot open shared object file\nlibnccl.so{w}: cannot open shared object "
     "file\nlibnvrtc.so{w}: cannot open shared object "
     "file\nlibcupti.so{w}: cannot open shared object file\nlibnvidia-ml.so{w}: cannot open shared object "
     "file\nlibnvinfer.so{w}: cannot open shared object file\nlibcufile.so{w}: cannot open shared object "
     "file\nlibnvToolsExt.so{w}: cannot open shared object file\nlibnvJitLink.so{w}: cannot open shared object "
     "file\nCould not load dynamic library 'libcu{w}'\nlibcudart.so{w} not found",
     Role::kRoot, "library", "A program or extension asks the loader for a library that is on none of its paths.",
     "Built for another CUDA than the one that is here.", "",
     "Install the version that it asks for, or a build for the version that is here.", "",
     "ld.so(8); CUDA release notes", WorkMissingLibrary},
    {"setup.cudnn_missing_dll", "A CUDA library is not found on Windows",
     "Could not locate cudnn{w}\nCould not load dynamic library 'cudnn64_{w}'\nCould not load dynamic library "
     "'cudart64_{w}'\nCould not load dynamic library 'cublas64_{w}'\nCould not load library cudnn_{w}\nError loading "
     "\"{*}\\torch\\lib\\{w}\" or one of its dependencies\nLibrary cublas64_{w} is not found\nLoadLibrary failed with "
     "error 126{*}onnxruntime_providers_cuda.dll",
     Role::kRoot, "library", "A DLL or plug-in of cuDNN or CUDA is not on the path.",
     "cuDNN is of another version than the program needs, or only a part of it is installed.",
     "Where is it? $ where cudnn64_9.dll",
     "Install the cuDNN and CUDA versions that the program's document names, and put their bin folder on PATH.",
     "Do not rename DLLs.", "cuDNN installation guide"},
    {"setup.undefined_symbol", "A library lacks a symbol", "undefined symbol: {w}\nundefined symbol {w}, version",
     Role::kRoot, "abi", "Two libraries that were not built for each other were loaded together.",
     "One of them was updated after the other had been built.",
     "Which libraries? $ ldd -r LIBRARY.so 2>&1 | grep -v ' => '\nWhich PyTorch? $ python -c \"import torch; "
     "print(torch.__version__, torch.version.cuda, torch._C._GLIBCXX_USE_CXX11_ABI)\"",
     "Install the extension's wheel for exactly this PyTorch, CUDA and Python, or build it again: pip install "
     "--no-build-isolation --no-cache-dir --force-reinstall PACKAGE",
     "Do not mix conda and pip copies of PyTorch.", "PyTorch, C++ extensions", WorkUndefinedSymbol},
    {"setup.cuda_mismatch_build", "An extension is being built with another CUDA than PyTorch's",
     "The detected CUDA version ({n}) mismatches the version that was used to compile PyTorch ({n})", Role::kRoot,
     "abi", "nvcc and PyTorch are of two major versions; the extension would not load.",
     "Another toolkit is first on the path.",
     "Which ones? $ nvcc --version; python -c \"import torch; print(torch.version.cuda)\"; echo $CUDA_HOME",
     "Set CUDA_HOME to a toolkit of PyTorch's version, or install PyTorch for this toolkit.",
     "Do not patch the check away: minor versions may differ, major ones not.", "PyTorch, torch.utils.cpp_extension"},
    {"setup.cuda_home", "No CUDA toolkit is found to build an extension",
     "CUDA_HOME environment variable is not set\nNo CUDA runtime is found, using CUDA_HOME", Role::kRoot, "toolkit",
     "Building an extension needs nvcc, which PyTorch's wheel does not bring.",
     "No toolkit installed, or its folder is not told.",
     "$ which nvcc; ls -d "
     "/usr/local/cuda*",
     "Install the toolkit of PyTorch's CUDA version and export CUDA_HOME=/usr/local/cuda, or take a prebuilt wheel.",
     "", "PyTorch, torch.utils.cpp_extension"},
    {"setup.unsupported_gcc", "The host compiler is too new for this nvcc",
     "unsupported GNU version! gcc versions later than {n} are not supported", Role::kRoot, "toolkit",
     "nvcc accepts host compilers up to a version.", "The distribution's gcc is newer than the toolkit.",
     "$ gcc --version; nvcc --version",
     "Use an older gcc "
     "(NVCC_PREPEND_FLAGS='-ccbin g++-12'), or a newer toolkit.",
     "Do not use -allow-unsupported-compiler for code that must be right.", "CUDA installation guide, host compilers"},
    {"setup.unsupported_arch_nvcc", "nvcc does not know the architecture",
     "nvcc fatal : Unsupported gpu architecture '{w}'\nUnsupported gpu architecture '{w}'\nValue 'sm_{n}' is not "
     "defined for option 'gpu-name'",
     Role::kRoot, "arch", "This toolkit is older than the GPU, or too new for an old GPU.",
     "The build asks for an architecture outside the toolkit's "
     "range.",
     "$ nvcc --version; nvcc --list-gpu-arch",
     "Build with a toolkit that knows it (compute_120: 12.8; compute_100: 12.8; compute_90: 11.8; compute_89: 11.8; "
     "before compute_75: at most 12.x).",
     "", "CUDA release notes"},
};

}  // namespace

extern const std::span<const Entry> kSetup;
const std::span<const Entry> kSetup = kEntries;

}  // namespace warpscope::explain
