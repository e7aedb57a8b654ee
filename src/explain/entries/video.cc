// Video encoders and decoders, OpenGL and EGL.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr Entry kEntries[] = {
    {"video.nvenc_sessions", "The encoder gives no further session",
     "OpenEncodeSessionEx failed: out of memory (10)\nOpenEncodeSessionEx failed: incompatible client key "
     "(21)\nNVENC{*}No free "
     "encoding sessions",
     Role::kRoot, "video",
     "Consumer cards allow a limited number of encodings at a time; 'out of memory' here is that limit.",
     "Too many encodings at once on the machine; or device memory is really full.",
     "How many run? $ nvidia-smi encodersessions; nvidia-smi",
     "End other encodings (recorders, browsers), or encode on the CPU.\nNewer drivers allow more sessions (8 since "
     "2024).",
     "Do not patch the driver on machines that others use.", "NVIDIA, Video Codec SDK: supported GPUs"},
    {"video.nvenc_support", "This GPU or driver has no such encoder",
     "OpenEncodeSessionEx failed: unsupported device (2)\nNo capable devices found\nNo NVENC capable devices "
     "found\nProvided device "
     "doesn't support required NVENC features\nCodec not supported\nDriver does not support the required nvenc API "
     "version. "
     "Required: {n} Found: {n}",
     Role::kRoot, "video",
     "The encoder unit is missing on this GPU, lacks the codec, or the driver is older than the program.",
     "Data centre GPUs (A100, H100) have no encoder; AV1 needs Ada or newer; ffmpeg is newer than the driver.",
     "$ nvidia-smi --query-gpu=name,driver_version --format=csv; ffmpeg -hide_banner -h encoder=h264_nvenc | head -5",
     "'nvenc API version': update the driver, or take an older ffmpeg.\nNo encoder: another GPU, or libx264.", "",
     "NVIDIA, Video Codec SDK: supported GPUs"},
    {"video.cuvid", "The decoder finds no CUDA device",
     "No device available for decoder: device type cuda needed\nCannot load nvcuda.dll\nCannot load "
     "libcuda.so.1\nCannot load "
     "libnvcuvid.so.1\nFailed loading nvcuvid\nCannot load cuvid functions",
     Role::kRoot, "no_driver", "ffmpeg loads the driver's video libraries by name, and they are not there.",
     "No NVIDIA driver, or a container without the capability 'video'.",
     "$ nvidia-smi; ldconfig -p | grep -E 'nvcuvid|libcuda'",
     "Container: NVIDIA_DRIVER_CAPABILITIES=compute,video,utility.\nHost: install the driver with its video libraries.",
     "", "NVIDIA Container Toolkit, driver capabilities"},
    {"video.gl_driver", "OpenGL or EGL does not load the GPU's driver",
     "libGL error: failed to load driver: {w}\nlibEGL warning: MESA-LOADER: failed to open {w}\nMESA-LOADER: failed to "
     "open "
     "{w}\nMESA: error: ZINK: failed to choose pdev\nZINK: failed to choose pdev\nlibEGL warning: egl: failed to "
     "create dri2 screen\n"
     "Failed to create shared context for virtualization",
     Role::kRoot, "vulkan",
     "Mesa was asked instead of the GPU's own library, or may not open the device; drawing goes on in software.",
     "The driver's GL part is not installed (or of another version), a container lacks 'graphics', or conda brings its "
     "own libGL or "
     "libstdc++.",
     "What draws? $ glxinfo -B | grep -E 'vendor|renderer'; eglinfo -B\nRights? $ ls -l /dev/dri; id",
     "Container: NVIDIA_DRIVER_CAPABILITIES=all (graphics,display).\nNVIDIA: install libnvidia-gl of the driver's "
     "version.\nconda: conda install -c conda-forge libstdcxx-ng, or use the system's libraries.",
     "", "Mesa, environment variables; NVIDIA driver README"},
    {"video.optix_abi", "The driver is too old for the program's OptiX",
     "OPTIX_ERROR_UNSUPPORTED_ABI_VERSION\nOptix Error: 'Unsupported ABI version'\noptixInit()) failed with code 7801",
     Role::kRoot, "old_driver",
     "OptiX comes with the driver; the program was built for a newer OptiX than this driver has.",
     "An old driver, or a driver so new that it has dropped a very old OptiX.",
     "$ nvidia-smi --query-gpu=driver_version --format=csv",
     "Update the driver; the release notes of each OptiX SDK name the oldest one that it takes.\nOr an older release of "
     "the program. Renderers also run with CUDA instead of OptiX.",
     "", "NVIDIA OptiX, release notes"},
    {"video.vulkan_none", "The Vulkan loader finds no driver",
     "vkCreateInstance: Found no drivers\nERROR_INCOMPATIBLE_DRIVER{*}Found no drivers", Role::kRoot, "vulkan",
     "No description of a driver (ICD) lies where the loader looks.",
     "The driver's Vulkan part is missing, or a container lacks the capability 'graphics'.",
     "$ ls /usr/share/vulkan/icd.d /etc/vulkan/icd.d; echo $VK_ICD_FILENAMES",
     "Install nvidia's GL package or mesa-vulkan-drivers; container: NVIDIA_DRIVER_CAPABILITIES=all.", "",
     "Vulkan loader, LoaderDriverInterface"},
    {"video.webgl_lost", "A page lost its WebGL context",
     "CONTEXT_LOST_WEBGL\nWebGL context was lost\nWebGL: context lost", Role::kSymptom, "browser",
     "The browser's GPU process was reset or ended, and pages have to draw anew.",
     "The driver was reset (TDR), memory of the GPU was full, or the machine slept.",
     "Open chrome://gpu: 'Problems Detected' and the log messages below.",
     "Reload the page; if it returns, update the display driver.", "", "Khronos, WebGL: handling context lost"},
    {"video.blocked_app", "Windows keeps a program off the GPU", "has been blocked from accessing Graphics hardware",
     Role::kRoot, "tdr", "After several resets of the driver within a short time Windows refuses the program the GPU.",
     "The program caused the resets (TDR): a long or faulty shader, or unstable clocks.",
     "> Get-WinEvent -LogName System -MaxEvents 200 | findstr /i \"nvlddmkm Display\"",
     "Default clocks, a current driver; restart the program (or Windows) to lift it.", "Do not set TdrLevel=0.",
     "Microsoft, 'Timeout detection and recovery'"},
};

}  // namespace

extern const std::span<const Entry> kVideo;
const std::span<const Entry> kVideo = kEntries;

}  // namespace warpscope::explain
