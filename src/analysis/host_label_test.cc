#include "analysis/host_label.h"

#include <gtest/gtest.h>

namespace warpscope::analysis {
namespace {

using model::HostKind;

TEST(HostLabel, KnowsWhatTheHostWaitsFor) {
  const std::tuple<const char*, HostKind, HostLabel> cases[] = {
      {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", HostKind::kAnnotation, HostLabel::kDataLoading},
      {"torch/utils/data/_utils/fetch.py(49): fetch", HostKind::kPython, HostLabel::kDataLoading},
      {"/opt/conda/lib/python3.10/site-packages/torch/utils/data/dataloader.py(701): __next__", HostKind::kPython,
       HostLabel::kDataLoading},
      {"<built-in function sleep>", HostKind::kPython, HostLabel::kHostWait},
      {"threading.py(295): wait", HostKind::kPython, HostLabel::kHostWait},
      {"<built-in function collect>", HostKind::kPython, HostLabel::kGarbageCollect},
      {"torch/serialization.py(850): save", HostKind::kPython, HostLabel::kFileIo},
      {"torch/_dynamo/convert_frame.py(700): _compile", HostKind::kPython, HostLabel::kCompilation},
      {"torch/_dynamo/eval_frame.py(500): _fn", HostKind::kPython, HostLabel::kLibraryPython},
      {"Activity Buffer Request", HostKind::kOverhead, HostLabel::kProfiler},
      {"Lazy Function Loading", HostKind::kOverhead, HostLabel::kCompilation},
      {"ProfilerStep#12", HostKind::kAnnotation, HostLabel::kStepMarker},
      {"nn.Module: Linear_3", HostKind::kPython, HostLabel::kModule},
      {"train.py(40): step", HostKind::kPython, HostLabel::kUserPython},
      {"/home/me/repo/train.py(40): step", HostKind::kPython, HostLabel::kUserPython},
      {"numpy/core/fromnumeric.py(3): sum", HostKind::kPython, HostLabel::kLibraryPython},
      {"contextlib.py(79): inner", HostKind::kPython, HostLabel::kLibraryPython},
      {"<built-in method item of Tensor object at 0x7f>", HostKind::kPython, HostLabel::kLibraryPython},
      {"autograd::engine::evaluate_function: AddmmBackward0", HostKind::kOperator, HostLabel::kBackward},
      {"record_param_comms", HostKind::kOperator, HostLabel::kCommunication},
      {"aten::mul", HostKind::kOperator, HostLabel::kPlain},
      {"", HostKind::kPython, HostLabel::kLibraryPython},
  };
  for (const auto& [name, kind, label] : cases) EXPECT_EQ(LabelHost(name, kind), label) << name;
}

TEST(PythonFrame, TakesNamesApart) {
  const PythonFrame frame = ParsePythonFrame("src/a (copy).py(12): <lambda>");
  EXPECT_EQ(frame.file, "src/a (copy).py");
  EXPECT_EQ(frame.line, 12U);
  EXPECT_EQ(frame.function, "<lambda>");
  EXPECT_EQ(ParsePythonFrame("<built-in function next>").line, 0U);
  EXPECT_EQ(ParsePythonFrame("x(99999999999999999999): f").line, 0U);
  EXPECT_EQ(ParsePythonFrame("): ").file, "): ");
}

TEST(FoldDigits, MakesRepeatsEqual) {
  EXPECT_EQ(FoldDigits("execute_context_12(3)_generation_16(16)"), "execute_context_#(#)_generation_#(#)");
  EXPECT_EQ(FoldDigits("forward"), "forward");
}

}  // namespace
}  // namespace warpscope::analysis
