// Texts of inference engines, container hooks, Kubernetes nodes, display servers, builds and other vendors' runtimes,
// from public issue trackers, and lines of the same programs that tell no error.
#include <gtest/gtest.h>

#include "explain/explain.h"

namespace warpscope::explain {
namespace {

struct Text {
  const char* text;
  const char* id;
};

constexpr Text kTexts[] = {
    {"| ERR!   52C    P2   ERR! / 250W |    593MiB / 16160MiB |    ERR!      Default |", "smi.err_fields"},
    {"docker: Error response from daemon: failed to create shim task: OCI runtime create failed: runc create failed: "
     "unable to start container process: error during container init: error running hook #0: error running hook: exit "
     "status 1, stdout: , stderr: Auto-detected mode as 'legacy'",
     "container.failed"},
    {"nvidia-container-cli: initialization error: cannot open shared object file: no such file or directory: unknown.",
     "container.failed"},
    {"nvidia-container-cli: initialization error: change root failed: no such file or directory: unknown.",
     "container.root"},
    {"nvidia-container-cli: mount error: file creation failed: "
     "/var/lib/docker/overlay2/abc/merged/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1: file exists: unknown.",
     "container.file_exists"},
    {"failed to generate spec: failed to create device CDI specs: failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND",
     "container.cdi_spec"},
    {"X Error of failed request:  BadAlloc (insufficient resources for operation)", "display.request"},
    {"X Error of failed request:  BadValue (integer parameter out of range for operation)", "display.request"},
    {"(EE) NVIDIA(GPU-0): Failed to initialize the NVIDIA graphics device!", "display.start"},
    {"(EE) NVIDIA(0): Failed to allocate primary buffer: out of memory.", "display.start"},
    {"Warning  UnexpectedAdmissionError  28m   kubelet  Allocate failed due to device plugin GetPreferredAllocation "
     "rpc failed with err: rpc error: code = Unknown desc = error getting list of preferred allocation devices: unable "
     "to get device link information: error calling nvml.Init: Unknown Error, which is unexpected",
     "container.nvml"},
    {"Failed to initialize NVML: could not load NVML library.", "container.nvml"},
    {"Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "
     "\"nvidia\" is configured",
     "container.runtime_class"},
    {"XidCriticalError: Xid=79 on Device=GPU-6304bf68, the device will go unhealthy.", "container.unhealthy"},
    {"INTERNAL: RET_CHECK failure (external/org_tensorflow/tensorflow/compiler/xla/service/gpu/gpu_compiler.cc:626) "
     "dnn != nullptr",
     "xla.check"},
    {"jaxlib.xla_extension.XlaRuntimeError: INTERNAL: cuSolver internal error", "lib.fft_other"},
    {"jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Unable to launch triton kernel", "xla.check"},
    {"RuntimeError: jaxlib version 0.4.30 is newer than and incompatible with jax version 0.4.26. Please update your "
     "jax and/or jaxlib packages.",
     "xla.jaxlib"},
    {"JAX plugin jax_cuda12_plugin version 0.4.30 is installed, but it is not compatible with the installed jaxlib "
     "version 0.4.36, so it will not be used.",
     "xla.jaxlib"},
    {"E0000 00:00:1731412345.123456 cuda_executor.cc:1228] INTERNAL: CUDA Runtime error: Failed call to "
     "cudaGetRuntimeVersion: Error loading CUDA libraries. GPU will not be used.",
     "xla.libraries"},
    {"ERROR 05-27 11:47:57 [core.py:396] EngineCore failed to start.", "serve.runner_crash"},
    {"Failed: Cuda error /workspace/csrc/custom_all_reduce.cuh:455 'invalid argument'", "serve.custom_allreduce"},
    {"AssertionError: Error in memory profiling. Initial free memory 21.4, current free memory 22.1. This happens when "
     "the GPU memory was not properly cleaned up before initializing the vLLM instance.",
     "serve.memory_moved"},
    {"RuntimeError: Failed to infer device type", "serve.no_platform"},
    {"No platform detected, vLLM is running on UnspecifiedPlatform", "serve.no_platform"},
    {"WARNING 03-05 Cannot use FlashAttention-2 backend for Volta and Turing GPUs.", "serve.flash_backend"},
    {"ray.exceptions.RayActorError: The actor died unexpectedly before finishing this task.", "serve.ray_actor"},
    {"ValueError: Ray does not allocate any GPUs on the driver node. Consider adjusting the Ray placement group or "
     "running the driver on a GPU node.",
     "serve.ray_resources"},
    {"ptxas fatal   : (C7600) Register allocation failed with register count of '255'. Compile the program with a "
     "higher register target",
     "lib.ptxas"},
    {"`ptxas` failed with error code 4294967295: ", "lib.ptxas"},
    {"LLVM ERROR: pthread_create failed: Resource temporarily unavailable", "lib.threads"},
    {"error: unsupported fp8e4nv in Volta: type fp8e4nv not supported in this architecture. The supported fp8 dtypes "
     "are ('fp8e4b15', 'fp8e5')",
     "lib.fp8"},
    {"AssertionError: fp8e4nv data type is not supported on CUDA arch < 89", "lib.fp8"},
    {"ggml was not compiled with any CUDA arch <= 750", "serve.ggml_arch"},
    {"GGML_ASSERT: ggml-cuda.cu:7850: !\"CUDA error\"", "serve.runner_crash"},
    {"ggml_vulkan: Device memory allocation of size 1073741824 failed.", "serve.ggml_vulkan"},
    {"ggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory", "serve.ggml_vulkan"},
    {"terminate called after throwing an instance of 'vk::DeviceLostError'", "serve.vulkan_lost"},
    {"  what():  vk::Queue::submit: ErrorDeviceLost", "serve.vulkan_lost"},
    {"[WARNING]  async_io requires the dev libaio .so object and headers but these were not found.",
     "lib.deepspeed_aio"},
    {"deepspeed.ops.op_builder.builder.MissingCUDAException: CUDA_HOME does not exist, unable to compile CUDA op(s)",
     "build.nvcc"},
    {"[ERROR] 2025-12-10-10:52:09 (PID:3473945, Device:0, RankID:-1) ERR00100 PTA call acl api failed.", "ascend.code"},
    {"NPU function error: at_npu::native::AclSetCompileopt(aclCompileOpt::ACL_PRECISION_MODE, precision_mode), error "
     "code is 500001",
     "ascend.code"},
    {"EH9999: Inner Error!", "ascend.module"},
    {"EE9999: Inner Error!", "ascend.module"},
    {"rtMalloc execute failed, reason=[driver error:out of memory]", "ascend.driver"},
    {"drvRet=46 ... driver error:internal error, ret=87", "ascend.driver"},
    {"rocm driver error 'hipErrorSharedObjectInitFailed' (303): shared object initialization failed",
     "amd.shared_object"},
    {"RuntimeError: HIP error: shared object initialization failed", "amd.shared_object"},
    {"RuntimeError: HIP error: unknown error", "amd.hip"},
    {"RuntimeError: HIP error: the operation cannot be performed in the present state", "amd.hip"},
    {"Initializing the hsa runtime failed.", "amd.hsa"},
    {"rocblas_status_internal_error", "amd.library"},
    {"hipBLASLt error: unsupported architecture", "amd.library"},
    {"MIOpen(HIP): Warning [IsEnoughWorkspace] Solver <GemmFwdRest>, workspace required: 1073741824, provided ptr: 0 "
     "size: 0",
     "amd.miopen_remark"},
    {"RuntimeError: UR error", "intel.backend"},
    {"ImportError: /opt/intel/oneapi/compiler/2025.1/lib/libur_loader.so.0: version `LIBUR_LOADER_0.10' not found",
     "intel.loader"},
    {"what():  Unknown ze_result_t value: 1879179264", "intel.backend"},
    {"OSError: [WinError 126] The specified module could not be found. Error loading \"backend_with_compiler.dll\" or "
     "one of its dependencies.",
     "windows.dll"},
    {"NVAPI_GPU_NOT_POWERED", "windows.nvapi"},
    {"cuBLAS API failed with status 15", "lib.status_number"},
    {"cublasLt ran into an error!", "lib.status_number"},
    {"cuFFT error: CUFFT_INVALID_SIZE", "lib.fft_other"},
    {"RuntimeError: cuDNN Frontend error: [cudnn_frontend] Error: No execution plans support the graph.",
     "xla.profiling"},
    {"CUDA error: mapping of buffer object failed", "cuda.205"},
    {"CUDA error: the remote procedural call between the MPS server and the MPS client failed", "cuda.806"},
    {"CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "cuda.809"},
    {"CUDA error: cudaErrorExternalDevice", "cuda.911"},
    {"CUDA Exception: Warp Out-of-range Address", "lib.cuda_gdb"},
    {"kernel reported version is: 470.57.2 does not match DSO version 460.32.3 -- cannot find working devices in this "
     "configuration",
     "module.version_dso"},
    {"Blas GEMM launch failed : a.shape=(128, 784), b.shape=(784, 256), m=128, n=256, k=784", "xla.gemm"},
    {"InternalError: Failed copying input tensor from /job:localhost/replica:0/task:0/device:CPU:0 to "
     "/job:localhost/replica:0/task:0/device:GPU:0 in order to run _EagerConst: Dst tensor is not initialized.",
     "xla.dst"},
    {"Ignoring visible gpu device (device: 0, name: GeForce GT 710) with Cuda compute capability 3.5. The minimum "
     "required Cuda capability is 6.0.",
     "xla.capability"},
    {"No algorithm worked!  Error messages: Profiling failure on CUDNN engine 1: RESOURCE_EXHAUSTED", "xla.profiling"},
    {"PaddlePaddle: PreconditionNotMetError: Cannot load cudnn shared library. Cannot invoke method cudnnGetVersion.",
     "lib.paddle_library"},
    {"paddle.fluid.core_avx.EnforceNotMet: Cannot use CUDAPlace in CPU only version", "lib.paddle_cpu"},
    {"The third-party dynamic library (libcudnn.so) that Paddle depends on is not configured correctly.",
     "lib.paddle_library"},
    {"RuntimeError: Attempting to deserialize object on CUDA device 2 but torch.cuda.device_count() is 1.",
     "lib.map_location"},
    {"WARNING[XFORMERS]: Need to compile C++ extensions to use all xFormers features.", "build.torchvision_op"},
    {"RuntimeError: torchvision::nms does not exist", "build.torchvision_op"},
    {"Error named symbol not found at line 74 in file /mmfs1/gscratch/zlab/bitsandbytes/csrc/ops.cu", "lib.ops_line"},
    {"Error no kernel image is available for execution on the device at line 167 in file /src/csrc/ops.cu",
     "lib.ops_line"},
    {"[TRT] [W] CUDA initialization failure with error: 35", "lib.tensorrt_cuda"},
    {"Error Code 1: Cuda Runtime (out of memory)", "lib.tensorrt_cuda"},
    {"cupy_backends.cuda.libs.nvrtc.NVRTCError: NVRTC_ERROR_COMPILATION (6)", "lib.nvrtc"},
    {"nvrtc: error: invalid value for --gpu-architecture (-arch)", "lib.nvrtc"},
    {"[LightGBM] [Fatal] GPU Tree Learner was not enabled in this build.", "lib.no_gpu_build"},
    {"CatBoostError: Environment for task type [GPU] not found", "lib.no_gpu_build"},
    {"Unable to determine the device handle for GPU 0000:02:00.0: Unable to communicate with GPU because it is "
     "insufficiently powered.",
     "smi.power"},
    {"Unable to set applications clocks ... Setting applications clocks is not supported for GPU 00000000:01:00.0.",
     "smi.unsupported"},
    {"GPU 00000000:17:00.0 is currently in use by one or more other processes", "smi.busy"},
    {"pynvml.nvml.NVMLError_NotSupported: Not Supported", "smi.unsupported"},
    {"modprobe: FATAL: Module nvidia not found in directory /lib/modules/5.15.0-91-generic", "module.not_found"},
    {"modprobe: ERROR: could not insert 'nvidia_uvm': Unknown symbol in module", "module.not_found"},
    {"modprobe: FATAL: Module nvidia is in use.", "smi.busy"},
    {"The following packages have unmet dependencies: cuda-drivers : Depends: nvidia-driver-550 but it is not going to "
     "be installed",
     "module.packages"},
    {"NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x31:0x40:2546)", "kernel.log_machine"},
    {"nvidia-modprobe: unable to create device node", "module.service"},
    {"NVRM: This PCI I/O region assigned to your NVIDIA device is invalid: NVRM: BAR1 is 0M @ 0x0 (PCI:0000:01:00.0)",
     "kernel.log_machine"},
    {"nvidia-persistenced failed to initialize. Check syslog for more details.", "module.service"},
    {"NCCL WARN [Service thread] Accept failed Resource temporarily unavailable", "lib.threads"},
    {"NCCL WARN NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file", "nccl.plugin"},
    {"NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin.", "nccl.plugin"},
    {"NCCL WARN NET/IB : Unable to open device mlx5_0", "nccl.device"},
    {"NCCL WARN Could not find real path of /sys/class/pci_bus/0000:00", "nccl.topology"},
    {"NCCL WARN Missing \"iommu=pt\" from kernel command line which can lead to system instablity or hang!",
     "nccl.topology"},
    {"NCCL WARN Call to bind failed : Address already in use", "nccl.device"},
    {"[E socket.cpp:922] [c10d] The client socket has timed out after 900s while trying to connect to (10.0.0.1, "
     "29500).",
     "dist.store_timeout"},
    {"RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:525] Read error [10.0.0.2]:4000: Connection reset "
     "by peer",
     "dist.peer_gone"},
    {"terminate called after throwing an instance of 'c10::DistBackendError'", "dist.peer_gone"},
    {"torch.distributed.elastic.rendezvous.api.RendezvousClosedError", "dist.store_timeout"},
    {"RuntimeError: Expected to mark a variable ready only once.", "dist.ddp_twice"},
    {"UCX  ERROR   mm_posix.c:233 UCX ERROR open(file_name=/proc/1/fd/30 flags=0x0) failed", "dist.ucx"},
    {"Pod nvidia-driver-daemonset CrashLoopBackOff", "container.operator"},
    {"nvidia-operator-validator Init:CrashLoopBackOff toolkit is not ready", "container.operator"},
    {"nvcc: command not found", "build.nvcc"},
    {"nvcc fatal   : Cannot find compiler 'cl.exe' in PATH", "build.msvc"},
    {"fatal error C1189: #error:  -- unsupported Microsoft Visual Studio version! Only the versions between 2017 and "
     "2022 (inclusive) are supported!",
     "build.msvc"},
    {"error: identifier \"__hfma2\" is undefined", "build.missing_intrinsic"},
    {"CMake Error: CMAKE_CUDA_ARCHITECTURES must be non-empty if set.", "build.arch_list"},
    {"CUDA_ARCHITECTURES is empty for target \"cmTC_12345\"", "build.arch_list"},
    {"Windows cannot load the device driver for this hardware. The driver may be corrupted or missing. (Code 39)",
     "windows.device_codes"},
    {"Currently, this hardware device is not connected to the computer. (Code 45)", "windows.device_codes"},
    {"VIDEO_SCHEDULER_INTERNAL_ERROR", "windows.bugcheck"},
    {"VIDEO_MEMORY_MANAGEMENT_INTERNAL", "windows.bugcheck"},
    {"WHEA_UNCORRECTABLE_ERROR", "windows.whea"},
    {"vkEnumeratePhysicalDevices failed with ERROR_INITIALIZATION_FAILED", "display.vulkan_icd"},
    {"ERROR: [Loader Message] Code 0 : loader_scanned_icd_add: Could not get 'vkCreateInstance' via "
     "'vk_icdGetInstanceProcAddr' for ICD libGLX_nvidia.so.0",
     "display.vulkan_icd"},
    {"libGL error: No matching fbConfigs or visuals found", "display.display"},
    {"libEGL warning: DRI2: failed to authenticate", "display.display"},
    {"prime-select: error: no integrated GPU detected", "laptop.prime"},
    {"Error: Could not load the prime-offload", "laptop.prime"},
    {"Cannot load libnvidia-encode.so.1", "video.hwaccel"},
    {"Device creation failed: -542398533. Failed to set value 'cuda' for option 'hwaccel'", "video.hwaccel"},
    {"The code execution cannot proceed because nvcuda.dll was not found", "windows.dll"},
    {"RuntimeError: Offset increment outside graph capture encountered unexpectedly.", "lib.capture_rng"},
    {"RuntimeError: NVML_SUCCESS == DriverAPI::get()->nvmlInit_v2_() INTERNAL ASSERT FAILED", "lib.nvml_assert"},
    {"RuntimeError: handle_0 INTERNAL ASSERT FAILED at \"../c10/cuda/driver_api.cpp\":15", "lib.nvml_assert"},
    {"RuntimeError: !block->expandable_segment_ INTERNAL ASSERT FAILED", "lib.capture_rng"},
    {"Intel MKL FATAL ERROR: Cannot load libmkl_core.so.", "intel.loader"},
    {"NotImplementedError: The operator 'aten::linalg_qr' is not currently implemented for the MPS device.",
     "lib.mps_op"},
    {"RuntimeError: Placeholder storage has not been allocated on MPS device!", "lib.mps_op"},
};

TEST(ExplainField, TextsAreRecognised) {
  for (const Text& one : kTexts) {
    const Diagnosis diagnosis = Explain(one.text);
    ASSERT_FALSE(diagnosis.findings.empty()) << one.text;
    EXPECT_STREQ(std::string(diagnosis.findings.front().entry->id).c_str(), one.id) << one.text;
  }
}

constexpr const char* kHarmless[] = {
    "npm ERR! code ELIFECYCLE",
    "npm ERR! errno 1",
    "| N/A   34C    P0    55W / 400W |      3MiB / 40960MiB |      0%      Default |",
    "|  0%   34C    P8    20W / 450W |      3MiB / 24564MiB |      0%      Default |",
    "INFO 03-05 12:00:00 [cuda.py:291] Using Flash Attention backend on V1 engine.",
    "INFO:     Started server process [1234]",
    "NCCL INFO Using network Socket",
    "NCCL INFO comm 0x5581 rank 0 nranks 8 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x1 - Init COMPLETE",
    "NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>",
    "[drm] amdgpu kernel modesetting enabled.",
    "amdgpu 0000:03:00.0: amdgpu: Fetched VBIOS from VFCT",
    "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 uses VM inv eng 0 on hub 0",
    "nvidia 0000:65:00.0: enabling device (0140 -> 0143)",
    "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15",
    "nvidia-uvm: Loaded the UVM driver, major device number 510.",
    "i915 0000:00:02.0: [drm] GuC firmware i915/adlp_guc_70.bin version 70.5.1",
    "pcieport 0000:00:01.0: AER: enabled with IRQ 122",
    "audit: type=1400 apparmor=\"STATUS\" operation=\"profile_load\" name=\"nvidia_modprobe\"",
    "systemd[1]: Started NVIDIA Persistence Daemon.",
    "systemd[1]: nvidia-fabricmanager.service: Deactivated successfully.",
    "kubelet: Successfully registered device plugin for resource nvidia.com/gpu",
    "Allocatable: nvidia.com/gpu: 8",
    "pod/nvidia-driver-daemonset-x7k Running",
    "containerd[1]: time=\"2025-01-01\" level=info msg=\"CreateContainer within sandbox\"",
    "hipcc --version: HIP version: 6.0.32830",
    "ROCm version: 6.1.0",
    "hipMalloc 1024 bytes succeeded",
    "EZ pass registered at gate 10001",
    "E1101: Instance of 'x' has no 'y' member (no-member)",
    "src/a.py:10:1: E302 expected 2 blank lines, got 1",
    "src/a.py:99:80: E501 line too long (92 > 79 characters)",
    "error TS2304: Cannot find name 'x'.",
    "error[E0308]: mismatched types",
    "error code is 0",
    "error code is 404",
    "The return code is 200 OK",
    "HTTP error code: 5000 requests served",
    "Build finished with exit code 10",
    "Process finished (code 43)",
    "(Code 12) of the building regulations",
    "Loaded module nvcuda.dll version 32.0.15.6636",
    "vulkaninfo: GPU0: apiVersion = 1.3.280",
    "OpenGL version string: 4.6.0 NVIDIA 550.54.15",
    "X Error handling is installed",
    "GLFW initialized: 3.4.0 X11 GLX",
    "(II) NVIDIA(0): NVIDIA GPU NVIDIA GeForce RTX 3080 (GA102-A) at PCI:1:0:0",
    "(II) LoadModule: \"nvidia\"",
    "webgl2 renderer: ANGLE (NVIDIA, NVIDIA GeForce RTX 3080 Direct3D11)",
    "llama_model_loader: loaded meta data with 24 key-value pairs",
    "ggml_cuda_init: found 1 CUDA devices:",
    "ggml_vulkan: Found 1 Vulkan devices:",
    "llama_kv_cache_init: CUDA0 KV buffer size = 512.00 MiB",
    "Ray runtime started.",
    "ray status: 8.0/8.0 GPU used",
    "[W socket.cpp:601] listening on port 29500",
    "torchrun: Starting elastic_operator with launch configs",
    "mpirun (Open MPI) 4.1.4",
    "UCX version 1.15.0",
    "-- The CUDA compiler identification is NVIDIA 12.4.131",
    "-- Found CUDAToolkit: /usr/local/cuda/include (found version \"12.4.131\")",
    "nvcc: NVIDIA (R) Cuda compiler driver",
    "ptxas info    : 0 bytes gmem",
    "ptxas info    : Used 32 registers, 384 bytes cmem[0]",
    "ptxas info    : (C7516) Potential Performance Loss: wgmma.mma_async instructions are serialized",
    "DeepSpeed info: version=0.14.0, git-hash=unknown",
    "JAX version 0.4.30, jaxlib version 0.4.30",
    "Num GPUs Available:  1",
    "CUDA available: True, devices: 1",
    "paddle.utils.run_check(): PaddlePaddle is installed successfully!",
    "PaddlePaddle works well on 1 GPU.",
    "aclInit success, device 0",
    "npu-smi info: health OK",
    "sycl-ls: [level_zero:gpu][level_zero:0] Intel(R) Level-Zero, Intel(R) Arc(TM) A770",
    "ze_result_t success",
    "modprobe nvidia succeeded",
    "dkms: added nvidia/550.54.15",
    "Setting up libnvidia-compute-550 (550.54.15-0ubuntu1) ...",
    "nvidia-smi.exe found in C:\\Windows\\System32",
    "device plugin: found 4 GPUs, all healthy",
    "thread pool: can start 8 new threads",
    "fork: started worker 3",
    "The diagonal element of the matrix is 3",
    "linalg.solve took 3 ms",
    "shim task created for container abc",
    "hook executed successfully",
    "OCI runtime: runc 1.1.12",
    "CDI: nvidia.com/gpu=0 injected",
    "GPU power limit set to 350 W",
    "The GPU is not busy",
    "nothing to do, module nvidia already loaded",
    "reset of the counter finished",
    "EE 9999 EUR",
    "Rendering with Vulkan on NVIDIA GeForce RTX 4090",
    "WHEA events: 0",
    "BugCheck count 0",
    "No errors found; CUDA error count: 0",
    "CUDA error handling was rewritten in v2",
    "Unit test HIP error paths passed",
    "cuFFT plan created: 1024x1024",
    "hipBLASLt available: True",
    "MIOpen find mode: FAST",
    "attempt 3 of 5",
    "GPU process started with pid 1234",
    "WebGPU adapter: NVIDIA",
    "prime-select query: nvidia",
    "ffmpeg: using hwaccel cuda",
    "libva info: va_openDriver() returns 0",
    "vaapi initialised",
    "Ran out of patience",
    "loss scale 65536.0",
    "retrying in 5 seconds: connection to redis",
};

TEST(ExplainField, HarmlessLinesAreUnknown) {
  for (const char* text : kHarmless) {
    const Diagnosis diagnosis = Explain(text);
    EXPECT_TRUE(diagnosis.findings.empty()) << text << ": " << diagnosis.findings.front().entry->id;
  }
}

// What a general pattern finds is told only where no other entry knows the line.
TEST(ExplainField, TheSpecificEntryAlone) {
  const Diagnosis lost = Explain("level_zero backend failed with error: 20 (UR_RESULT_ERROR_DEVICE_LOST)");
  ASSERT_EQ(lost.findings.size(), 1u);
  EXPECT_EQ(lost.findings[0].entry->id, "intel.lost");
}

std::string Headline(std::string_view text) {
  const Diagnosis diagnosis = Explain(text);
  return diagnosis.findings.empty() ? "" : diagnosis.findings.front().answer.headline;
}

TEST(ExplainField, NumbersAreNamed) {
  EXPECT_NE(Headline("NPU function error: aclrtSynchronizeStream, error code is 507054").find("multi-bit"),
            std::string::npos);
  EXPECT_NE(Headline("error code is 561003").find("kernels"), std::string::npos);
  EXPECT_NE(Headline("error code is 507877").find("inner error"),
            std::string::npos);  // not in the list: its first digit
  EXPECT_NE(Headline("EI0014: something").find("HCCL"), std::string::npos);
  EXPECT_NE(Headline("cuBLAS API failed with status 15").find("not there"), std::string::npos);
  EXPECT_NE(Headline("HIP error: invalid device ordinal").find("device"), std::string::npos);
  EXPECT_NE(Headline("hipErrorLaunchOutOfResources").find("registers"), std::string::npos);
  const Diagnosis versions = Explain(
      "kernel reported version is: 470.57.2 does not match DSO version 460.32.3 -- cannot find working devices");
  ASSERT_EQ(versions.findings.size(), 1u);
  ASSERT_EQ(versions.findings[0].answer.facts.size(), 2u);
  EXPECT_EQ(versions.findings[0].answer.facts[0].text, "470.57.2");
  EXPECT_EQ(versions.findings[0].answer.facts[1].text, "460.32.3");
}

// A line of the kernel that only the catalogue of faults knows, among lines of a program; the worst line answers.
TEST(ExplainField, LinesOfTheKernelsLog) {
  const Diagnosis diagnosis =
      Explain("step 1 loss 2.0\n[  12.5] amdgpu 0000:03:00.0: amdgpu: Fatal error during GPU init\nstep 2 loss 1.9\n");
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  const Finding& finding = diagnosis.findings[0];
  EXPECT_EQ(finding.entry->id, "kernel.log_machine");
  EXPECT_EQ(finding.line, 2u);
  ASSERT_FALSE(finding.answer.facts.empty());
  EXPECT_EQ(finding.answer.facts[0].text, "0000:03:00.0");
}

}  // namespace
}  // namespace warpscope::explain
