#include "agent/counters/pm_device.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

namespace warpscope::agent {
namespace {

using perf::Sized;

constexpr uint64_t kBytesOfSample = uint64_t{24} << 10;  // of the hardware's buffer; it grows if it was too small
constexpr uint64_t kLeastBuffer = uint64_t{16} << 20, kMostBuffer = uint64_t{256} << 20;
constexpr uint64_t kMostImage = uint64_t{48} << 20;

// A window ends a little late, so its image has room for more samples than were planned; and back.
uint32_t SlackOf(uint32_t samples) { return samples + samples / 16 + 32; }
uint32_t LessSlack(uint32_t room) { return room > 64 ? (room - 32) / 17 * 16 : room / 2; }

int64_t SteadyNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

// Keeps the longest time of its scope.
class Longest {
 public:
  explicit Longest(int64_t* longest) : longest_(longest), begin_(SteadyNs()) {}
  ~Longest() {
    const int64_t took = SteadyNs() - begin_;
    if (took > *longest_) *longest_ = took;
  }
  Longest(const Longest&) = delete;
  Longest& operator=(const Longest&) = delete;

 private:
  int64_t* longest_;
  int64_t begin_;
};

}  // namespace

int PmDevice::Open(const perf::ProfilerFunctions* functions, uint32_t device, const Plan& plan, bool (*go_on)(),
                   const char** call) {
  functions_ = functions;
  device_ = device;
  *call = "cuptiDeviceGetChipName";
  auto chip = Sized<perf::DeviceChipName>();
  chip.device = device;
  if (const int answer = functions_->ChipName(&chip); answer != perf::kOk) return answer;
  strncpy(chip_, chip.chip == nullptr ? "" : chip.chip, sizeof(chip_) - 1);

  *call = "cuptiPmSamplingGetCounterAvailability";
  auto availability = Sized<perf::PmAvailability>();
  availability.device = device;
  if (const int answer = functions_->PmAvailability(&availability); answer != perf::kOk) return answer;
  availability_ = static_cast<uint8_t*>(malloc(availability.bytes));
  if (availability_ == nullptr) return perf::kOutOfMemory;
  availability.image = availability_;
  if (const int answer = functions_->PmAvailability(&availability); answer != perf::kOk) return answer;

  *call = "cuptiProfilerHostInitialize";
  if (const int answer = host_.Open(functions_, perf::kPmSampling, chip_, availability_); answer != perf::kOk)
    return answer;
  go_on();
  *call = "cuptiProfilerHostGetNumOfPasses";
  if (!sets_.Build(&host_, plan, go_on)) return perf::kNotSupported;
  values_ = static_cast<float*>(malloc(sizeof(float) * kPieceSamples * PmSet::kMostMetrics));
  return values_ == nullptr ? perf::kOutOfMemory : Enable(call);
}

int PmDevice::Enable(const char** call) {
  *call = "cuptiPmSamplingEnable";
  const Longest time(&costs_.enable_ns);
  auto enable = Sized<perf::PmEnable>();
  enable.device = device_;
  const int answer = functions_->PmEnable(&enable);
  sampler_ = answer == perf::kOk ? enable.sampler : nullptr;
  set_ = kNoSet;
  return answer;
}

void PmDevice::Disable() {
  if (sampler_ == nullptr) return;
  auto object = Sized<perf::PmObject>();
  object.sampler = sampler_;
  functions_->PmDisable(&object);
  sampler_ = nullptr;
}

void PmDevice::Close() {
  Disable();
  host_.Close();
  sets_.Close();
  free(availability_), free(image_), free(values_);
  availability_ = image_ = nullptr, values_ = nullptr;
}

int PmDevice::Configure(uint32_t set, int64_t interval_ns, uint32_t most_samples, const char** call) {
  const uint64_t wanted = kBytesOfSample * most_samples;
  uint64_t bytes = buffer_bytes_ > wanted ? buffer_bytes_ : wanted;
  if (grow_) bytes = buffer_bytes_ * 2;
  bytes = bytes < kLeastBuffer ? kLeastBuffer : bytes > kMostBuffer ? kMostBuffer : bytes;
  if (set == set_ && interval_ns == interval_ns_ && bytes == buffer_bytes_) return perf::kOk;
  // One configuration an object: of every window after a change of sets CUPTI decoded not one sample (H200, 13.0.1).
  if (set_ != kNoSet) {
    Disable();
    if (const int answer = Enable(call); answer != perf::kOk) return answer;
  }
  *call = "cuptiPmSamplingSetConfig";
  const Longest time(&costs_.config_ns);
  auto config = Sized<perf::PmSetConfig>();
  config.sampler = sampler_;
  config.config = sets_.sets[set].host.config(), config.config_bytes = sets_.sets[set].host.config_bytes();
  config.hardware_buffer_bytes = bytes;
  config.interval = static_cast<uint64_t>(interval_ns);
  config.append = perf::kKeepOldest;
  config.trigger = trigger_;
  int answer = functions_->PmSetConfig(&config);
  if (answer != perf::kOk && trigger_ == perf::kTimeInterval) {
    // Turing and GA100 count cycles of the system's clock instead, which runs at about 1 GHz and more
    // (cupti_pmsampling.h).
    config.trigger = perf::kSystemClockInterval;
    const int other = functions_->PmSetConfig(&config);
    if (other == perf::kOk) trigger_ = config.trigger, answer = other;
  }
  if (answer != perf::kOk) return answer;
  set_ = set, interval_ns_ = interval_ns, buffer_bytes_ = bytes, grow_ = false;
  costs_.buffer_bytes = bytes;
  return perf::kOk;
}

// How many of the wanted samples an image of the set in use may hold, and its bytes; 0: CUPTI does not say.
uint32_t PmDevice::Room(uint32_t wanted, uint64_t* bytes) const {
  auto size = Sized<perf::PmImageSize>();
  size.sampler = sampler_;
  size.names = const_cast<const char**>(sets_.sets[set_].names), size.count = sets_.sets[set_].count;
  for (size.most_samples = wanted; size.most_samples > 0;) {
    if (functions_->PmImageSize(&size) != perf::kOk) return 0;
    *bytes = size.bytes;
    if (size.bytes <= kMostImage) return static_cast<uint32_t>(size.most_samples);
    // Nearly in proportion, and a little less.
    size.most_samples = size.most_samples * kMostImage / size.bytes * 15 / 16;
  }
  return 0;
}

// For the samples that are wanted, or as many as the bound on its memory allows. Before sampling begins: to ask for a
// size takes milliseconds, by which a window would become longer than its image.
bool PmDevice::MakeImage(uint32_t wanted) {
  if (image_set_ != set_ || image_wanted_ < wanted) {
    uint64_t bytes = 0;
    const uint32_t samples = Room(wanted, &bytes);
    if (samples == 0) return false;
    auto* const image = static_cast<uint8_t*>(realloc(image_, bytes));
    if (image == nullptr) return false;
    image_ = image, image_bytes_ = bytes, image_set_ = set_, image_samples_ = samples;
    image_wanted_ = wanted;
    if (image_bytes_ > costs_.image_bytes) costs_.image_bytes = image_bytes_;
  }
  auto initialize = Sized<perf::ImageInitialize>();
  initialize.profiler = sampler_, initialize.bytes = image_bytes_, initialize.image = image_;
  return functions_->PmImageInitialize(&initialize) == perf::kOk;
}

int PmDevice::TryStart(uint32_t set, int64_t interval_ns, uint32_t wanted, uint32_t* most_samples, const char** call) {
  if (const int answer = Configure(set, interval_ns, wanted, call); answer != perf::kOk) return answer;
  *call = "cuptiPmSamplingCounterDataImageInitialize";
  if (!MakeImage(SlackOf(wanted))) return perf::kOutOfMemory;
  *most_samples = image_samples_ >= SlackOf(wanted) ? wanted : LessSlack(image_samples_);
  *call = "cuptiPmSamplingStart";
  next_ = completed_ = 0;
  auto object = Sized<perf::PmObject>();
  object.sampler = sampler_;
  const Longest time(&costs_.start_ns);
  return functions_->PmStart(&object);
}

int PmDevice::Start(uint32_t set, int64_t interval_ns, uint32_t wanted, uint32_t* most_samples, const char** call) {
  const int answer = TryStart(set, interval_ns, wanted, most_samples, call);
  if (answer == perf::kOk) return answer;
  // A new object has nothing left of what came before: a CUPTI that wants a configuration for every start; a window
  // whose buffer overflowed, after which every start answered 999 (H200, CUPTI 13.0.1).
  Disable();
  const char* enable = nullptr;
  if (Enable(&enable) != perf::kOk) return answer;
  return TryStart(set, interval_ns, wanted, most_samples, call);
}

int PmDevice::Stop() {
  const Longest time(&costs_.stop_ns);
  auto object = Sized<perf::PmObject>();
  object.sampler = sampler_;
  return functions_->PmStop(&object);
}

int PmDevice::Decode(bool* overflow, bool* full) {
  *overflow = *full = false;
  auto decode = Sized<perf::PmDecode>();
  decode.sampler = sampler_, decode.image = image_, decode.bytes = image_bytes_;
  int answer = 0;
  {
    const Longest time(&costs_.decode_ns);
    answer = functions_->PmDecode(&decode);
  }
  *overflow = decode.overflow != 0 || answer == perf::kOutOfMemory;
  *full = decode.stop == perf::kStoppedImageFull;
  grow_ = grow_ || *overflow;
  if (answer != perf::kOk && answer != perf::kOutOfMemory) return answer;
  auto info = Sized<perf::PmImageInfo>();
  info.image = image_, info.bytes = image_bytes_;
  if (const int asked = functions_->PmImageInfo(&info); asked != perf::kOk) return asked;
  completed_ = info.completed < image_samples_ ? static_cast<uint32_t>(info.completed) : image_samples_;
  next_ = 1;  // the first one spans the time since sampling was enabled
  return perf::kOk;
}

bool PmDevice::Take(Piece* piece) {
  piece->count = 0, piece->values = values_;
  if (next_ >= completed_) return false;
  const Longest time(&costs_.evaluate_ns);
  const PmSet& set = sets_.sets[set_];
  double row[PmSet::kMostMetrics];
  const uint32_t end = completed_ - next_ < kPieceSamples ? completed_ : next_ + kPieceSamples;
  // Sample by sample as CUPTI gives them; put in order of metrics below.
  for (; next_ < end; ++next_) {
    auto sample = Sized<perf::PmSampleInfo>();
    sample.sampler = sampler_, sample.image = image_, sample.bytes = image_bytes_, sample.sample = next_;
    if (functions_->PmSampleInfo(&sample) != perf::kOk || sample.start == 0 || sample.end <= sample.start) continue;
    if (const int answer = set.host.Evaluate(image_, image_bytes_, next_, set.names, set.count, row);
        answer != perf::kOk) {
      ++costs_.not_evaluated;
      costs_.evaluate_answer = answer;
      continue;
    }
    const uint32_t at = piece->count++;
    piece->times[at] = {static_cast<int64_t>(sample.start), static_cast<int64_t>(sample.end - sample.start)};
    for (uint32_t metric = 0; metric < set.count; ++metric)
      values_[size_t{metric} * kPieceSamples + at] = static_cast<float>(row[metric]);
  }
  for (uint32_t metric = 1; metric < set.count && piece->count < kPieceSamples; ++metric)
    memmove(values_ + size_t{metric} * piece->count, values_ + size_t{metric} * kPieceSamples,
            sizeof(float) * piece->count);
  return true;
}

}  // namespace warpscope::agent
