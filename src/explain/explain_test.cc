#include "explain/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "explain/memory/torch_oom.h"
#include "explain/text/anchors.h"
#include "explain/text/pattern.h"
#include "explain/text/quantity.h"

namespace warpscope::explain {
namespace {

std::string FirstId(std::string_view text) {
  const Diagnosis diagnosis = Explain(text);
  return diagnosis.findings.empty() ? "" : std::string(diagnosis.findings.front().entry->id);
}

const Finding* Of(const Diagnosis& diagnosis, std::string_view id) {
  for (const Finding& finding : diagnosis.findings) {
    if (finding.entry->id == id) return &finding;
  }
  return nullptr;
}

TEST(CatalogueTest, EveryEntryAnswers) {
  std::set<std::string_view> ids;
  for (const Entry* entry : Catalogue()) {
    EXPECT_TRUE(ids.insert(entry->id).second) << entry->id;
    EXPECT_FALSE(entry->title.empty()) << entry->id;
    EXPECT_FALSE(entry->meaning.empty()) << entry->id;
    EXPECT_FALSE(entry->fixes.empty()) << entry->id;
    EXPECT_FALSE(entry->source.empty()) << entry->id;
    EXPECT_FALSE(entry->patterns.empty()) << entry->id;
    for (const std::string_view pattern : Lines(entry->patterns)) {
      EXPECT_GE(LiteralHead(pattern.substr(pattern.starts_with('?') ? 1 : 0)).size(), 4u)
          << entry->id << ": " << pattern;
      EXPECT_FALSE(pattern.ends_with("{*}{*}")) << pattern;
    }
  }
  EXPECT_GT(ids.size(), 200u);
}

// Every pattern without placeholders is recognised when it stands alone, by its own entry or one of its group.
TEST(CatalogueTest, EveryPlainPatternIsFound) {
  for (const Entry* entry : Catalogue()) {
    for (const std::string_view pattern : Lines(entry->patterns)) {
      if (pattern.find('{') != std::string_view::npos || pattern.starts_with('^')) continue;
      const std::string text(pattern.substr(pattern.starts_with('?') ? 1 : 0));
      const Diagnosis diagnosis = Explain("RuntimeError: " + text + " ");
      ASSERT_FALSE(diagnosis.findings.empty()) << pattern;
    }
  }
}

TEST(PatternTest, WholeWordsAndPlaceholders) {
  EXPECT_TRUE(Find("error {n}:", "an ERROR 1,024.5: x"));
  EXPECT_EQ(Find("error {n}:", "error 12: x")->captures[0], "12");
  EXPECT_FALSE(Find("error 70", "error 700"));
  EXPECT_FALSE(Find("error 70", "terror 70"));
  EXPECT_EQ(Find("lib{w}: no", "lib.so.1: no")->captures[0], ".so.1");
  EXPECT_FALSE(Find("a{*}b", "a" + std::string(kGapBytes + 10, ' ') + "b"));
}

TEST(AnchorsTest, FindsOverlappingTexts) {
  const Anchors anchors({"she", "he", "hers", ""});
  std::multiset<std::pair<uint32_t, size_t>> found;
  anchors.Visit("USHERS", [&](uint32_t index, size_t at) { found.emplace(index, at); });
  EXPECT_EQ(found, (std::multiset<std::pair<uint32_t, size_t>>{{0, 1}, {1, 2}, {2, 2}}));
}

TEST(QuantityTest, Units) {
  EXPECT_EQ(BytesOf("1.50 GiB"), 1.5 * 1024 * 1024 * 1024);
  EXPECT_EQ(BytesOf("0 bytes"), 0);
  EXPECT_EQ(BytesOf("46.00MiB"), 46.0 * 1024 * 1024);
  EXPECT_FALSE(BytesOf("12 apples"));
  EXPECT_FALSE(BytesOf("GiB"));
  EXPECT_FALSE(NumberOf("1e999"));
}

OomKind Kind(std::string_view text) { return KindOf(ParseTorchOom(text).value_or(TorchOom{})); }

TEST(TorchOomTest, KindsInTheWordingsOfAllVersions) {
  // 1.0 to 1.3
  EXPECT_EQ(Kind("Tried to allocate 512.00 MiB (GPU 0; 10.76 GiB total capacity; 9.50 GiB already allocated; 110.00 "
                 "MiB free; 9.70 GiB cached)"),
            OomKind::kTooLittle);
  // 1.4 to 1.13
  EXPECT_EQ(Kind("Tried to allocate 1.40 GiB (GPU 1; 8.00 GiB total capacity; 3.20 GiB already allocated; 1.10 GiB "
                 "free; 5.90 GiB reserved in total by PyTorch)"),
            OomKind::kFragmentation);
  EXPECT_EQ(Kind("Tried to allocate 2.00 GiB (GPU 0; 15.00 GiB total capacity; 0.60 GiB already allocated; 1.20 GiB "
                 "free; 0.70 GiB reserved in total by PyTorch)"),
            OomKind::kOtherProcess);
  EXPECT_EQ(Kind("Tried to allocate 64.00 MiB (GPU 0; 12.00 GiB total capacity; 4.00 GiB already allocated; 7.00 GiB "
                 "free; 4.03 GiB allowed; 4.01 GiB reserved in total by PyTorch)"),
            OomKind::kLimit);
  EXPECT_EQ(Kind("Tried to allocate 9.00 GiB (GPU 0; 8.00 GiB total capacity; 16.00 GiB already allocated; 0 bytes "
                 "free; 18.00 GiB reserved in total by PyTorch)"),
            OomKind::kSystemMemory);
  // 2.0 on
  EXPECT_EQ(Kind("Tried to allocate 100.00 GiB. GPU 0 has a total capacty of 24.00 GiB of which 20.00 GiB is free. Of "
                 "the allocated memory 3.00 GiB is allocated by PyTorch, and 10.00 MiB is reserved by PyTorch but "
                 "unallocated."),
            OomKind::kBeyondDevice);
  EXPECT_EQ(
      Kind("Tried to allocate 64.00 MiB. GPU 0 has a total capacity of 16.00 GiB of which 20.00 MiB is free. Process "
           "71 has 12.10 GiB memory in use. Including non-PyTorch memory, this process has 3.80 GiB memory in "
           "use. Of the allocated memory 3.30 GiB is allocated by PyTorch, with 46.00 MiB allocated in private pools "
           "(e.g., CUDA Graphs), and 30.00 MiB is reserved by PyTorch but unallocated."),
      OomKind::kOtherProcess);
  EXPECT_EQ(
      Kind(
          "Tried to allocate 270.00 MiB. GPU 3 has a total capacity of 24.00 GiB of which 90.00 MiB is free. Including "
          "non-PyTorch memory, this process has 23.90 GiB memory in use. Of the allocated memory 22.90 GiB is "
          "allocated by PyTorch, and 80.00 MiB is reserved by PyTorch but unallocated."),
      OomKind::kTooLittle);
  EXPECT_EQ(Kind("Tried to allocate 2.00 MiB. GPU 7 has a total capacity of 288.00 GiB of which 200.00 GiB is free. Of "
                 "the allocated memory 70.00 GiB is allocated by PyTorch, and 15.00 GiB is reserved by PyTorch but "
                 "unallocated."),
            OomKind::kRefused);
}

// A terminal of any width breaks the message anywhere, also within a number.
TEST(ExplainTest, NumbersBrokenByATerminal) {
  const std::string message =
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 14.57 GiB. GPU 0 has a total capacity of 79.33 "
      "GiB of which 12.81 GiB is free. Process 4711 has 66.50 GiB memory in use. Of the allocated memory 65.12 GiB is "
      "allocated by PyTorch, and 1.02 GiB is reserved by PyTorch but unallocated.";
  const auto numbers = [](const Diagnosis& diagnosis) {
    std::string all;
    for (const Fact& fact : diagnosis.findings.at(0).answer.facts) all += fact.name + "=" + fact.text + "\n";
    return all;
  };
  const std::string whole = numbers(Explain(message));
  ASSERT_NE(whole.find("14.57"), std::string::npos) << whole;
  for (size_t columns = 61; columns <= 140; ++columns) {
    std::string broken;
    bool at_blank = false;  // such a break leaves nothing to tell it by
    for (size_t at = 0; at < message.size(); at += columns) {
      broken += message.substr(at, columns) + "\n";
      at_blank = at_blank || (at > 0 && (message[at] == ' ' || message[at - 1] == ' '));
    }
    if (at_blank) continue;
    const Diagnosis diagnosis = Explain(broken);
    ASSERT_FALSE(diagnosis.findings.empty()) << broken;
    EXPECT_EQ(numbers(diagnosis), whole) << broken;
  }
}

TEST(ExplainTest, NumbersOfTheFirstMessageOnly) {
  const Diagnosis diagnosis = Explain(
      "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of "
      "8.00 GiB of which 0 bytes is free.\n"
      "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 1 has a total capacity of "
      "9.00 GiB of which 1.00 GiB is free.\n");
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].count, 2u);
  EXPECT_EQ(diagnosis.findings[0].ranks, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(diagnosis.findings[0].answer.facts[0].value, 1024.0 * 1024 * 1024);
}

// In a container the message names this process by its outer number; the parts must fit into the device.
TEST(OomTest, ThisProcessAmongTheNamed) {
  const std::string text =
      "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacty of "
      "14.75 "
      "GiB of which 9.06 MiB is free. Process 2214 has 14.74 GiB memory in use. Of the allocated memory 13.99 GiB is "
      "allocated by PyTorch, and 612.02 MiB is reserved by PyTorch but unallocated.";
  const auto oom = ParseTorchOom(text);
  ASSERT_TRUE(oom);
  EXPECT_EQ(oom->named_count, 0u);
  EXPECT_EQ(oom->own_name, "2214");
  ASSERT_TRUE(oom->this_process && oom->Outside());
  EXPECT_LE(*oom->this_process + *oom->Outside() + *oom->free, *oom->total);
  const Diagnosis diagnosis = Explain(text);
  ASSERT_NE(Of(diagnosis, "memory.torch"), nullptr);
  for (const Fact& fact : Of(diagnosis, "memory.torch")->answer.facts) EXPECT_NE(fact.name, "named_processes_bytes");
  // A second process beside it stays another's.
  const auto two = ParseTorchOom(
      "Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 16.00 GiB of which 0.50 GiB is free. Process 7 has "
      "9.00 "
      "GiB memory in use. Process 8 has 6.50 GiB memory in use. Of the allocated memory 5.80 GiB is allocated by "
      "PyTorch, and 0.20 GiB is reserved by PyTorch but unallocated.");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->own_name, "8");
  EXPECT_EQ(two->named_others, 9.0 * (1 << 30));
}

