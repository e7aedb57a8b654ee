#include "cupti/metric_host.h"

#include <math.h>
#include <stdlib.h>

namespace warpscope::cupti {

int MetricHost::Open(const ProfilerFunctions* functions, ProfilerType type, const char* chip,
                     const uint8_t* availability) {
  Close();
  functions_ = functions, type_ = type, chip_ = chip, availability_ = availability;
  return Reopen();
}

int MetricHost::Reopen() {
  if (host_ != nullptr) {
    auto params = Sized<HostObject>();
    params.host = host_;
    functions_->HostDeinitialize(&params);
    host_ = nullptr;
  }
  auto params = Sized<HostInitialize>();
  params.type = type_, params.chip = chip_, params.availability = availability_;
  const int answer = functions_->HostInitialize(&params);
  if (answer == kOk) host_ = params.host;
  configured_ = false;
  return answer;
}

void MetricHost::Close() {
  if (host_ != nullptr) {
    auto params = Sized<HostObject>();
    params.host = host_;
    functions_->HostDeinitialize(&params);
  }
  free(config_);
  host_ = nullptr, config_ = nullptr, config_bytes_ = passes_ = 0, configured_ = false;
}

int MetricHost::Configure(const char* const* names, size_t count) {
  if (configured_) {
    if (const int answer = Reopen(); answer != kOk) return answer;
  }
  configured_ = true;
  auto add = Sized<HostAddMetrics>();
  add.host = host_, add.names = const_cast<const char**>(names), add.count = count;
  if (const int answer = functions_->HostAddMetrics(&add); answer != kOk) return answer;
  auto size = Sized<HostConfigSize>();
  size.host = host_;
  if (const int answer = functions_->HostConfigSize(&size); answer != kOk) return answer;
  auto* const config = static_cast<uint8_t*>(realloc(config_, size.bytes));
  if (config == nullptr) return kOutOfMemory;
  config_ = config, config_bytes_ = size.bytes;
  auto image = Sized<HostConfig>();
  image.host = host_, image.bytes = config_bytes_, image.config = config_;
  if (const int answer = functions_->HostConfig(&image); answer != kOk) return answer;
  auto passes = Sized<HostPasses>();
  passes.bytes = config_bytes_, passes.config = config_;
  const int answer = functions_->HostPasses(&passes);
  passes_ = answer == kOk ? passes.passes : 0;
  return answer;
}

bool MetricHost::Knows(const char* name) const {
  Properties ignored;
  return Describe(name, &ignored);
}

int MetricHost::Evaluate(const uint8_t* image, size_t image_bytes, size_t range, const char* const* names, size_t count,
                         double* values) const {
  for (size_t i = 0; i < count; ++i) values[i] = NAN;
  auto params = Sized<HostEvaluate>();
  params.host = host_, params.image = image, params.image_bytes = image_bytes, params.range = range;
  params.names = const_cast<const char**>(names), params.count = count, params.values = values;
  return functions_->HostEvaluate(&params);
}

bool MetricHost::Describe(const char* name, Properties* properties) const {
  auto params = Sized<HostMetricProperties>();
  params.host = host_, params.name = name;
  if (functions_->HostMetricProperties(&params) != kOk) return false;
  const auto text = [](const char* given) { return given == nullptr ? "" : given; };
  *properties = {text(params.description), text(params.hardware_unit), text(params.unit), params.type};
  return true;
}

}  // namespace warpscope::cupti
