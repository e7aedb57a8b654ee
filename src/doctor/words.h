// Words that several links use. [MT] Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/machine.h"

namespace warpscope::doctor {

std::string Plural(size_t count, std::string_view one);  // "1 device", "2 devices"
// "a, b, c and 5 more".
std::string Joined(const std::vector<std::string>& words, size_t most = 4);
std::string Gibibytes(double bytes);  // "79.6 GiB", "512 MiB"
std::string Lower(std::string_view text);
bool Holds(std::string_view text, std::string_view part);  // whatever the case of `text`; `part` in small letters

// How a container of this kind gets devices, and the driver's libraries.
std::string DeviceFlags(const std::string& container);
std::string LibraryFlags(const std::string& container);
std::string RestartContainer(const std::string& container);

// "PCIe 4.0" of 16 GT/s; 0 for rates that no generation has.
int PcieGeneration(double gt_per_s);

// The library that a program would load under this name; null if none is known.
const Library* ChosenLibrary(const Machine& machine, std::string_view name);

// What computing on devices of a vendor other than NVIDIA stands on.
struct Stack {
  Vendor vendor;
  std::vector<std::string_view> modules;    // one of them drives the device; empty: not looked at
  std::string_view install;                 // what to do where none is loaded
  std::vector<std::string_view> nodes;      // starts of paths; all are needed
  std::string_view groups;                  // that may open them
  std::vector<std::string_view> libraries;  // starts of names; one is needed
  std::string_view library_install;
  std::string_view tool;  // that shows the devices
};
const Stack* StackOf(Vendor vendor);  // null for NVIDIA and unknown ones

}  // namespace warpscope::doctor
