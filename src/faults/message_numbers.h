// What the numbers in a driver's message say, in sentences: Event::details. Each function reads the text behind
// "Xid (PCI:...): CODE, pid=..., name=..., " and changes severity and action where the numbers decide them. Text that
// fits none of the public forms is left alone. [MT] Pure.
#pragma once

#include <string_view>

#include "faults/event.h"

namespace warpscope::faults {

// Xid 144-150: "RLW_REMAP Nonfatal XC0 i0 Link 00 (0x00000004 0x00000001 ...)"; the numbers are IntrInfo and the error
// status. Source: nvlink5.def.
void ReadNvlink5(int code, std::string_view text, Event* event);

// Xid 74 up to Hopper: "NVLink: fatal error detected on link 14(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)". Source: Xid
// catalog, WORKFLOW_NVLINK_ERR.
void ReadNvlinkRegisters(std::string_view text, Event* event);

// Xid 154: "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)", also without the numbers, and
// in the words of R610 ("0x1 (PF FLR)", "0x2 (OS Reboot)").
void ReadRecoveryAction(std::string_view text, Event* event);

// Xid 13: "Graphics SM Warp Exception on (GPC 0, TPC 1, SM 0): Out Of Range Address" and its kin.
void ReadException(std::string_view text, Event* event);
// Xid 31: "MMU Fault: ENGINE GRAPHICS GPC0 GPCCLIENT_T1_3 faulted @ 0x7f97_94000000. Fault is of type FAULT_PDE
// ACCESS_TYPE_VIRT_WRITE". Source: open-gpu-kernel-modules, kern_gmmu_*.c.
void ReadMmuFault(std::string_view text, Event* event);
// Xid 48 and its kin: whether the memory is DRAM or on the chip.
void ReadEccPlace(std::string_view text, Event* event);
// Xid 119: "Timeout after 45s of waiting for RPC response from GPU6 GSP! Expected function 76 (GSP_RM_CONTROL)".
void ReadGspTimeout(std::string_view text, Event* event);

}  // namespace warpscope::faults