TEST(ExplainTest, MemoryOfAnAdapterAndMixedTypesAreKnown) {
  const Diagnosis adapter = Explain(
      "node1:77:80 [0] misc/ibvwrap.cc:253 NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory\n");
  ASSERT_NE(Of(adapter, "nccl.ib_memory"), nullptr);
  EXPECT_NE(Of(adapter, "nccl.ib_memory")->answer.fixes[0].find("memlock"), std::string::npos);
  EXPECT_NE(Of(Explain("RuntimeError: expected scalar type Half but found Float"), "package.mixed_types"), nullptr);
  EXPECT_NE(Of(Explain("RuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16"),
               "package.mixed_types"),
            nullptr);
}

TEST(ExplainTest, KilledIsAnOomKillOfItsOwn) {
  const Diagnosis diagnosis = Explain("NCCL WARN Bootstrap : no socket interface found\nKilled\n");
  ASSERT_NE(Of(diagnosis, "nccl.interface"), nullptr);
  EXPECT_NE(Of(diagnosis, "nccl.interface")->answer.fixes[0].find("NCCL_SOCKET_IFNAME"), std::string::npos);
  ASSERT_NE(Of(diagnosis, "memory.killed"), nullptr);
  EXPECT_EQ(Of(diagnosis, "memory.killed")->relation, Relation::kOther);
  EXPECT_EQ(Of(Explain("the worker was killed by hand"), "memory.killed"), nullptr);
}

