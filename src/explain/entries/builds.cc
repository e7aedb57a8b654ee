// Building CUDA code and packages with compiled parts.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr Entry kEntries[] = {
    {"build.nvcc", "No CUDA compiler is found",
     "nvcc: command not found\nnvcc: not found\n'nvcc' is not recognized\n/bin/nvcc: No such file or directory\nFailed "
     "to find nvcc\nNo CMAKE_CUDA_COMPILER could be found\nCould NOT find CUDAToolkit\nCould NOT find CUDA (missing: "
     "CUDA_TOOLKIT_ROOT_DIR\nCUDA_TOOLKIT_ROOT_DIR not found or specified\nMissingCUDAException\nCUDA_HOME does not "
     "exist, unable to compile CUDA op\nThe CUDA compiler identification is unknown",
     Role::kRoot, "toolkit",
     "The toolkit (nvcc, headers) is needed to build; wheels run without it. nvidia-smi's \"CUDA Version\" is only "
     "what the driver supports.",
     "The toolkit is not installed, or its bin folder is not on PATH.",
     "Is one there? $ ls -d /usr/local/cuda*; which nvcc; echo $CUDA_HOME",
     "Name it: export PATH=/usr/local/cuda/bin:$PATH CUDA_HOME=/usr/local/cuda.\nNot installed: the toolkit of the "
     "framework's CUDA (conda install -c nvidia cuda-toolkit), or a ready-made wheel.",
     "", "NVIDIA, CUDA installation guide"},
    {"build.msvc", "The host compiler on Windows does not fit",
     "nvcc fatal : Cannot find compiler 'cl.exe' in PATH\nCannot find compiler 'cl.exe' in PATH\nunsupported Microsoft "
     "Visual Studio version\nError checking compiler version for cl\nMicrosoft Visual C++ 14.0 or greater is "
     "required\nNo CUDA toolset found\nHost compiler targets unsupported OS",
     Role::kRoot, "host_compiler", "nvcc needs Visual Studio's compiler of a version that it knows.",
     "The shell is not a \"x64 Native Tools\" prompt, or Visual Studio is newer than this CUDA.",
     "Which? $ where cl; nvcc --version",
     "Open the \"x64 Native Tools Command Prompt for VS 2022\"; install the C++ build tools.\nToo new: a newer CUDA, "
     "or the older toolset (-vcvars_ver=14.3x). No CUDA toolset: install Visual Studio first, then CUDA again.",
     "Do not use -allow-unsupported-compiler for a build that matters.", "NVIDIA, CUDA installation guide for Windows"},
    {"build.arch_list", "The build does not know for which GPU",
     "CMAKE_CUDA_ARCHITECTURES must be non-empty if set\nCUDA_ARCHITECTURES is empty for "
     "target\nCMAKE_CUDA_ARCHITECTURES:{*}is not one of the following\nUnknown CUDA arch ({w}) or GPU not "
     "supported\nValueError: Unknown CUDA arch\nTORCH_CUDA_ARCH_LIST is not set, all archs for visible cards are "
     "included",
     Role::kRoot, "arch_list",
     "CMake or PyTorch asks for the compute capabilities; with an old CMake or no GPU on the build machine none is "
     "found.",
     "The toolkit is older than the GPU, CMake is older than the toolkit, or the list is wrong. \"is not set, all "
     "archs\" alone is a remark.",
     "What does the GPU need? $ nvidia-smi --query-gpu=name,compute_cap --format=csv; nvcc --list-gpu-arch; cmake "
     "--version",
     "-DCMAKE_CUDA_ARCHITECTURES=89 or TORCH_CUDA_ARCH_LIST=\"8.9\" with your GPU's number; a newer CMake.", "",
     "CMake, CUDA_ARCHITECTURES; PyTorch, cpp_extension"},
    {"build.missing_intrinsic", "CUDA code uses what this architecture or toolkit lacks",
     "identifier \"__h{w}\" is undefined\nidentifier \"__nv_{w}\" is undefined\nidentifier \"__ldg\" is undefined\nno "
     "instance of overloaded function \"atomicAdd\" matches\nno operator \"{w}\" matches these "
     "operands{*}__half\nerror: calling a __host__ function{*}from a __device__ function\nerror: calling a __host__ "
     "function",
     Role::kRoot, "compile",
     "Half precision, atomics and others exist from a certain compute capability on; the code is compiled for an older "
     "one.",
     "-arch is too low (half: 5.3, bf16 atomics: 8.0, double atomicAdd: 6.0), or __CUDA_NO_HALF_OPERATORS__ is "
     "defined.",
     "For which architectures? $ nvcc ... -v 2>&1 | grep -o \"arch=compute_[0-9]*\" | sort -u",
     "Raise -arch or TORCH_CUDA_ARCH_LIST to the GPU's; undefine the macro.", "", "CUDA C++ programming guide"},
    {"build.torchvision_op", "torchvision or xFormers lacks its compiled part",
     "operator torchvision::nms does not exist\ntorchvision::nms does not exist\nCouldn't load custom C++ ops\nNeed to "
     "compile C++ extensions to use all xFormers features\nFailed to load image Python extension\nlibc10_cuda.so: "
     "cannot open shared object file\nlibc10.so: cannot open shared object file\nlibtorch_cuda.so: cannot open shared "
     "object file\nlibtorch_cuda_cu.so: undefined symbol",
     Role::kRoot, "packages", "The package was built for another PyTorch: its library does not load.",
     "One of the packages was updated alone, or one is from another index (CPU and CUDA mixed).",
     "Versions? $ pip list | grep -iE \"^torch|xformers\"",
     "Install torch, torchvision, torchaudio and xformers in one command from one index.", "",
     "PyTorch, previous versions"},
    {"build.linalg", "A solver found a matrix that it cannot solve",
     "LinAlgError: linalg.{w}\nlinalg.{w} The algorithm failed to converge\nlinalg.{w} The factorization could not be "
     "completed\nlinalg.{w} The diagonal element {n} is zero\nThe input matrix is singular\ncholesky_cuda: U({n},{n}) "
     "is zero",
     Role::kRoot, "numbers", "This is about the values: singular, not positive definite, or NaN. The GPU works.",
     "NaN or infinite values before it, or a matrix without enough regularisation.",
     "Finite? $ python: torch.isfinite(x).all()", "Correct the NaN; add a small value to the diagonal; float64.", "",
     "PyTorch, torch.linalg"},
};

}  // namespace

extern const std::span<const Entry> kBuilds;
const std::span<const Entry> kBuilds = kEntries;

}  // namespace warpscope::explain
