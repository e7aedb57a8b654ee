// AMD (ROCm, HIP), Intel (Level Zero, SYCL) and Ascend (CANN) errors that public documents name.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr const char* kAmdChecks =
    "Which GPU, seen by ROCm? $ rocminfo | grep -E 'Name:|gfx'\nRights? $ ls -l /dev/kfd /dev/dri; id\nKernel log? $ "
    "dmesg | grep -iE 'amdgpu|kfd' | tail -30";
constexpr const char* kIntelChecks =
    "Seen by the runtime? $ sycl-ls; clinfo -l\nRights? $ ls -l /dev/dri; id\nKernel log? $ dmesg | grep -iE 'xe "
    "|i915' | tail -30";
constexpr const char* kAscendChecks =
    "State of the devices? $ npu-smi info\nWhat does the device log say? $ ls -t ~/ascend/log/debug/plog | head; grep "
    "-rn ERROR ~/ascend/log/debug/plog | head";

constexpr Entry kEntries[] = {
    {"amd.no_binary", "The ROCm build holds no code for this GPU",
     "hipErrorNoBinaryForGpu\nHIP error: no kernel image is available for execution on the device\nHIP error: invalid "
     "device function\nhipErrorInvalidDeviceFunction\nUnable to find code object for all current devices\nCoudn't find "
     "binary for current devices\nrocBLAS error: Cannot read {w}\nrocBLAS error: Could not initialize Tensile host: No "
     "devices found\nTensile{*}TensileLibrary.dat",
     Role::kRoot, "arch",
     "Machine code for this gfx "
     "architecture is not in the wheel.",
     "A consumer or integrated GPU outside ROCm's list, or a wheel for another ROCm.",
     "Which gfx? $ rocminfo | grep gfx\nWhat is in the build? $ python -c \"import torch; print(torch.__version__, "
     "torch.version.hip, torch.cuda.get_arch_list())\"",
     "A near relative of a supported GPU: HSA_OVERRIDE_GFX_VERSION=10.3.0 (RDNA 2), 11.0.0 (RDNA 3).\nOtherwise a "
     "build for the GPU (AMD's own wheels for RDNA 3.5 and 4), or build "
     "with PYTORCH_ROCM_ARCH.",
     "Do not override to another generation: it crashes or computes wrong.", "ROCm, supported GPUs"},
    {"amd.fault", "A kernel on an AMD GPU touched memory that is not its own",
     "Memory access fault by GPU node\nMemory access fault by GPU "
     "node-{n}\nHSA_STATUS_ERROR_MEMORY_FAULT\nHSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION\nhipErrorIllegalAddress\nHIP "
     "error: an illegal memory access was encountered\nPage not present or supervisor privilege",
     Role::kRoot, "device_fault", "The process is ended by the runtime.",
     "An index out of range in a kernel; with HSA_OVERRIDE_GFX_VERSION a code that does not fit the "
     "GPU.",
     "Which kernel? $ AMD_SERIALIZE_KERNEL=3 HIP_LAUNCH_BLOCKING=1 PROGRAM\nIs the architecture overridden? $ env | "
     "grep HSA_OVERRIDE\nKernel log? $ dmesg | grep -iE 'amdgpu|page fault' | tail -30",
     "Correct the index; without override if there is one; a newer ROCm for a new GPU.",
     "Do not go on in the same process.", "ROCm, HIP error codes"},
    {"amd.exception", "A kernel on an AMD GPU failed",
     "HSA_STATUS_ERROR_EXCEPTION\nHSA_STATUS_ERROR_ILLEGAL_INSTRUCTION\nhipErrorLaunchFailure\nHIP error: unspecified "
     "launch failure\nGPU core dump failed\nHW Exception by GPU node-{n}\nhipErrorAssert",
     Role::kRoot, "device_fault", "A fault inside a kernel, or a reset of the GPU.",
     "An instruction that this GPU does not have, an assertion, or a hang that was reset.", kAmdChecks,
     "Look at the kernel's log: a ring time-out or reset is a matter of driver, firmware or GPU; without one "
     "it is the program.",
     "", "ROCm, HSA status codes"},
    {"amd.resources", "The ROCm runtime lacks resources",
     "HSA_STATUS_ERROR_OUT_OF_RESOURCES\nhipErrorOutOfMemory\nhipErrorMemoryAllocation\nHIP error: out of memory",
     Role::kRoot, "memory", "Memory, queues or events could not be had.",
     "Device memory is full; or /dev/kfd may not be opened; or limits of the container.",
     "$ rocm-smi --showmeminfo vram; rocm-smi --showpids\nRights? $ ls -l /dev/kfd /dev/dri; id",
     "Free memory; be in the groups render and video; container: --device /dev/kfd --device /dev/dri "
     "--security-opt seccomp=unconfined --ipc=host.",
     "", "ROCm, HSA status codes"},
    {"amd.invalid_value", "The HIP runtime refused a call",
     "HIP error: invalid argument\nhipErrorInvalidValue\nTriton Error [HIP]: Code: 1, Messsage: invalid argument\n"
     "Triton Error [HIP]: Code: 1, Message: invalid argument",
     Role::kRoot, "arch", "A call had an argument that this runtime, driver or GPU does not take.",
     "Parts that do not fit each other: ROCm in the wheel and the kernel's driver, or a GPU that this build does not "
     "know. Errors come late, so that the line of the traceback may be the wrong one.",
     "Which call? $ AMD_SERIALIZE_KERNEL=3 PROGRAM\nWhich call of HIP exactly? $ AMD_LOG_LEVEL=3 PROGRAM 2>&1 | grep "
     "-iE 'invalid|error' | tail\nDo the versions fit? $ cat /sys/module/amdgpu/version; python -c \"import torch; "
     "print(torch.version.hip)\"\nShared handles between processes? $ env | grep HSA_ENABLE_IPC",
     "Take the driver and the build of one ROCm release.\nFails only when processes share memory "
     "(hipIpcGetMemHandle): unset HSA_ENABLE_IPC_MODE_LEGACY.\nFails with one kernel only: report it with the call "
     "that the log names.",
     "", "ROCm, HIP error codes and issue tracker"},
    {"amd.miopen", "MIOpen could not compile or run a kernel",
     "miopenStatusUnknownError\nMIOpen(HIP): Error [{*}\nMIOpen Error: {w}", Role::kRoot, "cudnn",
     "MIOpen compiles convolutions at run time, and that failed.",
     "The compiler's parts of ROCm are not installed, its cache is damaged, or the GPU is not supported.",
     "The compiler's words stand above.\n$ MIOPEN_ENABLE_LOGGING=1 PROGRAM; ls ~/.cache/miopen",
     "rm -rf ~/.cache/miopen ~/.config/miopen; use a PyTorch build of the installed ROCm.", "",
     "ROCm, MIOpen documentation"},
    {"amd.no_gpu", "ROCm finds no GPU",
     "No HIP GPUs are available\nhipErrorNoDevice\nHIP error: no ROCm-capable device is detected\nROCk module is NOT "
     "loaded\nUnable to open /dev/kfd read-write\nhsa_init Failed, possibly no supported GPU devices\nKFD is not "
     "supported\nhsa api call failure at{*}HSA_STATUS_ERROR_NOT_INITIALIZED",
     Role::kRoot, "no_device", "The runtime sees no device that it can use.",
     "The user may not open /dev/kfd (groups render, video), the module amdgpu is not loaded, or the devices were not "
     "given to the "
     "container.",
     kAmdChecks,
     "usermod -aG render,video USER and log in again; modprobe amdgpu; container: --device /dev/kfd --device /dev/dri.",
     "Do not run as root for good instead of setting the groups.", "ROCm, installation prerequisites"},
    {"amd.ring", "An AMD GPU hung and was reset",
     "amdgpu: GPU reset begin\nGPU reset begin!\nring gfx_{w} timeout\nring sdma{w} timeout\nring comp_{w} "
     "timeout\n[drm:amdgpu_job_timedout\namdgpu{*}GPU reset({n}) succeeded\nGPU reset succeeded, trying to resume\nGPU "
     "recovery disabled",
     Role::kMachine, "tdr", "Work did not end, and the driver reset the GPU. Programs that used it are lost.",
     "A shader or kernel that hangs, an unstable clock, or a fault of driver and firmware.",
     "In order, with meaning: $ warpscope faults /var/log/kern.log",
     "Newer kernel, firmware (linux-firmware) and "
     "Mesa; default clocks; if only one program does it, that program.",
     "", "Linux, amdgpu driver"},
    {"intel.lost", "An Intel GPU was lost or reset",
     "UR_RESULT_ERROR_DEVICE_LOST\nPI_ERROR_DEVICE_LOST\nPI_ERROR_DEVICE_NOT_AVAILABLE\nZE_RESULT_ERROR_DEVICE_"
     "LOST\nNative API returns: 20 (UR_RESULT_ERROR_DEVICE_LOST)\nGPU HANG: ecode\nResetting {w} for preemption time "
     "out\nTimedout job: seqno\nCL_DEVICE_NOT_AVAILABLE",
     Role::kMachine, "tdr", "The device was reset while work ran; the context is lost.",
     "A kernel longer than the driver's limit, memory pressure on an integrated GPU, or a fault of the "
     "driver.",
     kIntelChecks,
     "A newer compute runtime and kernel.\nLess memory: shared-memory GPUs fail so when the system's memory is "
     "full.\nLong kernels on i915: /sys/module/i915/parameters/enable_hangcheck, heartbeat_interval_ms.",
     "Do not switch hang detection off on a desktop.", "oneAPI Level Zero specification, ze_result_t"},
    {"intel.resources", "An Intel GPU lacks memory or resources",
     "UR_RESULT_ERROR_OUT_OF_RESOURCES\nUR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY\nUR_RESULT_ERROR_OUT_OF_HOST_MEMORY\nPI_"
     "ERROR_OUT_OF_RESOURCES\nPI_ERROR_MEM_OBJECT_ALLOCATION_FAILURE\nPI_ERROR_OUT_OF_HOST_MEMORY\nZE_RESULT_ERROR_OUT_"
     "OF_DEVICE_MEMORY\nZE_RESULT_ERROR_OUT_OF_HOST_MEMORY\nCL_MEM_OBJECT_ALLOCATION_FAILURE\nCL_OUT_OF_"
     "RESOURCES\nNative API returns: -5 (PI_ERROR_OUT_OF_RESOURCES)",
     Role::kRoot, "memory",
     "Memory of the "
     "device or host, or one allocation beyond 4 GiB without leave.",
     "The batch is too large; a single buffer over 4 GiB; system memory is full on integrated GPUs.",
     "$ xpu-smi stats -d 0; free -g", "A smaller batch; UR_L0_ENABLE_RELAXED_ALLOCATION_LIMITS=1 for large buffers.",
     "", "oneAPI Level Zero specification, ze_result_t"},
    {"intel.native", "An Intel GPU's runtime failed in a call",
     "Native API failed. Native API returns: {n}\nNative API failed. Native API returns: -{n}\nUR backend failed. UR "
     "backend "
     "returns:{n}\nPI_ERROR_PLUGIN_SPECIFIC_ERROR\nUR_RESULT_ERROR_UNKNOWN",
     Role::kSymptom, "device_fault",
     "SYCL passes on an error of Level Zero or OpenCL; the name in brackets says which.",
     "A kernel that fails or hangs on the device; next: a runtime that does not fit the program.", kIntelChecks,
     "Look in the kernel's log for a reset of the engine.\nUpdate compute runtime and the framework's build together.",
     "", "oneAPI, SYCL runtime"},
    {"intel.init", "Level Zero or SYCL finds no device",
     "ZE_RESULT_ERROR_UNINITIALIZED\nNo device of requested type available\nNo XPU devices are "
     "available\nZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE\nPI_ERROR_DEVICE_NOT_FOUND\nUR_RESULT_ERROR_UNINITIALIZED\nThe "
     "program was built for {n} devices{*}Build program log\nUR_RESULT_ERROR_DEVICE_NOT_FOUND",
     Role::kRoot, "no_device", "The runtime is not there, or may not open the device.",
     "The packages level-zero and the compute runtime are missing, or the user is not "
     "in the group render.",
     kIntelChecks,
     "Install intel-level-zero-gpu (libze-intel-gpu1) and level-zero; usermod -aG render USER; container: --device "
     "/dev/dri.",
     "", "Intel, compute runtime"},
    {"ascend.memory", "An NPU has no memory left",
     "error code:207001\nerror code: 207001\nerror code:200000\nerror code: 200000\n"
     "error code is 200000\nACL_ERROR_RT_MEMORY_ALLOCATION\nNPU out of memory\nEL0004{*}Failed to allocate "
     "memory\nEL0004: {*}\nruntime result = 207001\nerror code is 207001\naclrtMalloc{*}207001",
     Role::kRoot, "memory", "An allocation of device memory failed.",
     "Another process on the NPU, or a batch too large.", kAscendChecks,
     "End other processes; a smaller batch; PYTORCH_NPU_ALLOC_CONF=expandable_segments:True against "
     "fragmentation.",
     "", "CANN, error codes of runtime"},
    {"ascend.aicore", "A kernel on the NPU's AI core failed",
     "error code:507011\nerror code: 507011\nerror code:507015\nerror code: 507015\nerror code:507035\nerror code: "
     "507035\nerror code:507016\nerror code: 507016\nerror code is 507016\nerror code:507036\nerror code: "
     "507036\nerror code is 507036\n"
     "error code is 507011\nerror code is 507015\nruntime result = 507015\nruntime result = "
     "507011\nerror code is 507035\nruntime result = 507035\nACL_ERROR_RT_VECTOR_CORE_EXCEPTION\nACL_ERROR_RT_AICORE_"
     "EXCEPTION\nACL_ERROR_RT_MODEL_EXECUTE\nEZ9999: {*}\nEZ9999: Inner Error\nThe error "
     "from device{*}, serial number is {n}\nVEC instruction error: {*}\nThe DDR address of the MTE instruction is out "
     "of range",
     Role::kRoot, "device_fault",
     "An operator failed on the device (EZ9999: inside an operator; 507015: exception of an AI core; 507011: a task "
     "of a model failed).",
     "An index or address out of range in an operator: input outside what it allows, or an operator that does not fit "
     "the CANN version. 'MTE ... out of range' and 'VEC' say address.",
     "Which operator? $ ASCEND_LAUNCH_BLOCKING=1 PROGRAM\nWhat does the device log say? $ grep -rn -A3 'EZ9999\\|fault "
     "kernel' ~/ascend/log/debug/plog | head\nOne device only? $ npu-smi info -t health -i 0",
     "Check indices and shapes of the operator that blocking launches name.\nInstall torch_npu, CANN and driver of "
     "versions "
     "that belong together.\nAlways the same device: have it checked.",
     "Do not go on in the same process.", "CANN, error codes of runtime"},
    {"ascend.aicpu", "A kernel on the NPU's AI CPU failed",
     "error code:507018\nerror code: 507018\nerror code:507017\nerror code: 507017\nerror code is 507017\n"
     "error code is 507018\nACL_ERROR_RT_AICPU_EXCEPTION\nruntime result = 507018\nE39999: {*}\nEZ3002{*}",
     Role::kRoot, "device_fault", "An operator that runs on the device's processors failed.",
     "Input that the operator does not take, or AI CPU packages that do not fit.", kAscendChecks,
     "Look at the operator that the log names.", "", "CANN, error codes of runtime"},
    {"ascend.timeout", "A task or collective on NPUs timed out",
     "error code:507014\nerror code: 507014\nerror code:507046\nerror code: 507046\nerror code:507048\nerror code: "
     "507048\nerror code:107020\nerror code: 107020\nerror code:507034\nerror code: 507034\nerror code is 507034\n"
     "error code is 507014\nerror code is 507046\nerror code is 507048\nerror code is 107020\nEI0002: "
     "{*}\nEI0002{*}Notify register times out\nThe wait execution of the Notify register times "
     "out\nNotify_Timeout(EI0002)\nruntime result = "
     "507046\nACL_ERROR_RT_AICORE_TIMEOUT\nACL_ERROR_RT_STREAM_SYNC_TIMEOUT\nEE1002: {*}Stream synchronize "
     "timeout\nhccl fftsplus task timeout occurred",
     Role::kSymptom, "nccl_timeout",
     "A rank "
     "waited in HCCL (or for a stream) longer than the limit.",
     "Another rank crashed or is late; its log has the first error.",
     "Which rank failed first? $ grep -rln 'EZ9999\\|ERROR' ~/ascend/log/debug/plog | head\n$ npu-smi info",
     "Correct the first rank that failed.\nLong work on one rank: raise HCCL_EXEC_TIMEOUT (seconds).",
     "Do not only raise the time-out.", "CANN, HCCL error codes"},
    {"ascend.connect", "NPUs do not reach each other",
     "EI0006: {*}\nEI0006 Getting socket times "
     "out\nGet_Socket_Timeout(EI0006)\nCommunication_Error_Get_Socket(EI0006)\nGetting socket times out. "
     "Reason\nEI0004: {*}\nEI0013{*}\nEJ0001{*}\nEI9999: Inner Error",
     Role::kSymptom, "rendezvous", "HCCL could not connect to another device in its time.",
     "A rank did not start or failed before; next: addresses, TLS setting or link of the device network.",
     "Did all ranks start? Compare the logs.\nLink and TLS of each device? $ hccn_tool -i 0 -link -g; hccn_tool -i 0 "
     "-tls -g; hccn_tool -i 0 -ip -g",
     "Start all ranks within HCCL_CONNECT_TIMEOUT (120 s), or raise it on all ranks alike.\nSame TLS setting "
     "everywhere.",
     "", "CANN, HCCL error codes"},
    {"ascend.setup", "The CANN runtime cannot set the device up",
     "error code:507033\nerror code: 507033\nerror code:507899\nerror code: 507899\nerror code:107002\nerror code: "
     "107002\nerror code:500000\nerror code: 500000\n"
     "error code is 507033\nerror code is 507899\nerror code is 107002\nerror code is "
     "500000\nACL_ERROR_RT_CONTEXT_NULL\nERR99999 UNKNOWN application exception\nlibascendcl.so: cannot open shared "
     "object file\nlibhccl.so: cannot open shared object file\ndcmi module initialize failed\nDrvMngGetConsoleLogLevel "
     "failed\ndrv error{*}halGetDeviceInfo",
     Role::kRoot, "no_device", "Driver, firmware or CANN are not set up for this process.",
     "set_env.sh was not read, the device is "
     "not given to the container, or driver and CANN do not fit. 107002: a thread without context.",
     "$ source /usr/local/Ascend/ascend-toolkit/set_env.sh; npu-smi info\n$ ls -l /dev/davinci* /dev/davinci_manager",
     "Read set_env.sh; container: --device /dev/davinci0 --device /dev/davinci_manager --device /dev/devmm_svm "
     "--device /dev/hisi_hdc and the driver folder mounted.\n107002: torch.npu.set_device in each thread.",
     "", "CANN, error codes of runtime"},
    {"ascend.parameter", "An operator of the NPU refuses its input",
     "AclNN_Parameter_Error(EZ1001)\nEZ1001: {*}\nerror code is 161001\nerror code is 161002\nerror code is "
     "561103\nerror code is 561002\nE19999: Inner Error\nERR01100 OPS\nERR00007 PTA feature not supported",
     Role::kRoot, "", "Shape, type or value is outside of what the operator takes; the message behind it says which.",
     "A shape or type that CUDA allows and this operator does not, or an operator missing in this CANN.", kAscendChecks,
     "Change the input as the message says; a newer CANN and "
     "torch_npu.",
     "", "CANN, aclnn return codes"},
};

}  // namespace

extern const std::span<const Entry> kVendors;
const std::span<const Entry> kVendors = kEntries;

}  // namespace warpscope::explain
