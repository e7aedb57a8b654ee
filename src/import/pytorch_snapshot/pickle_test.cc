#include "import/pytorch_snapshot/pickle.h"

#include <gtest/gtest.h>

#include "import/pytorch_snapshot/frames.h"

namespace warpscope::import::pytorch_snapshot {
namespace {

using namespace std::string_view_literals;

Result<Pickle> ReadAll(std::string_view bytes) { return Pickle::Read(*OpenMemory(bytes)); }

// pickle.dumps({"a": [1, -2, 2**40, True, None, (3, 4)], "b": "x"}, 4)
constexpr std::string_view kPlain =
    "\x80\x04\x95\x2f\0\0\0\0\0\0\0}\x94(\x8c\x01"
    "a\x94]\x94(K\x01J\xfe\xff\xff\xff\x8a\x06\0\0\0\0\0\x01\x88NK\x03K\x04\x86\x94"
    "e\x8c\x01"
    "b\x94\x8c\x01x\x94u."sv;

TEST(Pickle, ReadsPlainData) {
  auto read = ReadAll(kPlain);
  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read->is_cut());
  EXPECT_EQ(read->TextOf(read->root(), "b"), "x");
  const Pickle::Value* list = read->Find(read->root(), "a");
  ASSERT_NE(list, nullptr);
  const auto& items = read->Items(*list);
  ASSERT_EQ(items.size(), 6U);
  EXPECT_EQ(items[0].integer, 1);
  EXPECT_EQ(items[1].integer, -2);
  EXPECT_EQ(items[2].integer, int64_t{1} << 40);
  EXPECT_EQ(items[3].kind, Pickle::Kind::kBool);
  EXPECT_EQ(items[4].kind, Pickle::Kind::kNone);
  EXPECT_EQ(read->Items(items[5]).size(), 2U);
}

TEST(Pickle, WhatIsOpenAtACutGoesWhereItWasGoing) {
  for (size_t size = 0; size < kPlain.size(); ++size) {
    auto read = ReadAll(kPlain.substr(0, size));
    ASSERT_TRUE(read.ok()) << size;
    EXPECT_TRUE(read->is_cut()) << size;
    const Pickle::Value* list = read->Find(read->root(), "a");
    if (list == nullptr) {
      EXPECT_LT(size, 22U);
    } else if (size == 29) {  // behind the second number
      EXPECT_EQ(read->Items(*list).size(), 2U);
    }
  }
}

TEST(Pickle, NothingIsEverRun) {
  // os.system("x"): c os system, a tuple, REDUCE; and the same with STACK_GLOBAL
  for (const std::string_view bytes : {"\x80\x02"
                                       "cos\nsystem\n(X\x01\0\0\0x\x85R."sv,
                                       "\x80\x04\x8c\x02os\x94\x8c\x06system\x94\x93\x8c\x01x\x85R."sv}) {
    auto read = ReadAll(bytes);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.status().code(), StatusCode::kUnsupported);
    EXPECT_NE(read.status().message().find("names code to be run"), std::string::npos);
  }
}

TEST(Pickle, DamageEndsTheReading) {
  EXPECT_TRUE(ReadAll("\x80\x04]\x94(K\x01\xff"sv)->is_cut());                       // no opcode
  EXPECT_TRUE(ReadAll("\x80\x04h\x09."sv)->is_cut());                                // a memo that is not there
  EXPECT_TRUE(ReadAll("\x80\x04}K\x01s."sv)->is_cut());                              // one value for a key and a value
  EXPECT_TRUE(ReadAll("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f"sv)->is_cut());  // a text that is not there
  auto circle = ReadAll("\x80\x04]\x94h\0a."sv);                                     // a list in itself
  ASSERT_TRUE(circle.ok());
  EXPECT_EQ(circle->Items(circle->root()).size(), 1U);
}

TEST(FrameName, KeepsWhatSomebodyWrote) {
  EXPECT_EQ(FrameName("step", "/home/u/train.py", 12), "/home/u/train.py(12): step");
  EXPECT_EQ(FrameName("at::_ops::mm::call(at::Tensor const&, at::Tensor const&)", "??", 0), "at::_ops::mm");
  EXPECT_EQ(FrameName("torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)", "F.cpp", 0),
            "torch::autograd::generated::MmBackward0");
  EXPECT_EQ(FrameName("mine::Cache::Grow(unsigned long)", "??", 0), "mine::Cache::Grow(unsigned long)");
  for (const std::string_view machinery :
       {"torch::unwind::unwind()", "at::_ops::mm::redispatch(c10::DispatchKeySet)", "_PyEval_EvalFrameDefault",
        "__libc_start_main", "std::thread::_State::_M_run()", "pthread_create", "??",
        "at::Tensor c10::Dispatcher::callWithDispatchKeySlowPath<at::Tensor>()"})
    EXPECT_EQ(FrameName(machinery, "??", 0), "") << machinery;
}

}  // namespace
}  // namespace warpscope::import::pytorch_snapshot
