// Forms of identifiers that name a machine, a card or a secret by themselves, whatever stands before them: the bytes
// that begin at `at` and are one, 0 if none does. [MT] Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace warpscope::doctor {

// MAC and EUI-64 addresses: "02:42:ac:11:00:02", "02-1A-2B-FF-FE-3C-4D-5E", "0242.ac11.0002", "506b:4b03:00c8:a4e2".
size_t LinkIdBytes(std::string_view text, size_t at);
// Hexadecimal digits: 12 (a MAC, a container's id) or 16 ("9f2c1d7a3b4e5f60", a card's or a port's) without "0x", which
// registers have, and not those that begin as addresses of memory do; 32 and more (ids of machines and starts, keys of
// services).
size_t HexIdBytes(std::string_view text, size_t at);
// "ip-10-1-2-3", "ec2-3-120-4-5": names of hosts that hold their address.
size_t AddressNameBytes(std::string_view text, size_t at);
// Secrets without a name: 40 letters, digits, "/" and "+" as AWS's secret keys have; long base64; fingerprints of keys.
size_t BareSecretBytes(std::string_view text, size_t at);

}  // namespace warpscope::doctor
