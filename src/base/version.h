// The product's name and version, in this one place. [MT] Constants.
#pragma once

namespace warpscope {
inline constexpr char kProductName[] = "warpscope";
inline constexpr char kVersion[] = "0.1.0";
}  // namespace warpscope
