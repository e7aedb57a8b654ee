// Texts as users meet them, from public issue trackers and the projects' sources, and harmless ones with the same
// words.
#include <gtest/gtest.h>

#include "explain/explain.h"

namespace warpscope::explain {
namespace {

struct Text {
  const char* text;
  const char* id;
};

constexpr Text kTexts[] = {
    {"RuntimeError: Unable to find a valid cuDNN algorithm to run convolution", "library.cudnn_engine"},
    {"RuntimeError: GET was unable to find an engine to execute this computation", "library.cudnn_engine"},
    {"RuntimeError: FIND was unable to find an engine to execute this computation", "library.cudnn_engine"},
    {"Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file "
     "or directory",
     "library.cudnn_load"},
    {"Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9, libcudnn_ops.so}",
     "library.cudnn_load"},
    {"Invalid handle. Cannot load symbol cudnnCreateTensorDescriptor", "library.cudnn_load"},
    {"NCCL WARN Error while creating shared memory segment /dev/shm/nccl-abc (size 9637888)", "nccl.shm"},
    {"NCCL WARN Call to ibv_modify_qp failed with error Connection timed out", "nccl.ib_connect"},
    {"net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer 192.168.3.5<53908> with status=12 opcode=129 "
     "len=1048576 "
     "vendor err 129 (Recv)",
     "nccl.ib_completion"},
    {"NCCL WARN NET/IB : Got completion from peer 10.0.0.2<4791> with error 12, opcode 0, len 0, vendor err 129",
     "nccl.ib_completion"},
    {"init.cc:1256 NCCL WARN Your program may be hanging, this may be caused by a collective mismatch around rank 1.",
     "nccl.mismatch"},
    {"torch.AcceleratorError: HIP error: invalid argument", "amd.invalid_value"},
    {"Out of memory in cuStreamCreate(&cuda_stream_, CU_STREAM_NON_BLOCKING) (cycles\\device\\cuda\\queue.cpp:21)",
     "memory.cuda"},
    {"numba.cuda.cudadrv.driver.CudaAPIError: [700] Call to cuMemcpyDtoH results in UNKNOWN_CUDA_ERROR", "cuda.700"},
    {"CUDA error: Launch exceeded timeout in cuCtxSynchronize", "cuda.702"},
    {"NotImplementedError: No compiled cutlass_scaled_mm for CUDA device capability: 120", "train.kernel_missing"},
    {"Exception: Capture cuda graph failed: [pair.cc:534] Connection closed by peer", "train.graph_capture"},
    {"Optix call (optixInit()) failed with code OPTIX_ERROR_UNSUPPORTED_ABI_VERSION (line 574)", "video.optix_abi"},
    {"Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401 'the operation cannot be "
     "performed in the present state'.",
     "nccl.nvls"},
    {"gpu46:78367:78492 [0] transport/nvls.cc:244 NCCL WARN Cuda failure 1 'invalid argument'", "nccl.nvls"},
    {"NCCL WARN cuMem: Failed to import shareable handle from 0", "nccl.fabric_handle"},
    {"ncclInvalidArgument: Invalid value for an argument.", "nccl.argument"},
    {"RuntimeError: Tensors must be CUDA and dense", "train.nccl_cpu_tensor"},
    {"ValueError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!", "setup.cuda_unavailable"},
    {"RuntimeError: No executable batch size found, reached zero.", "train.batch_zero"},
    {"NCCL WARN socketStartConnect: Connect to 10.0.0.1<39000> failed : Connection refused", "nccl.connect"},
    {"RuntimeError: [2] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store "
     "by key '0', but store->get('0') got error: Connection reset by peer",
     "dist.connect"},
    {"torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:", "compile.backend"},
    {"torch._dynamo hit config.recompile_limit (8)", "compile.recompiles"},
    {"skipping cudagraphs due to mutated inputs", "compile.cudagraph_skip"},
    {"torch._inductor.exc.InductorError: CalledProcessError: Command '['/usr/bin/gcc', '/tmp/tmpabc/main.c', '-O3', "
     "'-shared', '-fPIC', '-lcuda']' returned non-zero exit status 1.",
     "compile.compiler"},
    {"fatal error: Python.h: No such file or directory", "compile.python_h"},
    {"RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}", "engine.core"},
    {"tensorflow/core/framework/op_kernel.cc: UNIMPLEMENTED: DNN library is not found.", "library.cudnn_init"},
    {"llama_model_load: error loading model: unable to allocate CUDA0 buffer", "memory.llama"},
    {"level=WARN source=gpu.go msg=\"unable to load cudart library\"", "package.ollama"},
    {"Model loading failed: error: model requires more system memory (12.3 GiB) than is available (7.9 GiB)",
     "memory.ollama_host"},
    {"RuntimeError: \"addmm_impl_cpu_\" not implemented for 'Half'", "compile.half_cpu"},
    {"RuntimeError: DataLoader worker (pid 1234) is killed by signal: Killed.", "data.worker_signal"},
    {"RuntimeError: DataLoader worker (pid(s) 1234) exited unexpectedly", "data.worker_exit"},
    {"RuntimeError: unable to open shared memory object </torch_123> in read-write mode: Too many open files (24)",
     "data.open_files"},
    {"RuntimeError: Pin memory thread exited unexpectedly", "data.worker_exit"},
    {"nvidia-container-cli: ldcache error: process /sbin/ldconfig failed with error code: 1", "container.ldcache"},
    {"ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.32' not found", "compile.glibcxx"},
    {"ImportError: libGL.so.1: cannot open shared object file", "compile.libgl"},
    {"Native API failed. Native API returns: -997 (PI_ERROR_PLUGIN_SPECIFIC_ERROR)", "intel.native"},
    {"RuntimeError: ACL stream synchronize failed, error code:507011", "ascend.aicore"},
    {"RuntimeError: HCCL error: EI0006 Getting socket times out", "ascend.connect"},
    {"numba.cuda.cudadrv.error.CudaSupportError: Error at driver init: CUDA driver library cannot be found.",
     "setup.no_driver_numba"},
    {"[TRT] [E] 1: [stdArchiveReader.cpp::StdArchiveReader::35] Error Code 1: Serialization (Serialization assertion "
     "stdVersionRead == serializationVersion failed.Version tag does not match.",
     "compile.tensorrt_engine"},
    {"[TRT] [E] 2: [virtualMemoryBuffer.cpp::resizePhysical::140] Error Code 2: OutOfMemory (no further information)",
     "compile.tensorrt_memory"},
    {"[TRT-LLM] [E] RuntimeError: Executor worker died during initialization", "engine.core"},
    {"ValueError: Attempting to unscale FP16 gradients.", "compile.unscale"},
    {"RuntimeError: Error compiling objects for extension", "compile.extension"},
    {"Bus error (core dumped)", "crash.bus"},
    {"Segmentation fault (core dumped)", "crash.segfault"},
    {"torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory) Currently allocated "
     ": 7.20 GiB Requested : 1.25 GiB Device limit : 8.00 GiB Free (according to CUDA): 0 bytes PyTorch limit (set by "
     "user-supplied memory fraction) : 17179869184.00 GiB",
     "memory.torch_async"},
    {"CUDA call failed lazily at initialization with error: device >= 0 && device < num_gpus INTERNAL ASSERT FAILED",
     "cuda.101"},
    {"AssertionError: Invalid device id", "cuda.101"},
    {"RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable", "cuda.46"},
    {"UserWarning: Can't initialize NVML", "install.nvml_init"},
    {"pynvml.NVMLError_DriverNotLoaded: Driver Not Loaded", "install.driver_not_loaded"},
    {"WARNING: infoROM is corrupted at gpu 0000:3B:00.0", "install.inforom"},
    {"Failed to initialize NVML: N/A", "install.nvml_init"},
    {"Unable to load the kernel module 'nvidia.ko'.", "install.module_build"},
    {"ERROR: An NVIDIA kernel module 'nvidia-drm' appears to already be loaded in your kernel.",
     "install.module_loaded"},
    {"ERROR: The Nouveau kernel driver is currently in use by your system.", "install.nouveau"},
    {"cudaGetDeviceCount() failed. Status: CUDA driver is a stub library", "install.stub"},
    {"W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'cudnn64_8.dll'; "
     "dlerror: cudnn64_8.dll not found",
     "setup.cudnn_missing_dll"},
    {"Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been "
     "registered",
     "train.tf_remarks"},
    {"This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.",
     "train.tf_remarks"},
    {"successful NUMA node read from SysFS had negative value (-1), but there must be at least one NUMA node",
     "train.tf_remarks"},
    {"CUDA backend failed to initialize: Found cuDNN version 8700, but JAX was built against version 8906, which is "
     "newer.",
     "train.jax_cudnn"},
    {"Failed to find libdevice.10.bc", "train.libdevice"},
    {"No module named 'triton'", "train.triton_missing"},
    {"RuntimeError: Expected is_sm90 || is_sm8x || is_sm75 to be true, but got false.", "train.flash_capability"},
    {"RuntimeError: No available kernel. Aborting execution.", "train.sdpa_kernel"},
    {"ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, "
     "but not set",
     "train.env_rendezvous"},
    {"RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.",
     "train.unused_parameters"},
    {"RuntimeError: Gloo connectFullMesh failed with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error",
     "train.gloo"},
    {"RuntimeError: Default process group has not been initialized, please make sure to call init_process_group.",
     "train.no_group"},
    {"vllm.engine.async_llm_engine.AsyncEngineDeadError: Task finished unexpectedly.", "train.engine_dead"},
    {"ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8).", "train.heads"},
    {"ValueError: torch.cuda.is_available() should be True but is False. xformers' memory_efficient_attention is only "
     "available for GPU",
     "setup.cuda_unavailable"},
    {"ggml_cuda_compute_forward: MUL_MAT failed", "train.engine_dead"},
    {"error: llama runner process has terminated: exit status 2", "train.engine_dead"},
    {"ComfyUI: torch.cuda.OutOfMemoryError: Allocation on device", "memory.torch_async"},
    {"Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable to disable this check",
     "install.webui_torch"},
    {"modules.devices.NansException: A tensor with all NaNs was produced in VAE.", "train.nan_vae"},
    {"ERROR: Could not find a version that satisfies the requirement torch==2.0.0+cu117", "install.no_wheel"},
    {"OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed. Error loading \"c10.dll\"",
     "install.dll_init"},
    {"OSError: [WinError 1455] The paging file is too small for this operation to complete. Error loading "
     "\"cudnn_cnn_train64_8.dll\"",
     "install.paging_file"},
    {"docker: Error response from daemon: OCI runtime create failed: container_linux.go:380: starting container "
     "process caused: process_linux.go:545: container init caused: Running hook #0:: error running hook: exit status "
     "1, stdout: , stderr: nvidia-container-cli: initialization error: WSL environment detected but no adapters were "
     "found: unknown.",
     "container.wsl_adapter"},
    {"Error: failed to start containers: could not find nvidia-container-runtime-hook", "container.hook_missing"},
    {"UnexpectedAdmissionError: Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. "
     "Requested: 1, Available: 0",
     "container.k8s_admission"},
    {"OOMKilled", "memory.host_kill"},
    {"exit code 137", "memory.host_kill"},
    {"Application has been blocked from accessing Graphics hardware.", "video.blocked_app"},
    {"WebGL: CONTEXT_LOST_WEBGL: loseContext: context lost", "video.webgl_lost"},
    {"[GPU] ContextResult::kFatalFailure: Failed to create shared context for virtualization.", "video.gl_driver"},
    {"MESA: error: ZINK: failed to choose pdev", "video.gl_driver"},
    {"libGL error: failed to load driver: nvidia-drm", "video.gl_driver"},
    {"libEGL warning: MESA-LOADER: failed to open nvidia-drm", "video.gl_driver"},
    {"vulkaninfo: ERROR: [Loader Message] Code 0 : vkCreateInstance: Found no drivers!", "video.vulkan_none"},
    {"NVENC: OpenEncodeSessionEx failed: out of memory (10): (no details)", "video.nvenc_sessions"},
    {"OpenEncodeSessionEx failed: unsupported device (2): (no details)", "video.nvenc_support"},
    {"Cannot load nvcuda.dll", "video.cuvid"},
    {"[h264_nvenc @ 0x55] Driver does not support the required nvenc API version. Required: 12.1 Found: 12.0",
     "video.nvenc_support"},
    {"Device creation failed: -542398533. No device available for decoder: device type cuda needed for codec "
     "h264_cuvid.",
     "video.cuvid"},
    {"CUPTI initialization failed - CUDA profiler activities will be missing", "setup.counters"},
    {"MIOpen(HIP): Error [Compile] 'hiprtcCompileProgram(prog.get(), c_options.size(), c_options.data())'",
     "amd.miopen"},
    {"RuntimeError: miopenStatusUnknownError", "amd.miopen"},
};

TEST(ExplainTexts, AreRecognised) {
  for (const Text& one : kTexts) {
    const Diagnosis diagnosis = Explain(one.text);
    ASSERT_FALSE(diagnosis.findings.empty()) << one.text;
    EXPECT_EQ(diagnosis.findings.front().entry->id, one.id) << one.text;
  }
}

constexpr const char* kHarmless[] = {
    "INFO: CUDA available: True, device count: 8",
    "The model fits in GPU memory; no out of memory expected.",
    "Using torch.cuda.amp to avoid CUDA out of memory on small cards.",
    "If you see CUDA out of memory, reduce --batch-size.",
    "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to reduce fragmentation",
    "NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>",
    "NCCL INFO NET/IB : No device found.",
    "NCCL INFO comm 0x55 rank 0 nranks 8 cudaDev 0 busId 1b000 - Init COMPLETE",
    "NCCL INFO Channel 00/08 : 0 1 2 3 4 5 6 7",
    "NCCL version 2.21.5+cuda12.4",
    "[rank0]: destroying process group",
    "Watchdog enabled with timeout 600s",
    "flash attention is enabled",
    "Compiling extension with ninja... done",
    "bitsandbytes 0.45 loaded, CUDA 12.4",
    "xformers version: 0.0.28, memory efficient attention available",
    "driver version 550.54.15, CUDA version 12.4",
    "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-abc)",
    "No errors detected on the device.",
    "ECC errors: 0 uncorrectable, 0 corrected",
    "Loaded cuDNN version 8902",
    "Loading library libcudart.so.12 ... ok",
    "dso_loader.cc:53] Successfully opened dynamic library libcudart.so.11.0",
    "kernel launch took 12 us",
    "shared memory per block: 49152 bytes, limit 101376",
    "Triton autotuner chose BLOCK_M=128, num_stages=3",
    "torch.compile warmup done in 35.2 s",
    "JAX devices: [CudaDevice(id=0)]",
    "tensorflow: Created device /job:localhost/replica:0/task:0/device:GPU:0 with 38000 MB memory",
    "Docker container started with --gpus all",
    "nvidia-container-toolkit version 1.14.3",
    "kubectl get nodes: nvidia.com/gpu: 8",
    "Quota for NVIDIA_H100_GPUS in us-central1: 16, used 8",
    "The display driver was updated to 551.23",
    "Timeout set to 30 minutes for barrier",
    "worker 3 exited normally",
    "process 1234 finished with exit code 0",
    "Killed 3 stale sessions, 0 errors",
    "Segmentation of the image: 12 segments found",
    "segmentation fault tolerance is a feature of this model",
    "Address already registered in the store: 10.0.0.1",
    "compute capability 9.0 detected",
    "test_cuda_error_handling PASSED",
    "test_out_of_memory_is_reported PASSED [ 34%]",
    "def test_cublas_not_initialized(): pass",
    "assert err != CUDA_ERROR_OUT_OF_MEMORY",
    "handles RuntimeError: CUDA error gracefully",
    "fixed: illegal memory access in fused kernel (#1234)",
    "- Fix \"no kernel image is available for execution on the device\" on sm_120",
    "See https://pytorch.org/docs/stable/notes/cuda.html#out-of-memory",
    "loss is nan-safe; probability tensor validated",
    "half precision training enabled",
    "File size 137 bytes",
    "step 137: loss 2.3 exit code 0",
    "epoch 700 error 0.43",
    "error 802 lines in dataset skipped",
    "Downloaded 999 files, 0 errors",
    "Too many open questions remain in section 4",
    "the bus error rate of the link is 1e-12",
    "Ring topology selected, timeout none",
    "host memory 512 GiB, free 400 GiB",
    "Memory usage: allocated 12.3 GiB, reserved 14.0 GiB",
    "CUDA graphs captured: 35 shapes, out of 35",
    "Python.h found at /usr/include/python3.10",
    "version `GLIBCXX_3.4.32' found",
    "Found no missing keys in checkpoint",
    "No module named tests were collected",
    "Device 0 memory bandwidth test: PASS",
    "ollama: runner started, llama runner process ready",
    "vLLM engine core initialized in 23 s",
    "WebGL context created",
    "NVENC session opened: h264 1080p60",
    "OpenEncodeSessionEx succeeded",
    "Vulkan instance created, 1 driver found",
    "Display 4101 connected",
    "Event 153: user logged in",
    "Code 43 reviewed and merged",
    "RAS: 0 correctable errors in umc block",
    "UR_RESULT_SUCCESS",
    "aclrtSynchronizeStream returned 0",
    "OOMKilled: false",
    "Launch failed in customer demo, rescheduled",
    "Out of memory in customer reports is tracked in ticket 7",
    "Illegal address in customer record 7: street missing",
    "NET/IB: Got completion queue of size 128",
    "Captured CUDA graph for batch size 16",
    "Batch size found: 64",
    "NVLS multicast support is available on dev 0",
};

TEST(ExplainTexts, HarmlessOnesAreUnknown) {
  for (const char* text : kHarmless) {
    const Diagnosis diagnosis = Explain(text);
    EXPECT_TRUE(diagnosis.findings.empty()) << text << ": " << diagnosis.findings.front().entry->id;
  }
}

// A flushed request only follows from the failure, so that the other status tells.
TEST(ExplainTexts, StatusOfACompletion) {
  const Diagnosis diagnosis = Explain(
      "NCCL WARN NET/IB: Got completion from peer 10.0.0.3<46> with status=5 opcode=1 len=0 vendor err 249 (Recv)\n"
      "NCCL WARN NET/IB: Got completion from peer 10.0.0.3<46> with status=13 opcode=1 len=0 vendor err 135 (Send)\n");
  ASSERT_FALSE(diagnosis.findings.empty());
  const Answer& answer = diagnosis.findings.front().answer;
  ASSERT_FALSE(answer.facts.empty());
  EXPECT_EQ(answer.facts.front().text, "13 IBV_WC_RNR_RETRY_EXC_ERR");
  EXPECT_NE(answer.headline.find("no buffer"), std::string::npos);
}

TEST(ExplainTexts, NumbersAreWorkedOut) {
  const auto headline = [](std::string_view text) { return Explain(text).findings.front().answer.headline; };
  EXPECT_NE(headline("RESOURCE_EXHAUSTED: Out of memory allocating 17179869184 bytes.").find("16.00 GiB"),
            std::string::npos);
  EXPECT_NE(headline("attention heads (28) must be divisible by tensor parallel size (8).").find("1, 2, 4, 7"),
            std::string::npos);
  EXPECT_NE(
      headline("Allocation on device 0 would exceed allowed memory. (out of memory) Currently allocated : 7.20 GiB "
               "Requested : 1.25 GiB Device limit : 8.00 GiB")
          .find("1.25 GiB asked for on top of 7.20 GiB"),
      std::string::npos);
  EXPECT_NE(headline("DataLoader worker (pid 7) is killed by signal: Bus error.").find("/dev/shm"), std::string::npos);
  EXPECT_EQ(headline("Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open"),
            "The loader does not find libcudart.so.11.0.");
}

}  // namespace
}  // namespace warpscope::explain
