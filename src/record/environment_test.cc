#include "record/environment.h"

#include <gtest/gtest.h>

#include <map>

#include "record/testing/fake_system.h"

namespace warpscope::record {
namespace {

using testing::FakeSystem;

std::map<std::string, std::string> ByName(const std::vector<EnvironmentFact>& facts) {
  std::map<std::string, std::string> by_name;
  for (const EnvironmentFact& fact : facts) {
    EXPECT_FALSE(fact.value.empty()) << fact.name;
    EXPECT_TRUE(by_name.try_emplace(fact.name, fact.value).second) << fact.name << " is told twice";
  }
  return by_name;
}

TEST(Environment, AlwaysTellsTheCommandFirst) {
  FakeSystem system;
  const auto facts = CollectEnvironment(system, {"prog", "--token", "abc"}, nullptr);
  ASSERT_FALSE(facts.empty());
  EXPECT_EQ(facts[0].name, "command");
  EXPECT_EQ(facts[0].value, "prog --token ***");
}

TEST(Environment, Machine) {
  FakeSystem system;
  system.files["/proc/cpuinfo"] =
      "processor\t: 0\nmodel name\t: Fast CPU\nphysical id\t: 0\ncore id\t: 0\nflags\t: fpu hypervisor avx\n\n"
      "processor\t: 1\nmodel name\t: Fast CPU\nphysical id\t: 0\ncore id\t: 0\n\n"
      "processor\t: 2\nmodel name\t: Fast CPU\nphysical id\t: 1\ncore id\t: 0\n";
  system.files["/proc/meminfo"] = "MemTotal:       1048576 kB\nMemFree: 1 kB\n";
  system.files["/proc/sys/kernel/osrelease"] = "6.18.5\n";
  system.files["/etc/os-release"] = "NAME=x\nPRETTY_NAME=\"Some Linux 1\"\n";
  system.files["/sys/class/dmi/id/sys_vendor"] = "QEMU\n";
  system.files["/sys/devices/system/node/node0/cpulist"] = "0-1";
  system.files["/sys/devices/system/node/node1/cpulist"] = "2";
  system.files["/sys/devices/system/node/possible"] = "0-1";
  system.files["/sys/devices/system/clocksource/clocksource0/current_clocksource"] = "tsc\n";
  system.files["/sys/kernel/mm/transparent_hugepage/enabled"] = "always [madvise] never\n";
  const auto facts = ByName(CollectEnvironment(system, {}, nullptr));
  EXPECT_EQ(facts.at("cpu"), "Fast CPU");
  EXPECT_EQ(facts.at("cpu_threads"), "3");
  EXPECT_EQ(facts.at("cpu_cores"), "2");
  EXPECT_EQ(facts.at("cpu_sockets"), "2");
  EXPECT_EQ(facts.at("numa_nodes"), "2");
  EXPECT_EQ(facts.at("virtual_machine"), "QEMU");
  EXPECT_EQ(facts.at("kernel"), "Linux 6.18.5");
  EXPECT_EQ(facts.at("operating_system"), "Some Linux 1");
  EXPECT_EQ(facts.at("memory_total_host_bytes"), "1073741824");
  EXPECT_EQ(facts.at("clock_source"), "tsc");
  EXPECT_EQ(facts.at("huge_pages"), "madvise");
  EXPECT_FALSE(facts.contains("container"));
  EXPECT_FALSE(facts.contains("cpu_limit"));
}

TEST(Environment, TheTightestLimitOfAllGroupsCounts) {
  FakeSystem system;
  system.files["/proc/self/cgroup"] = "0::/kubepods/pod1/c1\n";
  system.files["/sys/fs/cgroup/kubepods/pod1/c1/cpu.max"] = "max 100000\n";
  system.files["/sys/fs/cgroup/kubepods/pod1/cpu.max"] = "250000 100000\n";
  system.files["/sys/fs/cgroup/kubepods/cpu.max"] = "800000 100000\n";
  system.files["/sys/fs/cgroup/kubepods/pod1/c1/memory.max"] = "1000000\n";
  const auto facts = ByName(CollectEnvironment(system, {}, nullptr));
  EXPECT_EQ(facts.at("cpu_limit"), "2.50");
  EXPECT_EQ(facts.at("memory_limit_bytes"), "1000000");
  EXPECT_EQ(facts.at("container"), "kubernetes");
}

TEST(Environment, LimitsOfTheOldGroups) {
  FakeSystem system;
  system.files["/proc/self/cgroup"] = "4:cpu,cpuacct:/docker/x\n3:memory:/docker/x\n";
  system.files["/sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = "150000\n";
  system.files["/sys/fs/cgroup/cpu/cpu.cfs_period_us"] = "100000\n";
  system.files["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712\n";
  const auto facts = ByName(CollectEnvironment(system, {}, nullptr));
  EXPECT_EQ(facts.at("cpu_limit"), "1.50");
  EXPECT_FALSE(facts.contains("memory_limit_bytes"));
  EXPECT_EQ(facts.at("container"), "docker");
}

TEST(Environment, VariablesOfGpuWorkWithoutSecrets) {
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "NCCL_DEBUG", "TORCH_LOGS", "PYTORCH_CUDA_ALLOC_CONF",
                           "OMP_NUM_THREADS", "RANK", "LD_LIBRARY_PATH", "VLLM_USE_V1"})
    EXPECT_TRUE(IsShownVariable(name)) << name;
  for (const char* name : {"HF_TOKEN", "NVIDIA_API_KEY", "HOME", "RANKING", "VLLM_API_KEY", "TORCH_TOKEN", "AWS_REGION",
                           "PWD", "TF_VAR_db"})
    EXPECT_FALSE(IsShownVariable(name)) << name;
  FakeSystem system;
  system.variables = {{"NCCL_X", "http://u:p@h"}, {"NCCL_A", "1"}, {"NCCL_API_KEY", "s"}, {"HOME", "/h"}};
  const auto facts = ByName(CollectEnvironment(system, {}, nullptr));
  EXPECT_EQ(facts.at("variable NCCL_X"), "http://***@h");
  EXPECT_EQ(facts.at("variable NCCL_A"), "1");
  EXPECT_FALSE(facts.contains("variable NCCL_API_KEY"));
  EXPECT_FALSE(facts.contains("variable HOME"));
}

TEST(Environment, RevisionOfTheRepositoryAround) {
  FakeSystem system;
  const std::string commit = "0123456789012345678901234567890123456789";
  system.infos["/p/.git"] = {.is_folder = true};
  system.files["/p/.git/HEAD"] = "ref: refs/heads/main\n";
  system.files["/p/.git/refs/heads/main"] = commit + "\n";
  EXPECT_EQ(GitRevision(system, "/p/src/deep"), "main " + commit);
  system.files.erase("/p/.git/refs/heads/main");
  system.files["/p/.git/packed-refs"] = "# pack-refs\n" + commit + " refs/heads/main\n";
  EXPECT_EQ(GitRevision(system, "/p"), "main " + commit);
  system.files["/p/.git/HEAD"] = "abcdef\n";
  EXPECT_EQ(GitRevision(system, "/p"), "abcdef");
  system.files["/p/.git/HEAD"] = "ref: ../../../etc/passwd\n";
  EXPECT_EQ(GitRevision(system, "/p"), "");
  EXPECT_EQ(GitRevision(system, "/elsewhere"), "");
  // A second working tree of the same repository.
  system.infos["/w/.git"] = {.is_regular = true};
  system.files["/w/.git"] = "gitdir: /p/.git/worktrees/w\n";
  system.files["/p/.git/worktrees/w/HEAD"] = "ref: refs/heads/main\n";
  system.files["/p/.git/worktrees/w/commondir"] = "../..\n";
  system.files["/p/.git/worktrees/w/../../refs/heads/main"] = commit + "\n";
  EXPECT_EQ(GitRevision(system, "/w"), "main " + commit);
}

// An index of version 2 with the given files.
std::string Index(const std::vector<std::tuple<std::string, uint32_t, uint32_t>>& files) {
  const auto number = [](uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  std::string bytes = "DIRC" + number(2) + number(static_cast<uint32_t>(files.size()));
  for (const auto& [path, size_bytes, seconds] : files) {
    std::string entry = std::string(8, '\0') + number(seconds) + std::string(12, '\0') + number(0100644) +
                        std::string(8, '\0') + number(size_bytes) + std::string(20, 'x') + std::string(2, '\0') + path;
    entry.resize((entry.size() + 8) / 8 * 8);
    bytes += entry;
  }
  return bytes;
}

TEST(Environment, ChangedFilesOfTheRepository) {
  FakeSystem system;
  constexpr int64_t kTime = 1'700'000'000;
  system.infos["/p/.git"] = {.is_folder = true};
  for (const char* name : {"a", "folder/b", "c"})
    system.infos[std::string("/p/") + name] = {
        .is_regular = true, .size_bytes = 10, .modified_ns = kTime * 1'000'000'000};
  system.files["/p/.git/index"] = Index({{"a", 10, kTime}, {"c", 10, kTime}, {"folder/b", 10, kTime}});
  EXPECT_EQ(GitChangedFiles(system, "/p"), "0");
  system.infos["/p/a"].size_bytes = 11;
  system.infos["/p/c"].modified_ns += 5'000'000'000;
  EXPECT_EQ(GitChangedFiles(system, "/p/folder"), "1 to 2");
  const std::string index = system.files["/p/.git/index"];
  for (size_t bytes = 0; bytes < index.size(); ++bytes) {  // cut ones say nothing, or less, and break nothing
    system.files["/p/.git/index"] = index.substr(0, bytes);
    GitChangedFiles(system, "/p");
  }
  system.files["/p/.git/index"] = "DIRC then something else";
  EXPECT_EQ(GitChangedFiles(system, "/p"), "");
}

}  // namespace
}  // namespace warpscope::record
