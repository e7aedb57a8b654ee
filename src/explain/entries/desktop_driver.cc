// Windows devices and stops, DLLs, Vulkan, video units, two GPUs of a laptop.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr Entry kEntries[] = {
    {"windows.device_codes", "Windows cannot start the device",
     "Windows cannot load the device driver{*}(Code {n})\nWindows cannot initialize the device driver for this "
     "hardware. (Code 37)\nCurrently, this hardware device is not connected to the computer. (Code 45)\nThe driver may "
     "be corrupted or missing. (Code 39)\nThis device is not present, is not working properly{*}(Code 24)\nThis device "
     "is disabled. (Code 22)\nThis device is not working properly because Windows cannot load the drivers required for "
     "this device. (Code 31)\nWindows cannot use this hardware device because it has been prepared for safe "
     "removal{*}(Code 47)\nAn I/O error or timeout{*}display adapter\nThis graphics driver could not find compatible "
     "graphics hardware\nNVIDIA Installer cannot continue\nNVIDIA Installer failed\nThis NVIDIA graphics driver is not "
     "compatible with this version of Windows",
     Role::kMachine, "code_other", "The device manager or NVIDIA's installer names why there is no working driver.",
     "By the code: 22 switched off, 24 or 45 not seen on the bus, 31, 37 or 39 a broken driver. \"could not find "
     "compatible hardware\": the card is not seen, or too old for this driver.",
     "Seen, and with which code? $ pnputil /enum-devices /class Display",
     "22: enable it. 24, 45: seat, power and cable of the card; laptops: BIOS update, full power off. 31, 37, 39: "
     "remove the driver (DDU in safe mode), install the current one.\nAn old card: its last driver branch (Kepler 470, "
     "Maxwell and Pascal 580).",
     "Do not edit the driver's INF file.", "Microsoft, error codes in Device Manager"},
    {"windows.bugcheck", "Windows stopped with an error of graphics",
     "VIDEO_SCHEDULER_INTERNAL_ERROR\nVIDEO_MEMORY_MANAGEMENT_INTERNAL\nVIDEO_DXGKRNL_FATAL_ERROR\nVIDEO_DXGKRNL_"
     "LIVEDUMP\nVIDEO_DXGKRNL_SYSMM_FATAL_ERROR\nVIDEO_DRIVER_INIT_FAILURE\nVIDEO_MINIPORT_FAILED_"
     "LIVEDUMP\nLiveKernelEvent 193\nLiveKernelEvent 1a8\nLiveKernelEvent 1b8\nLiveKernelEvent "
     "1b0\nLiveKernelEvent{*}Code: 193\nLiveKernelEvent{*}Code: "
     "1a8\ndxgkrnl.sys\ndxgmms2.sys\namdkmdag.sys\natikmdag.sys\nigdkmdn64.sys",
     Role::kMachine, "tdr",
     "The graphics kernel of Windows (dxgkrnl) or the display driver met a state that it could not go on from.",
     "The display driver; next unstable memory (XMP) or clocks, overlays and recording programs, a card that fails.",
     "What stands beside it? $ Get-WinEvent -LogName System -MaxEvents 200 | findstr /i \"nvlddmkm amdkmdag Display "
     "WHEA BugCheck\"",
     "Clean driver installation (DDU), default clocks and memory, no overlays.\nIt returns: memory test, then the card "
     "in another machine.",
     "", "Microsoft, bug check code reference"},
    {"windows.whea", "Windows stopped because hardware reported an error",
     "WHEA_UNCORRECTABLE_ERROR\nWHEA_INTERNAL_ERROR\nWHEA-Logger{*}PCI Express Root Port\nA corrected hardware error "
     "has occurred. Component: PCI Express Root Port",
     Role::kMachine, "hardware",
     "CPU, memory or PCI Express reported an error that could not be corrected (or, with \"corrected\", one that was).",
     "Overclocking or XMP, CPU voltage, or the PCIe link of the card (riser, seat, generation).",
     "Which component? $ Get-WinEvent -LogName System -MaxEvents 100 | findstr /i WHEA",
     "BIOS defaults and update; a riser: take it out or set PCIe 3.0; memory test.", "", "Microsoft, WHEA"},
    {"windows.nvapi", "NVIDIA's Windows interface refused a call",
     "NVAPI_GPU_NOT_POWERED\nNVAPI_NVIDIA_DEVICE_NOT_FOUND\nNVAPI_ERROR\nNVAPI_LIBRARY_NOT_FOUND\nNVAPI_NOT_"
     "SUPPORTED\nNVAPI_DEVICE_BUSY\nNVAPI_API_NOT_INITIALIZED",
     Role::kSymptom, "hybrid", "Monitoring and overclocking tools ask the driver through NVAPI.",
     "GPU_NOT_POWERED: a laptop's GPU sleeps, which is no fault. DEVICE_NOT_FOUND: no NVIDIA driver or device. "
     "NOT_SUPPORTED: this product lacks it.",
     "Does the driver answer? $ nvidia-smi", "Asleep: nothing to do. Otherwise the current driver.", "",
     "NVIDIA, NVAPI reference"},
    {"windows.dll", "A DLL that the program needs is not found",
     "WinError 126] The specified module could not be found\nWinError 127] The specified procedure could not be "
     "found\nWinError 193] %1 is not a valid Win32 application\nThe code execution cannot proceed because nvcuda.dll "
     "was not found\nnvcuda.dll was not found\nThe code execution cannot proceed because {w} was not found\n?or one of "
     "its dependencies",
     Role::kRoot, "library", "Windows could not load the DLL named in the line, or one that it needs.",
     "nvcuda.dll: no NVIDIA driver. torch's own DLLs: the Visual C++ runtime, or libomp, is missing. 193: 32 and 64 "
     "bit are mixed.",
     "Where? $ where nvcuda.dll; python -c \"import sys; print(sys.version)\"",
     "nvcuda.dll: install the driver. Others: current Visual C++ redistributable (x64), then the package anew in a "
     "fresh environment.",
     "Do not download single DLLs from the web.", "PyTorch, Windows FAQ"},
    {"display.vulkan_icd", "The Vulkan driver does not load",
     "vkEnumeratePhysicalDevices failed with ERROR_INITIALIZATION_FAILED\nvkEnumeratePhysicalDevices "
     "failed\nloader_scanned_icd_add: Could not get 'vkCreateInstance'\nloader_icd_scan: Failed loading "
     "library\nFailed to find a suitable GPU\nfailed to find GPUs with Vulkan support\nICD for selected physical "
     "device is not\nWebGPU: requestAdapter() returned null\nFailed to get GPU adapter\nNo appropriate GPUAdapter "
     "found\nWebGL is disabled\nWebGL not supported\nYour browser does not support WebGL",
     Role::kRoot, "vulkan", "The loader or browser found a driver and cannot use it, or found none.",
     "Kernel module and GL libraries of different versions, no rights on the device, a container without \"graphics\", "
     "or acceleration switched off.",
     "What does the loader see? $ vulkaninfo --summary; ls /usr/share/vulkan/icd.d; ls -l /dev/dri "
     "/dev/nvidia*\nBrowser: open chrome://gpu.",
     "After a driver update reboot; container: NVIDIA_DRIVER_CAPABILITIES=all; browser: switch acceleration on, update "
     "the driver.",
     "", "Vulkan loader, troubleshooting"},
    {"laptop.prime", "Switching between two GPUs did not work",
     "prime-select: error: {*}\nError: no integrated GPU detected\nno integrated GPU detected\nERROR: NVIDIA driver is "
     "not loaded\nCould not load the prime-offload\noptimus-manager{*}ERROR\nenvycontrol{*}error\nsupergfxctl{*}error",
     Role::kRoot, "hybrid", "The tool sets which GPU draws, and found a set-up that it does not expect.",
     "The integrated GPU is switched off in the BIOS (a MUX set to \"discrete\"), or the NVIDIA module is not loaded.",
     "Which GPUs, which modules? $ lspci -nnk | grep -A3 -E 'VGA|3D'; lsmod | grep -E 'nvidia|i915|amdgpu'",
     "Discrete only: no switching is needed. Otherwise set the BIOS to hybrid, or repair the driver (modprobe nvidia).",
     "", "NVIDIA driver README, PRIME render offload"},
    {"video.hwaccel", "Hardware decoding or encoding could not start",
     "Device creation failed: -{n}\nFailed to set value 'cuda' for option 'hwaccel'\nFailed to set value '{w}' for "
     "option 'hwaccel'\nCannot load libnvidia-encode.so.1\nFailed to initialise VAAPI connection\nlibva error: {*}init "
     "failed\nvaInitialize failed\nToo many concurrent sessions\nNo VA display found for device\nError creating a MFX "
     "session\nFailed to create a VAAPI device",
     Role::kRoot, "video", "ffmpeg or another program asked for the GPU's video units and got none.",
     "cuda: no driver in this container (capability video). VAAPI: no driver for this GPU or no rights on "
     "/dev/dri/renderD128. Sessions: GeForce allows a limited number.",
     "Driver and rights? $ nvidia-smi; vainfo; ls -l /dev/dri; id\nIts own words? $ ffmpeg -v verbose -init_hw_device "
     "cuda 2>&1 | tail",
     "Container: --gpus all with NVIDIA_DRIVER_CAPABILITIES=compute,video,utility, or --device /dev/dri.\nVAAPI: "
     "intel-media-va-driver or mesa-va-drivers, LIBVA_DRIVER_NAME=iHD or radeonsi, group render.",
     "", "FFmpeg, hardware acceleration"},
};

}  // namespace

extern const std::span<const Entry> kDesktopDriver;
const std::span<const Entry> kDesktopDriver = kEntries;

}  // namespace warpscope::explain
