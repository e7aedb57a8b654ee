// Words for the model's kinds, as they stand in CSV files.
// [MT] pure functions.
#pragma once

#include <string_view>

#include "model/trace.h"

namespace warpscope::exporting::csv {

std::string_view WordOf(model::HostKind kind);
std::string_view WordOf(model::GpuKind kind);
std::string_view WordOf(model::CopyKind kind);
std::string_view WordOf(model::MemoryKind kind);
std::string_view WordOf(model::SyncKind kind);
std::string_view WordOf(model::Vendor vendor);
std::string_view WordOf(model::SummaryKind kind);
std::string_view WordOf(model::AdviceKind kind);

}  // namespace warpscope::exporting::csv
