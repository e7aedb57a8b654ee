#include "import/capture/native_names.h"

#include <gtest/gtest.h>

#include <string>

namespace warpscope::import::capture {
namespace {

TEST(NativeNames, AreThoseOfTheSource) {
  EXPECT_EQ(PlainFunctionName("main"), "main");
  EXPECT_EQ(PlainFunctionName("_ZN4shop6Server3RunImEET_iS2_"), "shop::Server::Run");  // a return type, arguments
  EXPECT_EQ(PlainFunctionName("_ZNK3Foo3getEv"), "Foo::get");
  EXPECT_EQ(PlainFunctionName("_ZN3FooC2Ev"), "Foo::Foo");
  EXPECT_EQ(PlainFunctionName("_ZN3FoolsERKS_"), "Foo::operator<<");
  EXPECT_EQ(PlainFunctionName("_ZN3FooclEi"), "Foo::operator()");
  EXPECT_EQ(PlainFunctionName("_ZN3FoocvbEv"), "Foo::operator bool");
  EXPECT_EQ(PlainFunctionName("_ZN12_GLOBAL__N_13runEv"), "(anonymous namespace)::run");
  EXPECT_EQ(PlainFunctionName("_ZNSt6vectorIiSaIiEE9push_backEOi"), "std::vector::push_back");
  EXPECT_EQ(PlainFunctionName("_ZZ4mainENKUlvE_clEv"), "main::{lambda#1}::operator()");
  EXPECT_EQ(PlainFunctionName("_Z3runv.cold"), "run");
  EXPECT_EQ(PlainFunctionName("run.constprop.0"), "run");
  EXPECT_EQ(PlainFunctionName("memcpy@@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(PlainFunctionName("_Znot a mangled name"), "_Znot a mangled name");
}

TEST(NativeNames, ANameThatStandsForGigabytesIsReadInPart) {
  // pair<pair<...>, pair<...>>, 60 levels deep: each refers to the one before twice.
  std::string name = "_ZN4shop3runE4pairIiiE";
  for (int i = 1; i <= 60; ++i) {
    const std::string before = "S" + std::string(1, i < 11 ? static_cast<char>('0' + i - 1) : 'A') + "_";
    name += "S_I" + before + before + "E";
  }
  EXPECT_EQ(PlainFunctionName(name), "shop::run");
  EXPECT_EQ(PlainFunctionName("_ZNSt4pair" + std::string(5000, 'S')), "std::pair");
}

TEST(NativeNames, SayWhereAFunctionLies) {
  EXPECT_EQ(NativeFrameName({"/home/me/server", "_Z6Encodei", "src/encode.cc", 12}), "src/encode.cc(12): Encode");
  EXPECT_EQ(NativeFrameName({"/home/me/server", "_Z6Encodei", "", 0}), "Encode");
  EXPECT_EQ(NativeFrameName({"/home/me/libmine.so", "work", "", 0}), "work");
  EXPECT_EQ(NativeFrameName({"/usr/lib/x86_64-linux-gnu/libc.so.6", "memcpy", "string/memcpy.c", 3}),
            "memcpy [libc.so.6]");
  EXPECT_EQ(NativeFrameName({"/x/site-packages/PIL/_imaging.so", "decode", "", 0}), "decode [_imaging.so]");
  EXPECT_EQ(NativeFrameName({"/home/me/server", "_ZSt4sortIPiEvT_S1_", "/usr/include/c++/12/x.h", 3}), "std::sort");
  EXPECT_EQ(NativeFrameName({"/home/me/server", "", "", 0}), "[unknown in server]");
  EXPECT_EQ(NativeFrameName({"[anonymous 12]", "", "", 0}), "[unknown in generated code]");
  EXPECT_EQ(NativeFrameName({"[anonymous 12]", "LazyCompile:~run", "", 0}), "LazyCompile:~run");
}

TEST(NativeNames, WhatIsRecordedExactlyIsNotTold) {
  EXPECT_TRUE(IsInsideDriver("/usr/lib/x86_64-linux-gnu/libcuda.so.1"));
  EXPECT_TRUE(IsInsideDriver("/x/nvidia/cuda_runtime/lib/libcudart.so.12"));
  EXPECT_FALSE(IsInsideDriver("/usr/lib/libcublas.so.12"));
  EXPECT_FALSE(IsInsideDriver("/home/libcuda.so.1/server"));
  EXPECT_TRUE(IsNotTold("cudaLaunchKernel"));
  EXPECT_TRUE(IsNotTold("cuLaunchKernel"));
  EXPECT_TRUE(IsNotTold("__cudaLaunchKernel"));
  EXPECT_TRUE(IsNotTold("__device_stub__Z5LayerPfii"));
  EXPECT_TRUE(IsNotTold("__libc_start_call_main"));
  EXPECT_FALSE(IsNotTold("cudnnConvolutionForward"));
  EXPECT_FALSE(IsNotTold("main"));
  EXPECT_FALSE(IsNotTold(""));
  EXPECT_FALSE(IsNotTold("cuda"));
}

}  // namespace
}  // namespace warpscope::import::capture
