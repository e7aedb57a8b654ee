// Installing drivers and packages, on Linux and Windows, and what their loaders say.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr Entry kEntries[] = {
    {"install.nouveau", "The nouveau driver holds the GPU",
     "The Nouveau kernel driver is currently in use by your system\nnouveau kernel driver is currently in use",
     Role::kRoot, "no_driver", "Linux' own driver took the GPU, and NVIDIA's cannot be installed or loaded beside it.",
     "nouveau is loaded at start-up, mostly from the initial ram disk.",
     "Who holds it? $ lspci -nnk -d 10de: | grep -A2 -i vga",
     "Ubuntu, Fedora: install the distribution's NVIDIA packages, which blacklist nouveau, and reboot.\nBy hand: "
     "'blacklist "
     "nouveau' and 'options nouveau modeset=0' in /etc/modprobe.d/, then update-initramfs -u (or dracut -f), reboot.",
     "Do not remove nouveau by force while a screen uses it.", "NVIDIA driver README, installing"},
    {"install.module_build", "The driver's kernel module could not be built or loaded",
     "Unable to load the kernel module 'nvidia.ko'\nUnable to build the NVIDIA kernel module\nUnable to find the "
     "kernel source "
     "tree for the currently running kernel\nBad return status for module build on kernel\nYour kernel headers for "
     "kernel {w} "
     "cannot be found\nError! Bad return status for module build",
     Role::kRoot, "no_driver", "The module has to be compiled for each kernel, and that failed.",
     "Kernel headers are missing, the kernel is newer than the driver supports, or its compiler is another one.",
     "The compiler's error? $ less /var/log/nvidia-installer.log; ls /var/lib/dkms/nvidia/*/build/make.log\nHeaders of "
     "this "
     "kernel? $ ls /lib/modules/$(uname -r)/build",
     "apt-get install linux-headers-$(uname -r) (kernel-devel), then dkms autoinstall.\nNew kernel: a newer driver, or "
     "start the "
     "kernel before.\nBetter than the .run file: the distribution's packages.",
     "Do not install the .run file over packages.", "NVIDIA driver README, installing"},
    {"install.module_loaded", "An older driver module is still loaded",
     "An NVIDIA kernel module 'nvidia{*}' appears to already be loaded in your kernel\nappears to already be loaded in "
     "your "
     "kernel. This may be because it is in use",
     Role::kRoot, "driver_mix", "The installer found the old module in use: a screen or a program holds it.",
     "The display manager, a container, persistence daemon or monitoring.",
     "$ sudo fuser -v /dev/nvidia*; lsmod | grep nvidia",
     "sudo systemctl isolate multi-user.target; stop nvidia-persistenced, DCGM and containers; then install.\nOr "
     "install and "
     "reboot.",
     "Do not remove the files of the running driver.", "NVIDIA driver README, installing"},
    {"install.driver_not_loaded", "The driver is not loaded",
     "NVMLError_DriverNotLoaded\nNVML: Driver Not Loaded\nFailed to initialize NVML: Driver Not Loaded\nDriver Not "
     "Loaded",
     Role::kRoot, "no_driver", "The libraries are there, and the kernel module is not loaded.",
     "It was not built for the running kernel, or another driver holds the GPU.",
     "$ lsmod | grep nvidia; sudo modprobe nvidia; dmesg | grep -iE 'nvidia|NVRM' | tail",
     "sudo modprobe nvidia; where that fails, its message says why: warpscope explain \"...\"", "",
     "NVML API reference"},
    {"install.nvml_init", "NVML cannot be initialised",
     "Can't initialize NVML\nFailed to initialize NVML: N/A\nFailed to initialize NVML: Not Found\ncould not "
     "initialize NVML",
     Role::kSymptom, "no_driver", "The library that asks the driver got no answer; why is not said here.",
     "No driver in this container or machine; or WSL before the driver of Windows was updated.",
     "$ nvidia-smi; ls -l /dev/nvidia*; ldconfig -p | grep nvidia-ml\nAll layers? $ warpscope doctor",
     "Container: --gpus all.\nWSL: update the driver in Windows, then wsl --update.\nHost: repair the driver.", "",
     "NVML API reference"},
    {"install.inforom", "The board's InfoROM is damaged",
     "infoROM is corrupted at gpu {w}\nCorrupted infoROM\nInfoROM is corrupted", Role::kMachine, "inforom",
     "The small memory of the board with its serial data and its history of memory errors cannot be read. Computing "
     "goes on.",
     "Power was lost while it was written, or the board fails.",
     "Other signs? $ nvidia-smi -q -d ECC,ROW_REMAPPER; warpscope doctor",
     "Reboot (cold) once; if it stays, ask the vendor: a new firmware or a new board.", "Do not flash it yourself.",
     "NVIDIA, GPU debug guidelines"},
    {"install.stub", "The stub library is loaded instead of the driver",
     "CUDA driver is a stub library\ncudaErrorStubLibrary\nCUDA_ERROR_STUB_LIBRARY", Role::kRoot, "stub",
     "The toolkit brings an empty libcuda.so to link against; the program found it before the real one.",
     "A folder lib64/stubs stands on LD_LIBRARY_PATH or in the program's run path.",
     "Which one? $ echo $LD_LIBRARY_PATH; ldconfig -p | grep libcuda.so; ldd PROGRAM | grep libcuda",
     "Take the stubs folder off LD_LIBRARY_PATH; the driver's libcuda.so.1 comes with the driver.",
     "Do not copy the stub into a system folder.", "CUDA Runtime API reference, cudaErrorStubLibrary"},
    {"install.paging_file", "Windows has no memory left to load libraries",
     "The paging file is too small for this operation to complete\nWinError 1455", Role::kRoot, "host_memory",
     "Windows reserves memory for each library that a process loads; CUDA's take several gigabytes in each worker.",
     "The paging file is small or off, and many workers each load PyTorch.", "> wmic pagefile list /format:list",
     "Let Windows manage the paging file, or make it 32 GB and more; fewer workers (num_workers=0 to try).",
     "It is not the GPU's memory: do not reduce the batch.", "PyTorch, Windows FAQ"},
    {"install.dll_init", "A library of PyTorch cannot start on Windows",
     "A dynamic link library (DLL) initialization routine failed\nWinError 1114\nDLL load failed while importing",
     Role::kRoot, "library",
     "Windows loaded a DLL and it refused to start, or one that it needs is of another version.",
     "The Visual C++ runtime is missing or old; or two packages bring copies of the same library (OpenMP, MKL).",
     "Where? $ python -v -c \"import torch\" 2>&1 | findstr /i dll",
     "Install the current Visual C++ redistributable (x64).\nImport torch first; a fresh environment with pip alone.",
     "Do not download single DLLs from the web.", "PyTorch, Windows FAQ"},
    {"install.no_wheel", "pip finds no such build of PyTorch",
     "Could not find a version that satisfies the requirement torch", Role::kRoot, "",
     "The index that was asked has no wheel of that version for this Python and system.",
     "A Python that is too new or 32 bit; a +cuXXX version without PyTorch's own index; or a CUDA that was not built "
     "for it.",
     "$ python -c \"import sys, struct; print(sys.version, struct.calcsize('P') * 8)\"",
     "pip install torch --index-url https://download.pytorch.org/whl/cu128 (the CUDA tag in the address, not in the "
     "version).\n"
     "Use a Python that this PyTorch version supports.",
     "", "PyTorch, 'Get started'"},
    {"install.webui_torch", "The web UI's PyTorch does not use the GPU", "Torch is not able to use GPU", Role::kSymptom,
     "cuda_unavailable", "The start script tried torch.cuda.is_available() and it was False.",
     "A CPU build of PyTorch in the program's own environment (venv), or no driver.",
     "In that environment: $ venv/bin/python -c \"import torch; print(torch.__version__, torch.version.cuda)\"\n$ "
     "nvidia-smi",
     "Delete the venv folder so that it is made anew, or install a CUDA build into it.\nAMD on Windows: use the "
     "DirectML or "
     "ZLUDA variant.",
     "Do not add --skip-torch-cuda-test: it then runs on the processor.", "Stable Diffusion web UI, launch.py"},
};

}  // namespace

extern const std::span<const Entry> kInstall;
const std::span<const Entry> kInstall = kEntries;

}  // namespace warpscope::explain
