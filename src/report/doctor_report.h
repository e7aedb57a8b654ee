// The diagnosis of a machine on a terminal and as JSON (docs/schema/doctor.md). [MT] Pure.
#pragma once

#include <string>

#include "doctor/doctor.h"
#include "report/terminal.h"

namespace warpscope::report {

struct DoctorOptions {
  bool all = false;  // every step in full, also those in order
};

std::string DoctorText(const doctor::Machine& machine, const doctor::Diagnosis& diagnosis, const Terminal& terminal,
                       const DoctorOptions& options);
std::string DoctorJson(const doctor::Machine& machine, const doctor::Diagnosis& diagnosis);

}  // namespace warpscope::report
