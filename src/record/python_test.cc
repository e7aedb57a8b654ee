#include "record/python.h"

#include <gtest/gtest.h>

#include "record/cupti_search.h"
#include "record/testing/fake_system.h"

namespace warpscope::record {
namespace {

using testing::FakeSystem;

// /usr/bin/python3 -> python3.12 with packages of the distribution and of the user.
FakeSystem WithSystemPython() {
  FakeSystem system;
  system.variables = {{"PATH", "/usr/bin"}, {"HOME", "/home/me"}};
  system.AddProgram("/usr/bin/python3.12");
  system.links["/usr/bin/python3"] = "/usr/bin/python3.12";
  system.files["/usr/lib/python3/dist-packages/numpy-1.26.4.egg-info"] = "";
  system.files["/home/me/.local/lib/python3.12/site-packages/torch-2.11.0+cu130.dist-info/METADATA"] = "";
  system.files["/home/me/.local/lib/python3.12/site-packages/torch/version.py"] =
      "__version__ = '2.11.0+cu130'\ncuda: Optional[str] = '13.0'\n";
  system.files["/home/me/.local/lib/python3.12/site-packages/nvidia_nccl_cu13-2.27.7.dist-info/METADATA"] = "";
  system.files["/home/me/.local/lib/python3.12/site-packages/requests-2.0.dist-info/METADATA"] = "";
  return system;
}

std::string Names(const std::vector<Package>& packages) {
  std::string names;
  for (const Package& package : packages) names += package.name + "=" + package.version + " ";
  return names;
}

TEST(Python, PackagesOfTheSystemsPython) {
  const FakeSystem system = WithSystemPython();
  const auto python = FindPython(system, {"python3", "train.py"});
  ASSERT_TRUE(python.has_value());
  EXPECT_EQ(python->version, "3.12");
  EXPECT_EQ(Names(PackagesOf(system, *python)), "numpy=1.26.4 nvidia-nccl-cu13=2.27.7 torch=2.11.0+cu130 ");
  EXPECT_EQ(TorchCudaVersion(system, *python), "13.0");
}

TEST(Python, AVirtualEnvironmentHidesTheSystem) {
  FakeSystem system = WithSystemPython();
  system.links["/v/bin/python"] = "/usr/bin/python3.12";
  system.files["/v/pyvenv.cfg"] = "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.12.3\n";
  system.files["/v/lib/python3.12/site-packages/jax-0.6.0.dist-info/METADATA"] = "";
  auto python = FindPython(system, {"/v/bin/python", "x.py"});
  ASSERT_TRUE(python.has_value());
  EXPECT_EQ(python->prefix, "/v");
  EXPECT_EQ(Names(PackagesOf(system, *python)), "jax=0.6.0 ");
  system.files["/v/pyvenv.cfg"] = "home = /usr/bin\ninclude-system-site-packages = true\nversion = 3.12.3\n";
  python = FindPython(system, {"/v/bin/python"});
  EXPECT_EQ(Names(PackagesOf(system, *python)), "jax=0.6.0 numpy=1.26.4 nvidia-nccl-cu13=2.27.7 torch=2.11.0+cu130 ");
}

TEST(Python, IsFoundBehindLaunchersAndScripts) {
  FakeSystem system = WithSystemPython();
  system.AddScript("/usr/bin/torchrun", "#!/usr/bin/python3\nimport torch\n");
  system.AddScript("/home/me/tool", "#!/usr/bin/env -S python3 -u\n");
  system.AddProgram("/usr/bin/numactl");
  system.AddProgram("/usr/bin/bash");
  system.AddProgram("/home/me/solver");
  EXPECT_TRUE(FindPython(system, {"torchrun", "--nproc-per-node", "2", "x.py"}).has_value());
  EXPECT_TRUE(FindPython(system, {"./tool"}).has_value());
  EXPECT_TRUE(FindPython(system, {"numactl", "-N", "0", "python3", "x.py"}).has_value());
  EXPECT_TRUE(FindPython(system, {"bash", "run.sh"}).has_value());
  EXPECT_TRUE(FindPython(system, {}).has_value());
  EXPECT_FALSE(FindPython(system, {"./solver", "python-like.cfg"}).has_value());
  EXPECT_FALSE(FindPython(system, {"nothing"}).has_value());
}

TEST(Python, BehindAShimOfPyenv) {
  FakeSystem system;
  system.variables = {{"PATH", "/py/shims"}};
  system.AddScript("/py/shims/python", "#!/usr/bin/env bash\n");
  system.files["/py/version"] = "3.11.9\n";
  system.AddProgram("/py/versions/3.11.9/bin/python3.11");
  system.links["/py/versions/3.11.9/bin/python"] = "/py/versions/3.11.9/bin/python3.11";
  system.files["/py/versions/3.11.9/lib/python3.11/site-packages/triton-3.6.0.dist-info/METADATA"] = "";
  const auto python = FindPython(system, {"python", "x.py"});
  ASSERT_TRUE(python.has_value());
  EXPECT_EQ(Names(PackagesOf(system, *python)), "triton=3.6.0 ");
}

TEST(CuptiSearch, FollowsTheOrderOfTheAgent) {
  FakeSystem system;
  system.files["/a/libcupti.so.12"] = "";
  system.files["/usr/local/cuda/lib64/libcupti.so.13"] = "";
  EXPECT_EQ(SearchCupti(system, std::nullopt, 13).chosen->path, "/usr/local/cuda/lib64/libcupti.so.13");
  // Not newer than the driver.
  EXPECT_FALSE(SearchCupti(system, std::nullopt, 12).chosen.has_value());
  system.variables["LD_LIBRARY_PATH"] = "/x:/a";
  EXPECT_EQ(SearchCupti(system, std::nullopt, 12).chosen->path, "/a/libcupti.so.12");
  EXPECT_EQ(SearchCupti(system, std::nullopt, 13).chosen->path, "/usr/local/cuda/lib64/libcupti.so.13");
  EXPECT_EQ(SearchCupti(system, std::nullopt, 13).candidates.size(), 2U);
  system.variables["WARPSCOPE_CUPTI"] = "/a/libcupti.so.12";
  EXPECT_EQ(SearchCupti(system, std::nullopt, 13).chosen_major, 12U);
}

TEST(CuptiSearch, PyTorchLoadsItsOwn) {
  FakeSystem system = WithSystemPython();
  system.files["/usr/local/cuda/lib64/libcupti.so.12"] = "";
  const std::string own = "/home/me/.local/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13";
  system.files[own] = "";
  const auto python = FindPython(system, {"python3"});
  const CuptiSearch search = SearchCupti(system, python, 13);
  ASSERT_TRUE(search.chosen.has_value());
  EXPECT_EQ(search.chosen->path, own);
  EXPECT_EQ(search.chosen_major, 13U);
  EXPECT_EQ(search.candidates.size(), 2U);
}

TEST(CuptiSearch, MajorVersions) {
  EXPECT_EQ(CudaMajorOf("libcupti.so.12"), 12U);
  EXPECT_EQ(CudaMajorOf("libcupti.so.11.8"), 11U);
  EXPECT_EQ(CudaMajorOf("libcupti.so.2025.3.1"), 13U);
  EXPECT_EQ(CudaMajorOf("libcupti.so.2024.1.0"), 12U);
  EXPECT_EQ(CudaMajorOf("libcupti.so.2022.3.0"), 11U);
  EXPECT_FALSE(CudaMajorOf("libcupti.so").has_value());
}

TEST(CuptiSearch, TheLoadersCache) {
  const auto number = [](uint32_t value) { return std::string(reinterpret_cast<const char*>(&value), 4); };
  std::string cache = "an older table glibc-ld.so.cache1.1" + number(1) + number(100) + std::string(20, '\0');
  const uint32_t names = 48 + 24;
  cache += number(1) + number(names) + number(names + 17) + std::string(12, '\0');
  cache += std::string("libcupti.so.13\0\0\0/opt/libcupti.so.13\0", 17 + 20);
  const auto entries = ReadLoaderCache(cache);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].first, "libcupti.so.13");
  EXPECT_EQ(entries[0].second, "/opt/libcupti.so.13");
  for (size_t bytes = 0; bytes < cache.size(); ++bytes) ReadLoaderCache(cache.substr(0, bytes));
  FakeSystem system;
  system.files["/etc/ld.so.cache"] = cache;
  system.files["/opt/libcupti.so.13"] = "";
  EXPECT_EQ(SearchCupti(system, std::nullopt, 0).chosen->place, "loader cache");
}

TEST(Toolkits, EachOnceWithItsVersion) {
  FakeSystem system;
  system.files["/usr/local/cuda-13.0/version.json"] = R"({ "cuda" : { "name" : "CUDA SDK", "version" : "13.0.1" } })";
  system.files["/usr/local/cuda-12.4/bin/nvcc"] = "";
  system.links["/usr/local/cuda"] = "/usr/local/cuda-13.0";
  const auto toolkits = FindToolkits(system);
  ASSERT_EQ(toolkits.size(), 2U);
  EXPECT_EQ(toolkits[0].version, "12.4");
  EXPECT_EQ(toolkits[1].folder, "/usr/local/cuda-13.0");
  EXPECT_EQ(toolkits[1].version, "13.0.1");
}

}  // namespace
}  // namespace warpscope::record
