// What the numbers of a message say: against NVIDIA's public tables, row by row where it decides who must act.
#include "faults/message_numbers.h"

#include <gtest/gtest.h>

#include "faults/catalogue.h"

namespace warpscope::faults {
namespace {

std::string Joined(const Event& event) {
  std::string all;
  for (const std::string& detail : event.details) all += detail + "\n";
  return all;
}

struct LinkCase {
  int code;
  const char* text;
  Severity severity;
  Action action;
  const char* says;
};

TEST(Nvlink5, NumbersDecideTheAction) {
  constexpr LinkCase kCases[] = {
      // Since R575 the unit's code is IntrInfo[6:0].
      {145, "RLW_REMAP Nonfatal XC0 i0 Link 00 (0x00000004 0x00000001 0x00000000 0x00000000)", Severity::kError,
       Action::kRestartApplication, "Xid 154"},
      {145, "RLW_REMAP Fatal XC0 i0 Link 00 (0x00000004 0x00000040 0x00000000 0x00000000)", Severity::kCritical,
       Action::kResetGpu, "Xids that may come with it: 48, 45."},
      {145, "RLW_REMAP Nonfatal XC0 i0 Link 00 (0x00000004 0x00000100)", Severity::kInfo, Action::kNothing,
       "RLW_REMAP"},
      {145, "RLW_CTRL Nonfatal XC0 i0 Link 00 (0x00000003 0x80000000 0x00000000 0x00000000)", Severity::kWarning,
       Action::kWatch, "software"},
      // Before, IntrInfo[9:5] with the part in the bits below.
      {145, "RLW_REMAP Nonfatal XC0 i0 Link 00 (0x00000082 0x00000004)", Severity::kError, Action::kRestartApplication,
       "in the 30 s before"},
      // The receive pipe's errors may be raised to fatal ones.
      {145, "RLW_RXPIPE Nonfatal XC0 i0 Link 03 (0x00000006 0x00000001)", Severity::kWarning, Action::kWatch,
       "not fatal"},
      {145, "RLW_RXPIPE Fatal XC0 i0 Link 03 (0x00000086 0x00000001)", Severity::kCritical, Action::kResetGpu,
       "fatal for the GPU"},
      {145, "RLW_RXPIPE Fatal XC0 i0 Link 03 (0x000004c2 0x00000002)", Severity::kCritical, Action::kResetGpu,
       "fatal for the GPU"},
      // Two bits of a status: the one that asks for more.
      {145, "RLW_SRC_TRACK Fatal XC0 i0 Link 00 (0x00000007 0x00000003)", Severity::kCritical, Action::kResetGpu,
       "reset"},
      {146, "TLW_RX_PIPE1 Fatal XC0 i0 Link 03 (0x0000000b 0x00000004)", Severity::kCritical, Action::kResetGpu, "48"},
      {149, "NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x025001c6 0x00000000 0x00000000)", Severity::kCritical,
       Action::kResetGpu, "reason 37: the other side was reset"},
      {149, "NETIR_LINK_DOWN  Fatal   XC0 i0 Link 08 (0x00400011 0x00000000)", Severity::kCritical, Action::kResetGpu,
       "reason 4"},
      {149, "NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x026001c6 0x00000000 0x00000000)", Severity::kWarning,
       Action::kWatch, "reason 38"},
      {149, "NETIR_BER_EVENT Nonfatal XC0 i0 Link 03 (0x00086226 0x00000001)", Severity::kWarning, Action::kWatch,
       "cable"},
      {149, "NETIR_MFDE_EVENT Nonfatal XC0 i0 Link 00 (0x00000014 0x00000003)", Severity::kInfo, Action::kNothing,
       "NETIR_MFDE_EVENT"},
      {150, "MSE_WATCHDOG Fatal XC0 i0 Link 00 (0x00000000 0x00000000 0x00000000)", Severity::kCritical,
       Action::kResetGpu, "firmware"},
      // Numbers that the table does not hold: the word counts.
      {145, "RLW_RXPIPE Nonfatal XC1 i0 Link 13 (0x1 0x2)", Severity::kWarning, Action::kWatch, "XC1"},
      {149, "NETIR_LINK_EVT Fatal XC 1 i 2 Link 01 [0x0000000a]", Severity::kCritical, Action::kResetGpu, "injected"},
  };
  for (const LinkCase& one : kCases) {
    SCOPED_TRACE(one.text);
    Event event;
    event.entry = FindXid(static_cast<uint64_t>(one.code));
    ReadNvlink5(one.code, one.text, &event);
    EXPECT_EQ(event.severity, one.severity);
    EXPECT_EQ(event.action, one.action);
    EXPECT_NE(Joined(event).find(one.says), std::string::npos) << Joined(event);
    EXPECT_TRUE(event.link.has_value());
    EXPECT_FALSE(event.kind.empty());
  }
}

TEST(Nvlink5, TextWithoutNumbersIsLeftAlone) {
  for (const char* text : {"", "Placeholder message", "RLW_CTRL", "RLW_CTRL Fatal XC0 i0 Link 99999999999999999999 (0x",
                           "RLW_CTRL Fatal (0x10000000000000001 0x1)", "; drop (0x3 0x80000000)"}) {
    Event event;
    ReadNvlink5(145, text, &event);
    EXPECT_TRUE(event.details.empty()) << text;
  }
}

TEST(MessageNumbers, RegistersOfALinkError) {
  Event event;
  ReadNvlinkRegisters("NVLink: fatal error detected on link 14(0x10030, 0xffffffff, 0x40000, 0x0, 0x100000, 0x0, 0x0)",
                      &event);
  EXPECT_EQ(event.link, 14);
  ASSERT_EQ(event.details.size(), 4u);
  EXPECT_EQ(event.details[0].substr(0, 20), "Register 1, bit 4, 5");
  EXPECT_EQ(event.details[1].substr(0, 18), "Register 1, bit 16");
  EXPECT_EQ(event.details[2].substr(0, 18), "Register 3, bit 18");
  EXPECT_NE(event.details[3].find("work may go on"), std::string::npos);
  Event bare;
  ReadNvlinkRegisters("NVLink: fatal error detected on link 6", &bare);
  EXPECT_EQ(bare.link, 6);
  EXPECT_TRUE(bare.details.empty());
}

TEST(MessageNumbers, WhatTheDriverAsksFor) {
  struct Case {
    const char* text;
    Action action;
  };
  constexpr Case kCases[] = {
      {"GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)", Action::kReboot},
      {"GPU recovery action changed from None to Node Reboot Required", Action::kReboot},
      {"GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", Action::kResetGpu},
      {"GPU recovery action changed from 0x1 to 0x4", Action::kResetGpu},
      {"GPU recovery action changed from 0x0 (None) to 0x3 (Drain P2P)", Action::kWatch},
      {"GPU recovery action changed from 0x2 (Node Reboot Required) to 0x0 (None)", Action::kNothing},
      {"GPU recovery action changed from 0x0 to 0x77", Action::kFollowOther},
      // R610 and later.
      {"GPU recovery action changed from 0x0 (None) to 0x2 (OS Reboot)", Action::kReboot},
      {"GPU recovery action changed from 0x0 (None) to 0x1 (PF FLR)", Action::kResetGpu},
      {"GPU recovery action changed from 0x0 (None) to 0x5 (Bus Reset)", Action::kResetGpu},
      {"GPU recovery action changed from 0x0 to 0x6", Action::kReboot},
  };
  for (const Case& one : kCases) {
    Event event;
    event.action = Action::kFollowOther;
    ReadRecoveryAction(one.text, &event);
    EXPECT_EQ(event.action, one.action) << one.text;
    EXPECT_EQ(event.details.empty(), one.action == Action::kFollowOther) << one.text;
  }
}

TEST(MessageNumbers, PageFaults) {
  Event write;
  ReadMmuFault(
      "Ch 00000013, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_6 faulted @ 0x7f5a_e7504000. Fault is "
      "of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE",
      &write);
  ASSERT_EQ(write.details.size(), 2u);
  EXPECT_EQ(write.details[0], "A write by GRAPHICS at address 0x7f5ae7504000.");
  EXPECT_NE(write.details[1].find("nothing is mapped"), std::string::npos);
  Event null;
  ReadMmuFault(
      "MMU Fault: ENGINE GRAPHICS GPC1 GPCCLIENT_T1_3 faulted @ 0x0_00000010. Fault is of type FAULT_PTE "
      "ACCESS_TYPE_READ",
      &null);
  EXPECT_NE(Joined(null).find("null pointer"), std::string::npos);
  Event poisoned;
  poisoned.action = Action::kFixApplication;
  ReadMmuFault(
      "MMU Fault: ENGINE CE0 HUBCLIENT_CE0 faulted @ 0x7f_00000000. Fault is of type FAULT_INFO_TYPE_POISONED "
      "ACCESS_TYPE_PHYS_READ",
      &poisoned);
  EXPECT_EQ(poisoned.action, Action::kRestartApplication);
  Event old;
  ReadMmuFault("Ch 0000000b, engmask 00000120, intr 10000000", &old);
  EXPECT_TRUE(old.details.empty());
}

TEST(MessageNumbers, ExceptionsNameTheUnit) {
  Event event;
  ReadException("Graphics SM Warp Exception on (GPC 0, TPC 1, SM 2): Misaligned Address", &event);
  EXPECT_EQ(event.unit, "GPC 0, TPC 1, SM 2");
  EXPECT_NE(Joined(event).find("716"), std::string::npos);
  Event drawing;
  ReadException("Graphics Exception: ChID 000c, Class 0000c797, Offset 00000000, Data 00000000", &drawing);
  EXPECT_NE(Joined(drawing).find("drawing"), std::string::npos);
}

TEST(MessageNumbers, WhereAMemoryErrorLies) {
  Event dram, chip;
  ReadEccPlace("An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 4",
               &dram);
  ReadEccPlace("An uncorrectable ECC error has been detected on GPU in GSP-RISCV", &chip);
  EXPECT_NE(Joined(dram).find("DRAM"), std::string::npos);
  EXPECT_NE(Joined(chip).find("SRAM"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::faults