TEST(ExplainTest, AnXidByItsNumberLeadsToTheCatalogue) {
  const Diagnosis diagnosis = Explain("Xid 79");
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  const Answer& answer = diagnosis.findings[0].answer;
  EXPECT_NE(answer.headline.find("fallen off the bus"), std::string::npos) << answer.headline;
  ASSERT_FALSE(answer.checks.empty());
  EXPECT_EQ(answer.checks[0].command, "warpscope faults --code 79");
}

TEST(ExplainTest, DecoratedLines) {
  EXPECT_EQ(
      FirstId("\x1b[31m2031-02-03 04:05:06,789 ERROR\x1b[0m [rank3]: RuntimeError: CUDA error: misaligned address\r\n"),
      "cuda.716");
  EXPECT_EQ(FirstId("(Worker pid=7) code=700(cudaErrorIllegalAddress) \"cudaDeviceSynchronize()\""), "cuda.700");
  EXPECT_EQ(FirstId("RuntimeError: CUDA error: an illegal\nmemory access was encountered"),
            "cuda.700");  // broken by a terminal
}

TEST(ExplainTest, OldAndBareWordings) {
  EXPECT_EQ(FirstId("RuntimeError: cuda runtime error (59) : device-side assert triggered at /x/THC.cu:26"),
            "cuda.710");  // numbers before CUDA 10.1
  EXPECT_EQ(FirstId("an illegal memory access was encountered"), "cuda.700");
  EXPECT_EQ(FirstId("HIP error: an illegal memory access was encountered"), "amd.fault");
  EXPECT_EQ(FirstId("CUDA driver version is insufficient for CUDA runtime version"), "cuda.35");
}

