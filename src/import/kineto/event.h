// RawEvent: one element of traceEvents as read, before it means anything. Texts are views into the block.
// [one thread]
#pragma once

#include <cstdint>
#include <string_view>

namespace warpscope::import::kineto {

struct TextSpan {
  const char* at = nullptr;
  uint32_t size = 0;
  uint8_t odd = 0;  // kHasEscape ...: the text is not what it says byte for byte
  std::string_view view() const { return {at, size}; }
};

// pid and tid: numbers, numbers in quotes, or words ("Spans", "stream 7").
struct Ident {
  enum class Form : uint8_t { kAbsent, kNumber, kText } form = Form::kAbsent;
  int64_t number = 0;
  TextSpan text;
};

enum class NumberArg : uint8_t {
  kAddress,
  kAllocated,
  kBlockedOnRecord,
  kBytes,
  kConnection,  // Ascend
  kContext,
  kCopySize,
  kCorrelation,
  kDevice,
  kDeviceId,
  kDeviceType,
  kElements,  // Ascend
  kExternalId,
  kForwardThread,
  kGraphId,
  kGraphNode,
  kGroupSize,
  kInElements,
  kMemoryBytes,
  kOccupancy,
  kOutElements,
  kPythonId,
  kRank,
  kRegisters,
  kReserved,
  kSequence,
  kSequenceInGroup,
  kSharedBytes,
  kStream,
  kWaitStream,
  kCount
};

enum class TextArg : uint8_t {
  kCallStack,
  kCollective,
  kCommsId,
  kConcreteInputs,
  kCopyDetails,  // TensorFlow and JAX
  kCopyKind,
  kDtype,
  kGroupName,
  kGroupRanks,
  kInputDims,
  kInputStrides,
  kInputTypes,
  kKernelDetails,  // TensorFlow and JAX
  kSourceMemory,
  kSyncKind,
  kTargetMemory,
  kTaskType,  // Ascend
  kCount
};

struct RawEvent {
  // Which members were there and usable.
  enum Part : uint32_t { kName = 1, kTs = 2, kDur = 4, kId = 8, kGrid = 16, kBlock = 32, kArgs = 64, kCat = 128 };
  uint32_t has;
  uint32_t number_has;   // bit per NumberArg
  uint32_t text_has;     // bit per TextArg
  uint32_t bad_numbers;  // inf, nan, N/A ... where a number belongs
  char phase;            // 0: absent
  bool ts_out_of_range;
  TextSpan name, cat, id;
  Ident pid, tid;
  int64_t ts_ns, dur_ns;
  uint64_t number[static_cast<size_t>(NumberArg::kCount)];
  TextSpan text[static_cast<size_t>(TextArg::kCount)];
  uint32_t grid[3], block[3];
  TextSpan args;  // the whole object

  void Clear() {
    has = number_has = text_has = bad_numbers = 0;
    phase = 0;
    ts_out_of_range = false;
    name = cat = TextSpan();  // an absent text reads as ""
    pid.form = tid.form = Ident::Form::kAbsent;
  }
  bool Has(Part what) const { return (has & what) != 0; }
  bool Has(NumberArg arg) const { return (number_has >> static_cast<unsigned>(arg) & 1) != 0; }
  bool Has(TextArg arg) const { return (text_has >> static_cast<unsigned>(arg) & 1) != 0; }
  uint64_t Number(NumberArg arg, uint64_t absent) const { return Has(arg) ? number[static_cast<size_t>(arg)] : absent; }
  int64_t Signed(NumberArg arg, int64_t absent) const {
    return Has(arg) ? static_cast<int64_t>(number[static_cast<size_t>(arg)]) : absent;
  }
  TextSpan Text(TextArg arg) const { return text[static_cast<size_t>(arg)]; }
};

}  // namespace warpscope::import::kineto
