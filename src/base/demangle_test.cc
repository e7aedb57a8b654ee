#include "base/demangle.h"

#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "base/demangled_size.h"

namespace warpscope::base {
namespace {

std::string ByTheBook(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return text ? text.get() : "";
}

std::string Reference(int index) {  // "S_", "S0_" ... "SZ_", "S10_"
  if (index == 0) return "S_";
  std::string digits;
  int rest = index - 1;
  do {
    digits.insert(digits.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % 36]);
    rest /= 36;
  } while (rest > 0);
  return "S" + digits + "_";
}

// Each function type takes the one before twice.
std::string Doubling(int levels) {
  std::string name = "_Z1f1a";
  for (int i = 0; i < levels; ++i) name += "F" + Reference(i) + Reference(i) + "E";
  return name;
}

TEST(Demangle, Names) {
  EXPECT_EQ(Demangle("_ZN3foo3barEi"), "foo::bar(int)");
  EXPECT_EQ(Demangle("_ZZ4mainENKUlvE_clEv"), "main::{lambda()#1}::operator()() const");
  EXPECT_EQ(Demangle("plain"), std::nullopt);
  EXPECT_EQ(Demangle(""), std::nullopt);
  EXPECT_EQ(Demangle("_Z"), std::nullopt);
  EXPECT_EQ(Demangle("_ZN3foo3ba"), std::nullopt);
  EXPECT_EQ(Demangle("_Z1f" + std::string(kMostMangledBytes, 'i')), std::nullopt);
}

// Far more references than harmless names have, and each stands for little.
TEST(Demangle, ManyReferencesThatAreSmall) {
  std::string name = "_ZN4shop6KernelINS_5ShapeIiEEEEvT_", parameter = "S2_NS_4TileINS0_IS2_S2_EENS_6LayoutIS1_EEEE";
  for (int i = 0; i < 20; ++i) name += parameter;
  const std::string whole = ByTheBook(name);
  ASSERT_GT(whole.size(), 2000u);
  EXPECT_EQ(Demangle(name), whole);
}

TEST(Demangle, SizesAreNeverTooSmallAndSeldomMuchTooLarge) {
  for (const std::string name : {"_ZN3foo3barEi",
                                 "_ZNK3FoocvT_IiEEv",
                                 "_ZNSt6vectorIiSaIiEE9push_backEOi",
                                 "_ZNKSs4findEPKcm",
                                 "_ZNSsC2ERKSs",
                                 "_ZN12_GLOBAL__N_13runEv.cold",
                                 "_ZZN3fooIiEEvT_ENKUlS0_T_E_clIPKcEEDaS0_S1_",
                                 "_Z1fIJidPcEEvDpRKT_",
                                 "_ZTVN10__cxxabiv117__class_type_infoE",
                                 "_ZThn16_N3Foo3getEv",
                                 "_ZTv0_n24_NSt9basic_iosIcSt11char_traitsIcEED1Ev",
                                 "_Z1fIiEDTplfp_Li1EET_",
                                 "_Z1gILb1ELin5ELj7EEvA10_KiM3FooFivE",
                                 "_Z3runIXadL_Z3onevEEEvv",
                                 "_ZlsRSoRK3Foo",
                                 "_ZN1AC2B5cxx11ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
                                 "_Z1hIJiEJdcEEvSt5tupleIJDpT_EES0_IJDpT0_EE",
                                 "_ZN3FooIiEdlEPv",
                                 "_ZGVZ4mainE1x",
                                 "_Zli3_kmy",
                                 "_Z1fDv4_fDF16_DnPFvvE",
                                 "_Z1fIiEvN3FooIT_E4typeES3_"}) {
    const std::string whole = ByTheBook(name);
    if (whole.empty()) continue;
    const std::optional<size_t> size = DemangledSize(name, kMostDemangledBytes);
    ASSERT_TRUE(size) << name;
    EXPECT_GE(*size, whole.size()) << name << " " << whole;
    EXPECT_LE(*size, 4 * whole.size() + 64) << name << " " << whole;
  }
}

TEST(Demangle, SizeOfDoublingReferences) {
  const std::string name = Doubling(10);
  const std::optional<size_t> size = DemangledSize(name, kMostDemangledBytes);
  ASSERT_TRUE(size);
  EXPECT_GE(*size, ByTheBook(name).size());
  EXPECT_EQ(DemangledSize(name, *size - 1), std::nullopt);
  EXPECT_EQ(DemangledSize(name, *size), size);
}

TEST(Demangle, NamesThatStandForGigabytes) {
  std::string parameters = "_Z1fIiEvT_", nested = "i", packs = "_Z1fIJiiiiiiiiiiEEv", folded = "T_",
              empty = "_Z1fIJEEv1a";
  for (int i = 0; i < 60; ++i) {
    parameters += "F" + Reference(2 * i + 1) + Reference(2 * i + 1) + "E" + "P" + Reference(2 * i + 2);
    nested = "XadL_Z1gI" + nested + "EvT_T_EE";
    packs += "Dp";
    folded = "DpF" + folded + "T_E";
  }
  for (int i = 0; i < 60; ++i) empty += "F" + Reference(i) + Reference(i) + "E";
  for (const std::string& name : {Doubling(30), Doubling(60), parameters, "_Z1fI" + nested + "EvT_T_", packs + "T_",
                                  "_Z1fIJiiiiiiiiiiEEv" + folded, "_Z1fv" + std::string(8000, 'P') + "i",
                                  "_Z1fIJ" + std::string(200, 'i') + "EEvDpFvDpFvDpFvT_ET_ET_E",
                                  empty + "Dp" + Reference(60), "_Z1f" + std::string(8000, 'N')}) {
    EXPECT_EQ(DemangledSize(name, kMostDemangledBytes), std::nullopt) << name.substr(0, 100);
    // As quick as names are long: a name that is expanded takes minutes or the machine's memory.
    EXPECT_EQ(Demangle(name), std::nullopt) << name.substr(0, 100);
  }
}

// Cut off at each byte, and each byte another: nothing may be read beyond the end.
TEST(Demangle, BrokenNames) {
  const std::string name = "_ZN4shop6KernelINS_5ShapeIiLi4EEEJidEEEvT_DpRKT0_DTplfp_Li1EE";
  for (size_t i = 0; i < name.size(); ++i) {
    static_cast<void>(DemangledSize(std::string_view(name).substr(0, i), kMostDemangledBytes));
    for (const char c : {'E', 'I', 'S', 'T', 'X', 'Z', '9', '_', '\0'}) {
      std::string other = name;
      other[i] = c;
      static_cast<void>(DemangledSize(other, kMostDemangledBytes));
    }
  }
}

}  // namespace
}  // namespace warpscope::base