TEST(ExplainTest, NearMissesAreUnknown) {
  for (const char* text :
       {"all good", "exit code 43", "error 700 while reading the file", "we have no CUDA out of memory any more",
        "if (e == cudaErrorIllegalAddress) return;", "the GPU is fine, memory 10 GiB of 24 GiB",
        "cudaErrorIllegalAddressing", "CUDA error 70000", "learning rate 0.0; loss 700", "CUDA 12.4 driver 550",
        "xid_79", "nccl ok", "Tried to allocate a desk", "docker run --gpus all", "quota of the course: 10",
        "Successfully loaded libcudart.so.12", "torch 2.4.1+cu121", "No errors were found"}) {
    EXPECT_EQ(FirstId(text), "") << text;
  }
}

TEST(ExplainTest, FirstCauseAndConsequences) {
  std::string log = "step 1\n[rank1]: RuntimeError: CUDA error: an illegal memory access was encountered\n";
  for (int i = 0; i < 100; ++i) log += "[rank1]: RuntimeError: CUDA error: unspecified launch failure\n";
  log +=
      "[rank0]:[E ProcessGroupNCCL.cpp:1] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, "
      "OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600010 milliseconds before timing out.\n";
  const Diagnosis diagnosis = Explain(log);
  ASSERT_GE(diagnosis.findings.size(), 3u);
  EXPECT_EQ(diagnosis.findings[0].entry->id, "cuda.700");
  EXPECT_EQ(diagnosis.findings[0].line, 2u);
  EXPECT_EQ(Of(diagnosis, "cuda.719")->count, 100u);
  EXPECT_NE(Of(diagnosis, "cuda.719")->relation, Relation::kOther);
  EXPECT_EQ(Of(diagnosis, "nccl.timeout")->relation, Relation::kFollows);
}

TEST(ExplainTest, TheCrashedRankExplainsTimeOutsBeforeIt) {
  const Diagnosis diagnosis = Explain(
      "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=BROADCAST, "
      "Timeout(ms)=1800000) ran for 1802212 milliseconds before timing out.\n"
      "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 3 has a total capacity of "
      "8.00 GiB of which 0 bytes is free.\n");
  EXPECT_EQ(diagnosis.findings[0].entry->id, "memory.torch");
  EXPECT_EQ(diagnosis.findings[1].relation, Relation::kFollows);
}

TEST(ExplainTest, TheSilentRankIsNamed) {
  std::string log;
  for (const int rank : {0, 1, 3}) {
    log += "[rank" + std::to_string(rank) +
           "]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41, OpType=ALLREDUCE, NumelIn=1000, "
           "NumelOut=1000, Timeout(ms)=600000) ran for 600011 milliseconds before timing out.\n";
  }
  const Diagnosis diagnosis = Explain(log);
  EXPECT_NE(diagnosis.findings[0].answer.headline.find("Rank 2 never came"), std::string::npos)
      << diagnosis.findings[0].answer.headline;
}

TEST(ExplainTest, AMachineFaultExplainsAll) {
  const Diagnosis diagnosis = Explain(
      "RuntimeError: CUDA error: unspecified launch failure\nkernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has "
      "fallen off the bus.\n");
  EXPECT_EQ(diagnosis.findings[0].entry->role, Role::kMachine);
  EXPECT_EQ(Of(diagnosis, "cuda.719")->relation, Relation::kFollows);
}

TEST(ExplainTest, ArchitectureFromTheList) {
  const Diagnosis old_build = Explain(
      "Some GPU with CUDA capability sm_120 is not compatible with the current PyTorch installation.\nThe current "
      "PyTorch install supports CUDA capabilities sm_50 sm_80 sm_90.\nIf you want to use it ...\n");
  EXPECT_NE(old_build.findings[0].answer.fixes[0].find("12.8"), std::string::npos);
  const Diagnosis old_gpu = Explain(
      "Some GPU with CUDA capability sm_61 is not compatible with the current PyTorch installation.\nThe current "
      "PyTorch install supports CUDA capabilities sm_75 sm_80.\n");
  EXPECT_NE(old_gpu.findings[0].answer.headline.find("too old"), std::string::npos);
}

