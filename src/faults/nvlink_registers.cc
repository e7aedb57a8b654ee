// Xid 74: the registers of a link error, bit by bit.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "faults/message_numbers.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

// NVIDIA's workflow for Xid 74 on Hopper: of the seven registers the first, third, fourth and fifth are judged.
struct Bits {
  size_t reg;  // from 1
  uint32_t mask;
  std::string_view text;
};
constexpr uint32_t Mask(std::initializer_list<int> bits) {
  uint32_t mask = 0;
  for (const int bit : bits) mask |= 1u << bit;
  return mask;
}
constexpr std::string_view kSafe = "can be ignored";
constexpr std::string_view kSecond = "mostly a consequence: look for the other fault first";
constexpr std::string_view kEcc = "likely hardware (ECC or parity), if it comes more than twice on the same link";
constexpr std::string_view kContact = "perhaps the connection: check and reseat it; test the link if it comes back";
constexpr std::string_view kSignal = "a weak signal: check the connection, then test the link";
constexpr std::string_view kAgain = "report it if it comes again and again";
constexpr std::string_view kTest = "test the GPU if it comes again and again";
constexpr std::string_view kFabric = "mostly a consequence, but the fabric has to be reset";
constexpr std::string_view kLimit = "many corrected errors, none that was not: work may go on";
constexpr std::string_view kOdd = "not expected outside of a laboratory: report it";
constexpr Bits kBits[] = {
    {1, Mask({4, 5}), kEcc},
    {1, Mask({8, 9, 12, 16, 17, 24, 28}), kContact},
    {1, Mask({21, 22}), kSignal},
    {1, Mask({27, 29}), kAgain},
    {1, Mask({1, 20}), kSecond},
    {1, Mask({0, 23, 30}), kSafe},
    {3, Mask({0, 1, 2, 6}), kEcc},
    {3, Mask({16, 19}), kTest},
    {3, Mask({17, 18}), kAgain},
    {3, Mask({13}), kOdd},
    {4, Mask({18}), kFabric},
    {4, Mask({16, 17}), kSecond},
    {5, Mask({18, 19, 21, 22, 24, 25, 27, 28}), kEcc},
    {5, Mask({20, 23, 26, 29}), kLimit},
};
constexpr size_t kMostDetails = 6;

std::string BitsOf(uint32_t value) {
  std::string text;
  for (int bit = 0; bit < 32; ++bit) {
    if ((value >> bit & 1) != 0) text += fmt::format("{}{}", text.empty() ? "" : ", ", bit);
  }
  return text;
}

std::optional<std::array<uint32_t, 8>> Registers(std::string_view text) {
  std::array<uint32_t, 8> registers{};
  size_t count = 0;
  for (size_t at = text.find("0x"); at != std::string_view::npos && count < 7; at = text.find("0x")) {
    text.remove_prefix(at + 2);
    const auto value = TakeHex(text);
    if (!value || *value > 0xFFFFFFFF) return {};
    registers[++count] = static_cast<uint32_t>(*value);
  }
  return count >= 5 ? std::optional(registers) : std::nullopt;
}

}  // namespace

void ReadNvlinkRegisters(std::string_view text, Event* event) {
  const auto behind = After(text, "link ");
  if (!behind) return;
  if (const auto link = NumberAfter(text, "link ")) event->link = static_cast<int64_t>(*link & 0xFFFF);
  const auto open = After(*behind, "(");
  const auto registers = open ? Registers(*open) : std::nullopt;
  if (!registers) return;
  for (const Bits& bits : kBits) {
    const uint32_t set = (*registers)[bits.reg] & bits.mask;
    if (set == 0 || event->details.size() >= kMostDetails) continue;
    event->details.push_back(fmt::format("Register {}, bit {}: {}.", bits.reg, BitsOf(set), bits.text));
  }
}

}  // namespace warpscope::faults
