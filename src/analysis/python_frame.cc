// Python frames: taking their names apart, and telling the user's own files from installed ones.
#include <algorithm>
#include <array>
#include <charconv>

#include "analysis/host_label.h"

namespace warpscope::analysis {
namespace {

// The recorder cuts paths at the interpreter's search folders, so an installed package shows up as "numpy/core/..."
// and a standard module as "threading.py". First path components that are never the user's own; sorted.
constexpr std::string_view kLibraryRoots[] = {
    "PIL",
    "_bootlocale",
    "_collections_abc",
    "_weakrefset",
    "abc",
    "accelerate",
    "aiohttp",
    "albumentations",
    "apex",
    "argparse",
    "ast",
    "asyncio",
    "base64",
    "bisect",
    "bitsandbytes",
    "bz2",
    "collections",
    "concurrent",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "csv",
    "ctypes",
    "cuda",
    "cupy",
    "cv2",
    "dask",
    "dataclasses",
    "datasets",
    "datetime",
    "deepspeed",
    "diffusers",
    "dis",
    "dynamo",
    "einops",
    "encodings",
    "enum",
    "fastapi",
    "flash_attn",
    "flashinfer",
    "flax",
    "fnmatch",
    "fractions",
    "fsspec",
    "functools",
    "gc",
    "genericpath",
    "glob",
    "gzip",
    "h5py",
    "hashlib",
    "heapq",
    "huggingface_hub",
    "imageio",
    "importlib",
    "inspect",
    "io",
    "ipykernel",
    "jax",
    "joblib",
    "json",
    "keras",
    "kornia",
    "librosa",
    "lightning",
    "lightning_fabric",
    "linecache",
    "lmdb",
    "locale",
    "logging",
    "lzma",
    "matplotlib",
    "megatron",
    "mmap",
    "monai",
    "mpi4py",
    "multiprocessing",
    "nltk",
    "numba",
    "numbers",
    "numpy",
    "omegaconf",
    "onnx",
    "onnxruntime",
    "opcode",
    "operator",
    "optree",
    "os",
    "pandas",
    "pathlib",
    "peft",
    "pickle",
    "pkgutil",
    "platform",
    "posixpath",
    "psutil",
    "pyarrow",
    "pydantic",
    "pytorch_lightning",
    "queue",
    "random",
    "ray",
    "re",
    "requests",
    "runpy",
    "safetensors",
    "scipy",
    "selectors",
    "sentencepiece",
    "sgl_kernel",
    "sglang",
    "shutil",
    "signal",
    "skimage",
    "sklearn",
    "socket",
    "soundfile",
    "sre_compile",
    "sre_parse",
    "starlette",
    "stat",
    "statistics",
    "string",
    "struct",
    "subprocess",
    "sympy",
    "tarfile",
    "tempfile",
    "tensorboard",
    "tensorflow",
    "textwrap",
    "threading",
    "timeit",
    "timm",
    "tokenize",
    "tokenizers",
    "torch",
    "torchaudio",
    "torchdata",
    "torchgen",
    "torchmetrics",
    "torchrec",
    "torchtext",
    "torchvision",
    "tqdm",
    "traceback",
    "transformer_engine",
    "transformers",
    "triton",
    "trl",
    "types",
    "typing",
    "typing_extensions",
    "unittest",
    "urllib",
    "uuid",
    "uvicorn",
    "vllm",
    "wandb",
    "warnings",
    "weakref",
    "webdataset",
    "xformers",
    "yaml",
    "zipfile",
    "zlib",
};

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

std::string_view FirstComponent(std::string_view path) {
  const size_t slash = path.find('/');
  if (slash != std::string_view::npos) return path.substr(0, slash);
  return path.size() > 3 && path.substr(path.size() - 3) == ".py" ? path.substr(0, path.size() - 3) : path;
}

}  // namespace

bool IsLibraryPath(std::string_view path) {
  if (path.empty() || path.front() == '<') return true;
  for (const std::string_view part : {"site-packages", "dist-packages", "/lib/python", "/lib64/python",
                                      "/_torchinductor", "/torchinductor_", "torch_inductor", "\\Lib\\"}) {
    if (Has(path, part)) return true;
  }
  if (path.front() == '/' || path.front() == '.') return false;
  return std::binary_search(std::begin(kLibraryRoots), std::end(kLibraryRoots), FirstComponent(path));
}

PythonFrame ParsePythonFrame(std::string_view name) {
  PythonFrame frame;
  const size_t close = name.rfind("): ");
  const size_t open = close == std::string_view::npos ? close : name.rfind('(', close);
  if (open == std::string_view::npos) {
    frame.file = name;
    return frame;
  }
  const std::string_view digits = name.substr(open + 1, close - open - 1);
  uint32_t line = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    frame.file = name;
    return frame;
  }
  frame.file = name.substr(0, open);
  frame.line = line;
  frame.function = name.substr(close + 3);
  return frame;
}

std::string FoldDigits(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (size_t i = 0; i < name.size(); ++i) {
    const bool digit = name[i] >= '0' && name[i] <= '9';
    if (!digit) {
      out += name[i];
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

}  // namespace warpscope::analysis