TEST(ExplainTest, HostileBytesAreBounded) {
  std::string bytes(1 << 20, '\xff');
  for (size_t i = 0; i < bytes.size(); i += 7) bytes[i] = static_cast<char>(i);
  EXPECT_NO_FATAL_FAILURE(Explain(bytes));
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "CUDA error: unknown error ";  // one line beyond every limit
  const Diagnosis diagnosis = Explain(many);
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_LE(diagnosis.findings[0].excerpt.size(), 500u);
}

TEST(TorchOomTest, NumbersThatContradictEachOther) {
  EXPECT_EQ(Kind("Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 0 bytes of which 10.00 GiB is free."),
            OomKind::kContradiction);
  EXPECT_EQ(
      Kind("Tried to allocate 2.00 GiB (GPU 0; 10.00 GiB total capacity; 1.00 GiB already allocated; 30.50 GiB free; "
           "2.00 GiB reserved in total by PyTorch)"),
      OomKind::kContradiction);
  EXPECT_EQ(
      Kind("Tried to allocate 2.00 GiB (GPU 0; 24.00 GiB total capacity; 20.00 GiB already allocated; 10.00 GiB free; "
           "21.00 GiB reserved in total by PyTorch)"),
      OomKind::kContradiction);
  EXPECT_EQ(
      Kind("Tried to allocate 2.00 GiB (GPU 0; 24.00 GiB total capacity; 20.00 GiB already allocated; 1.00 GiB free; "
           "1.00 MiB reserved in total by PyTorch)"),
      OomKind::kContradiction);
  const Diagnosis negative =
      Explain("CUDA out of memory. Tried to allocate -2.00 GiB (GPU 0; 10.00 GiB total capacity)");
  ASSERT_FALSE(negative.findings.empty());
  EXPECT_NE(negative.findings[0].answer.headline.find("negative size"), std::string::npos);
}

// What is not told is not zero.
TEST(TorchOomTest, WhoHoldsTheRestIsNotTold) {
  const char* const text =
      "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 14.75 GiB of which 9.06 MiB is "
      "free.";
  EXPECT_EQ(Kind(text), OomKind::kUnknown);
  const std::string headline = Explain(text).findings.at(0).answer.headline;
  EXPECT_NE(headline.find("9.06 MiB of 14.75 GiB"), std::string::npos) << headline;
  EXPECT_EQ(headline.find("0 B"), std::string::npos) << headline;
}

TEST(ExplainTest, DenialEndsWithItsSentence) {
  EXPECT_EQ(
      FirstId("[enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
              "allocate 68719476736 bytes."),
      FirstId("DefaultCPUAllocator: can't allocate memory: you tried to allocate 68719476736 bytes."));
  EXPECT_NE(FirstId("DefaultCPUAllocator: can't allocate memory: you tried to allocate 68719476736 bytes."), "");
  EXPECT_EQ(FirstId("if err == cudaErrorIllegalAddress"), "");
}

// The width of a terminal breaks words as well.
TEST(ExplainTest, LinesBrokenWithinAWord) {
  const std::string message =
      "2026-01-01 10:00:00 ERROR RuntimeError: CUDA error: no kernel image is available for execution on the device";
  for (size_t width = 60; width < message.size(); ++width) {
    const std::string text = message.substr(0, width) + "\n" + message.substr(width) + "\nstep 4711 done\n";
    EXPECT_EQ(FirstId(text), FirstId(message)) << width;
  }
}

TEST(ExplainTest, Utf16AndTheOwnLineOnly) {
  const std::string text = "NCCL WARN NET/Socket : No usable interface\r\nKilled\r\n";
  std::string wide;
  for (const char c : text) wide.append(1, c).append(1, '\0');
  for (const std::string& bytes : {text, wide}) {
    const Diagnosis diagnosis = Explain(bytes);
    const Finding* found = Of(diagnosis, "nccl.interface");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->excerpt.find("Killed"), std::string::npos) << found->excerpt;
    EXPECT_NE(found->excerpt.find("No usable interface"), std::string::npos);
  }
}

TEST(ExplainTest, TextsEndWhereTheyEnd) {
  Reader reader;
  reader.Feed("one line\nCUDA out of");
  reader.EndText();
  EXPECT_EQ(reader.recognised(), 0u);
  reader.Feed(" memory\n\nRuntimeError: CUDA error: device-side assert triggered");
  reader.EndText();
  EXPECT_EQ(reader.recognised(), 1u);
  const Diagnosis diagnosis = reader.Finish();
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].line, 3u);
}

}  // namespace
}  // namespace warpscope::explain
