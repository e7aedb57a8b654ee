// Windows, browsers, laptops and desktop programs.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr Entry kEntries[] = {
    {"windows.code43", "Windows has stopped the device (Code 43)",
     "Windows has stopped this device because it has reported problems. (Code 43)\nreported problems (Code "
     "43)\nreported problems. (Code 43)\ndevice "
     "manager code 43\nCode 43 error\nWindows Code 43\nNVIDIA Code 43\nAMD Code 43\nGPU Code 43\nGPU error code "
     "43\nCode 43 in Device Manager",
     Role::kMachine, "code43", "The driver told Windows that the device failed; Windows switched it off.",
     "A broken driver installation after an update. Next: the card itself (heat, power, a failed memory chip), or a "
     "virtual machine that the driver refuses.",
     "When did it begin - with a driver or Windows update? > Get-WinEvent -LogName System -MaxEvents 200 | findstr "
     "nvlddmkm\nDoes it fail in another slot or machine?\nArtefacts on the screen before Windows starts speak for the "
     "card.",
     "Install the vendor's current driver cleanly (DDU in safe mode).\nPassthrough: hide the hypervisor (kvm hidden "
     "state), use a driver of 465 or newer.\nLaptops and eGPU: power off, take the power away for a minute, BIOS "
     "update.\nStill there in a second machine: the "
     "card is defective.",
     "Do not reflash the card's BIOS.", "Microsoft, error codes in Device Manager"},
    {"windows.code_other", "Windows cannot start the display device",
     "This device cannot start. (Code 10)\nThis device cannot find enough free resources that it can use. (Code "
     "12)\nWindows cannot load the device driver{*}(Code 31)\nThe drivers for this device are not installed. (Code "
     "28)\nWindows cannot verify the digital signature{*}(Code 52)",
     Role::kMachine, "code_other", "The device manager names why a device has no working driver.",
     "Code 12: addresses do not suffice; others: the driver does not fit.", "$ pnputil /enum-devices /class Display",
     "Code 12: 'Above 4G decoding' and Resizable BAR in the BIOS.\nOthers: install the vendor's current driver "
     "cleanly.",
     "", "Microsoft, error codes in Device Manager"},
    {"windows.tdr", "The display driver stopped answering and was reset (TDR)",
     "Display driver nvlddmkm stopped responding and has successfully recovered\nDisplay driver amdkmdag stopped "
     "responding\nDisplay driver {w} stopped responding "
     "and\nVIDEO_TDR_FAILURE\nVIDEO_TDR_ERROR\nVIDEO_TDR_TIMEOUT_DETECTED\nVIDEO_ENGINE_TIMEOUT_"
     "DETECTED\nLiveKernelEvent 141\nLiveKernelEvent 117\nLiveKernelEvent{*}code: 141\nLiveKernelEvent{*}code: 117\n"
     "DXGI_ERROR_DEVICE_HUNG\nDXGI_ERROR_DEVICE_REMOVED\nDXGI_ERROR_DEVICE_"
     "RESET\n0x887A0005\n0x887A0006\n0x887A0007\nD3D12: Removing Device\nEvent ID 4101",
     Role::kMachine, "tdr",
     "Work on the GPU did not end within Windows' limit (TdrDelay, 2 s), so that Windows reset the driver. What used "
     "the GPU is lost.",
     "A game or program in which this happens only there: its own shader or a long kernel. In everything: overclock, "
     "power, heat or the driver.",
     "What stands beside it? > Get-WinEvent -LogName System -MaxEvents 300 | findstr /i \"nvlddmkm amdkmdag "
     "Display\"\nIn one program or in all?\nClocks and heat at the time? $ nvidia-smi -q -d CLOCK,TEMPERATURE,POWER",
     "Set clocks and memory back to default; each 8-pin plug on its own cable.\n"
     "Install the vendor's current driver cleanly, or the one before.\nCompute: split long kernels, or use a second "
     "GPU without display. Only then TdrDelay=8 and TdrDdiDelay=8 under "
     "HKLM\\System\\CurrentControlSet\\Control\\GraphicsDrivers, and restart.",
     "Do not set TdrLevel=0: a real hang then freezes the machine.", "Microsoft, 'Timeout detection and recovery'"},
    {"windows.tdr_keys", "TdrDelay and TdrDdiDelay", "TdrDelay\nTdrDdiDelay\nTdrLevel", Role::kRemark, "tdr",
     "Registry values of Windows: TdrDelay is how long work on the GPU may run (2 s), TdrDdiDelay how long a driver "
     "call may take (5 s) before Windows resets the driver or stops.",
     "Some programs ask for longer values, since they run long kernels on the display's GPU.",
     "> reg query HKLM\\System\\CurrentControlSet\\Control\\GraphicsDrivers /v TdrDelay",
     "Both as "
     "REG_DWORD seconds, for example 8 to 60; restart Windows. Better: a GPU without display.",
     "Do not set TdrLevel to 0, and do not expect it to cure crashes of unstable hardware.",
     "Microsoft, 'TDR registry keys'"},
    {"windows.nvlddmkm", "The NVIDIA driver on Windows reports a fault of the GPU",
     "nvlddmkm{*}event ID 13\nnvlddmkm{*}event ID 14\nnvlddmkm{*}event ID 153\nEvent ID 153{*}nvlddmkm\nEvent ID "
     "14{*}nvlddmkm\nEvent ID 13{*}nvlddmkm\nEvent ID 0{*}nvlddmkm\nThe description for Event ID {n} from source "
     "nvlddmkm cannot be found\nnvlddmkm.sys",
     Role::kMachine, "tdr",
     "nvlddmkm is the driver's kernel part: 13 is a fault in a "
     "shader or kernel, 14 an error of memory or bus, 153 a reset after a time-out.",
     "Unstable clocks or power; next the driver; memory or bus errors (14) speak for the card or its slot.",
     "> Get-WinEvent -FilterHashtable @{LogName='System';ProviderName='nvlddmkm'} -MaxEvents 50 | fl "
     "TimeCreated,Id,Message",
     "Default clocks (also factory overclock off), default XMP, other power cable.\nInstall the vendor's current "
     "driver cleanly, or the one before.\nStill "
     "there: test the card in another machine.",
     "Do not raise TDR limits to hide it.", "Microsoft event log; NVIDIA forums"},
    {"windows.wddm_lost", "The driver was updated or reset under a running program",
     "Your GPU device was removed\nVK_ERROR_DEVICE_LOST\nThe GPU device instance has been suspended\nGPU crash dump "
     "Triggered\nA D3D device has been lost\nAftermath GPU crash dump\nNsight Aftermath{*}GPU crash\nGPU Crashed or "
     "D3D Device Removed\nUnreal Engine is exiting due to D3D device being lost\nGPU crash dump",
     Role::kRoot, "tdr",
     "The program lost its device: the GPU hung, faulted, or its driver was "
     "replaced.",
     "Unstable clocks, or a shader of the program. A crash dump (.nv-gpudmp) holds the shader and address.",
     "The dump, in Nsight Graphics: open the .nv-gpudmp file.\nEvents at that time? > Get-WinEvent -LogName System "
     "-MaxEvents 200 | findstr nvlddmkm",
     "Default clocks; current driver; the program's newest version; give the dump to the program's maker.",
     "Do not reinstall Windows.", "NVIDIA, Nsight Aftermath"},
    {"chrome.gpu_process", "The browser's GPU process crashed",
     "GPU process exited unexpectedly: exit_code={w}\nGPU process isn't usable. Goodbye\nGPU process launch failed: "
     "error_code={n}\nThe GPU process has crashed {n} time\nGPU process crashed",
     Role::kRoot, "browser",
     "Chrome, Edge and Electron draw in a process of their own; it ended, and after some tries the browser draws in "
     "software or ends.",
     "The display driver is too old or broken for this version, or the machine has no GPU (containers, virtual "
     "machines).",
     "What is active? Open chrome://gpu and read 'Graphics Feature Status' and 'Problems Detected'.\nDoes it run "
     "without? $ chrome --disable-gpu",
     "Update the display driver; delete the profile's GPUCache folder.\nHeadless or container: --disable-gpu, or "
     "--use-angle=swiftshader.\nLinux: try --use-gl=angle --use-angle=gl, or --ozone-platform=x11.",
     "Do not switch the sandbox off for "
     "everyday use.",
     "Chromium, 'GPU process'"},
    {"chrome.software", "The browser draws in software",
     "Software only, hardware acceleration unavailable\nSoftware only. Hardware acceleration disabled\nGpu compositing "
     "has been disabled\nGPU compositing has been disabled\nAutomatic fallback to software WebGL has been "
     "deprecated\nGL_RENDERER : Google SwiftShader\nGL_RENDERER = SwiftShader\nGoogle SwiftShader\nANGLE (Google, "
     "Vulkan{*}SwiftShader\nOpenGL renderer string: "
     "llvmpipe\nllvmpipe (LLVM {n}\nError creating WebGL context\nWebGL: Disabled\nWebGL2: Disabled\nGPU access not "
     "allowed. Reason: {*}\nCould not "
     "create a WebGL context",
     Role::kSymptom, "browser", "No GPU is used: drawing runs on the processor, slow and hot.",
     "The setting 'use graphics acceleration' is off, the driver is on the browser's block list, or its GPU process "
     "crashed. llvmpipe and SwiftShader are processor drawing.",
     "Open chrome://gpu: 'Problems Detected' says which.\nLinux: $ glxinfo -B | grep -i renderer; vulkaninfo "
     "--summary; ls -l /dev/dri; id",
     "Switch acceleration on in the settings, update the "
     "display driver, restart the browser.\nLinux: install the GPU's Mesa or NVIDIA driver; be in the groups video and "
     "render.\nTo see whether the block list is to blame: --ignore-gpu-blocklist.",
     "Do not leave the block list off: entries are there because of crashes.", "Chromium, software rendering list"},
    {"laptop.optimus", "The program runs on the integrated GPU",
     "NVIDIA Optimus\nnvidia-settings could not find the registry key file{*}Optimus\nOpenGL renderer string: Mesa "
     "Intel\nOpenGL renderer string: AMD Radeon Graphics\nThe NVIDIA X driver{*}PRIME\nCannot access secondary "
     "GPU\nNVIDIA GPU is not connected to a display\nYou are not currently using a display attached to an NVIDIA GPU",
     Role::kSymptom, "hybrid",
     "A laptop with two GPUs: the "
     "display hangs on the integrated one, and programs use that unless told otherwise. CUDA still works on the NVIDIA "
     "GPU.",
     "Power saving mode chooses the integrated GPU.",
     "Which GPUs, and which one draws? $ lspci | grep -E 'VGA|3D'; glxinfo -B | grep -i renderer\nDoes CUDA see it? $ "
     "nvidia-smi",
     "Linux: __NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia PROGRAM, or prime-select nvidia and a "
     "restart.\nWindows: Settings, System, Display, Graphics: "
     "choose 'High performance' for the program.\nAMD and Intel: DRI_PRIME=1 PROGRAM.",
     "Do not uninstall the integrated GPU's driver: the screen hangs on it.",
     "NVIDIA driver README, PRIME render offload"},
    {"comfy.single", "ComfyUI will use one GPU only",
     "Multiple NVIDIA GPUs detected. ComfyUI will use GPU {n} only\nMultiple NVIDIA GPUs detected\nComfyUI will use "
     "GPU {n} only on Windows by default",
     Role::kRemark, "",
     "ComfyUI shows itself only the first GPU, on purpose: with several, memory on Windows goes wrong. Nothing failed.",
     "The default since 2026 on Windows.", "Which is number 0? $ nvidia-smi -L",
     "Another GPU: --cuda-device 1. All, if your nodes need "
     "it: --cuda-device all.\nOne image does not become faster with two GPUs; run two instances with --cuda-device 0 "
     "and 1 on two ports.",
     "Do not reinstall the driver: both GPUs are seen.", "ComfyUI, pull request 15737"},
    {"comfy.lowvram", "The image program falls back to less memory",
     "Warning: Ran out of memory when regular VAE decoding, retrying with tiled VAE decoding\nloaded partially "
     "{n}\nlowvram patches: {n}\nRan out of memory when regular VAE",
     Role::kRemark, "memory", "ComfyUI did not fit at once and goes on in pieces; slower, not wrong.",
     "Model and picture are near the GPU's limit.", "$ nvidia-smi",
     "A smaller picture or batch, an fp8 or GGUF model; close "
     "other programs.",
     "", "ComfyUI"},
    {"game.vulkan", "No Vulkan driver is found",
     "VK_ERROR_INCOMPATIBLE_DRIVER\nCannot create Vulkan instance\nvkCreateInstance failed{*}-9\nFailed to detect any "
     "valid GPUs in the current config\nVK_ERROR_INITIALIZATION_FAILED",
     Role::kRoot, "vulkan", "The loader found no driver that works for this program.",
     "The driver's Vulkan part is missing or of another width (32 bit), or the container lacks the capability "
     "'graphics'.",
     "$ vulkaninfo --summary; ls "
     "/usr/share/vulkan/icd.d /etc/vulkan/icd.d",
     "Install the Vulkan driver (also the 32-bit one for games).\nContainer: NVIDIA_DRIVER_CAPABILITIES=all.", "",
     "Vulkan loader"},
};

}  // namespace

extern const std::span<const Entry> kDesktop;
const std::span<const Entry> kDesktop = kEntries;

}  // namespace warpscope::explain
