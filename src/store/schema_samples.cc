// The tables of samples that are added up over the recording.
#include "store/rows_of.h"
#include "store/schema.h"

namespace warpscope::store {
namespace {

using model::Trace;

static_assert(sizeof(model::PcSample) == 48, "new member of PcSample: give it a column");
static_assert(sizeof(model::PcWindow) == 64, "new member of PcWindow: give it a column");

TableSchema PcSamples() {
  using P = model::PcSample;
  constexpr auto kRows = &Trace::pc_samples;
  return RowsOf<kRows>(
      "pc_samples", "Where warps stood and why they waited, by instruction and reason.",
      {
          RowOf("process", "row of processes", Target::kProcesses, false, kCell<kRows, &P::process>),
          Text("function", "of device code, as the timeline names kernels", kCell<kRows, &P::function>),
          Value("code", "checksum of its machine code; 0: unknown", kCell<kRows, &P::code>),
          Value("offset_bytes", "of the instruction in the function", kCell<kRows, &P::offset_bytes>),
          Text("file", "source", kCell<kRows, &P::file>),
          Value("line", "of the source; 0: unknown", kCell<kRows, &P::line>),
          Text("sass", "the instruction", kCell<kRows, &P::sass>),
          Text("reason", "as the recorder names it", kCell<kRows, &P::reason>),
          Value("samples", "samples", kCell<kRows, &P::samples>),
      });
}

TableSchema PcWindows() {
  using P = model::PcWindow;
  constexpr auto kRows = &Trace::pc_windows;
  return RowsOf<kRows>(
      "pc_windows", "Stretches of time in which a device was sampled.",
      {
          RowOf("process", "row of processes", Target::kProcesses, false, kCell<kRows, &P::process>),
          RowOf("device", "row of devices", Target::kDevices, false, kCell<kRows, &P::device>),
          Value("period_log2", "cycles of an SM between its samples, log2", kCell<kRows, &P::period_log2>),
          Value("start_ns", "begin", kCell<kRows, &P::start_ns>),
          Value("dur_ns", "length", kCell<kRows, &P::dur_ns>),
          Value("samples", "all samples", kCell<kRows, &P::samples>),
          Value("dropped", "that the hardware could not keep", kCell<kRows, &P::dropped>),
          Value("foreign", "of kernels that are not the program's", kCell<kRows, &P::foreign>),
          Value("buffer_full", "a buffer of the hardware was full", kCell<kRows, &P::buffer_full>),
      });
}

TableSchema Breaks() {
  using B = model::Break;
  constexpr auto kRows = &Trace::breaks;
  return RowsOf<kRows>("breaks", "Time without recording between two windows; it is cut out of all times of the run.",
                       {
                           Value("at_ns", "where it was cut out", kCell<kRows, &B::at_ns>),
                           Value("length_ns", "how long it was on the recorder's clock", kCell<kRows, &B::length_ns>),
                       });
}

}  // namespace

std::vector<TableSchema> SampleTables() { return {PcSamples(), PcWindows(), Breaks()}; }

}  // namespace warpscope::store
