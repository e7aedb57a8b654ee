// Reader: planes of one XSpace become rows. Device planes first need the host's process, so a plane may come in any
// order. [one thread]
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "import/appender.h"
#include "import/xplane/plane.h"

namespace warpscope::import::xplane {

class Reader {
 public:
  // base_ns: added to every time; see TimeBase().
  Reader(Appender* appender, int64_t base_ns) : out_(appender), base_ns_(base_ns), process_(appender->Process(-1)) {}

  void AddPlane(const Plane& plane, uint64_t offset_bytes);
  // What only all planes together tell.
  void Finish();
  uint64_t rows() const { return rows_; }
  bool has_tpu() const { return has_tpu_; }

 private:
  void AddDevicePlane(const Plane& plane);
  void AddGpuLine(const Plane& plane, const Line& line, uint32_t device);
  void AddTpuLine(const Plane& plane, const Line& line, uint32_t device);
  void AddHostPlane(const Plane& plane);
  void AddHostEvent(const Event& event, const Line& line, uint32_t thread);
  void AddMemory(const Event& event, int64_t time_ns, uint32_t thread);
  void AddKernel(const Event& event, int64_t start_ns, int64_t dur_ns, uint32_t stream);
  void Annotate(const Event& event, int64_t start_ns, int64_t end_ns, uint32_t stream);
  uint32_t DeviceOf(const Plane& plane);
  int64_t StartNs(const Line& line, const Event& event) const;
  int64_t LengthNs(const Line& line, const Event& event) const;

  Appender* out_;
  int64_t base_ns_;
  uint32_t process_;
  std::map<std::string, uint32_t, std::less<>> device_names_;
  std::set<int64_t> device_ids_;
  std::map<uint32_t, std::pair<std::string_view, size_t>> open_modules_;  // stream -> module text and annotation row
  uint64_t rows_ = 0, broken_ = 0, untimed_ = 0, derived_ = 0, implausible_ = 0;
  bool has_tpu_ = false;
};

}  // namespace warpscope::import::xplane
