#include "page/head.h"

#include <algorithm>

#include "base/version.h"
#include "report/json_fields.h"

namespace warpscope::page {
namespace {

using Layout = report::JsonWriter::Layout;

// Last end of anything drawn, relative to `origin_ns`.
int64_t EndNs(const Timeline& timeline, int64_t origin_ns) {
  int64_t end_ns = origin_ns;
  for (const Track& track : timeline.tracks) {
    for (uint32_t lane = track.lane_begin; lane < track.lane_end; ++lane) {
      const Lane& of = timeline.lanes[lane];
      if (of.begin < of.end) end_ns = std::max(end_ns, timeline.EndNs(track.table, timeline.rows[of.end - 1]));
    }
    if (track.table == SpanTable::kSeries)
      end_ns = std::max(end_ns, timeline.series[track.series].points.back().time_ns);
  }
  return end_ns - origin_ns;
}

class HeadWriter : report::JsonFields {
 public:
  HeadWriter(const Content& content, const Timeline& timeline) : content_(content), timeline_(timeline) {}

  std::string Write(const std::vector<std::string>& limits, const std::vector<std::string>& sections) {
    json_.BeginObject(Layout::kCompact);
    Text("schema", "warpscope.report/1");
    json_.Key("product");
    json_.BeginObject();
    Text("name", kProductName);
    Text("version", kVersion);
    json_.EndObject();
    Text("title", content_.title);
    Text("lang", content_.language);
    Text("mode", content_.paged ? "view" : "file");
    json_.Key("verdict");
    content_.verdict_json.empty() ? json_.Null() : json_.Document(content_.verdict_json);
    MaybeText("verdict_error", content_.verdict_error);
    Time();
    Counts();
    Texts("limits", limits);
    Texts("sections", sections);
    Findings();
    Steps();
    json_.EndObject();
    return json_.Take();
  }

 private:
  void Int(std::string_view key, int64_t value) {
    json_.Key(key);
    json_.Int(value);
  }
  void Texts(std::string_view key, const std::vector<std::string>& texts) {
    json_.Key(key);
    json_.BeginArray();
    for (const std::string& text : texts) json_.String(text);
    json_.EndArray();
  }
  void Time() {
    json_.Key("time");
    json_.BeginObject();
    Text("origin_ns", std::to_string(content_.origin_ns));
    Int("begin_ns", 0);
    Int("end_ns", EndNs(timeline_, content_.origin_ns));
    json_.EndObject();
  }
  void Counts() {
    const model::Trace& trace = timeline_.trace;
    json_.Key("counts");
    json_.BeginObject();
    UInt("host", trace.host.size());
    UInt("gpu", trace.gpu.size());
    UInt("spans", timeline_.rows.size());
    UInt("gaps", timeline_.gaps.size());
    UInt("series", timeline_.series.size());
    UInt("ranks", timeline_.index.ranks().size());
    UInt("devices", static_cast<uint64_t>(std::count_if(trace.devices.begin(), trace.devices.end(),
                                                        [](const model::Device& device) { return device.used; })));
    json_.EndObject();
  }
  void Findings() {
    json_.Key("findings_at");
    json_.BeginArray();
    for (const FindingPlace& place : content_.places) {
      json_.BeginObject();
      UInt("finding", place.finding);
      Int("begin_ns", place.where.begin_ns - content_.origin_ns);
      Int("end_ns", place.where.end_ns - content_.origin_ns);
      json_.Key("track");
      const uint32_t track = TrackOf(place.where);
      track == model::kNone ? json_.Null() : json_.UInt(track);
      json_.EndObject();
    }
    json_.EndArray();
  }
  uint32_t TrackOf(const rules::Where& where) const {
    if (where.gpu_row != model::kNone) return timeline_.TrackOfStream(timeline_.trace.gpu.stream[where.gpu_row]);
    return where.thread == model::kNone ? model::kNone : timeline_.TrackOfThread(where.thread);
  }
  void Steps() {
    json_.Key("steps");
    json_.BeginArray();
    const bool found = content_.steps.source != analysis::StepSource::kWholeWindow;
    for (size_t i = 0; found && i < std::min(content_.steps.steps.size(), kMaxSteps); ++i) {
      const analysis::Step& step = content_.steps.steps[i];
      json_.BeginObject();
      Text("label", step.label);
      Int("begin_ns", step.begin_ns - content_.origin_ns);
      Int("end_ns", step.end_ns - content_.origin_ns);
      Int("gpu_end_ns", step.gpu_end_ns - content_.origin_ns);
      json_.Key("warmup");
      json_.Bool(step.warmup);
      json_.Key("outlier");
      json_.Bool(step.outlier);
      json_.EndObject();
    }
    json_.EndArray();
  }

  const Content& content_;
  const Timeline& timeline_;
};

class TracksWriter : report::JsonFields {
 public:
  std::string Write(const Timeline& timeline) {
    json_.BeginArray(Layout::kCompact);
    for (size_t i = 0; i < timeline.tracks.size(); ++i) {
      const Track& track = timeline.tracks[i];
      json_.BeginObject();
      UInt("id", i);
      Text("kind", track.kind);
      Text("group", track.group);
      Text("name", track.name);
      UInt("spans", track.spans);
      UInt("depths", track.lane_end - track.lane_begin);
      MaybeInt("pid", track.pid);
      MaybeInt("tid", track.tid);
      MaybeInt("rank", track.rank);
      MaybeInt("device", track.device);
      MaybeInt("stream", track.stream);
      if (track.table == SpanTable::kSeries) {
        Text("unit", track.unit);
        Range(timeline.series[track.series].points);
      }
      json_.EndObject();
    }
    json_.EndArray();
    return json_.Take();
  }

 private:
  void MaybeInt(std::string_view key, const std::optional<int64_t>& value) {
    if (!value) return;
    json_.Key(key);
    json_.Int(*value);
  }
  void Range(const std::vector<Point>& points) {
    std::optional<double> low, high;
    for (const Point& point : points) {
      if (point.value != point.value) continue;  // NaN: an end
      low = std::min<double>(low.value_or(point.value), point.value);
      high = std::max<double>(high.value_or(point.value), point.value);
    }
    MaybeNumber("min", low);
    MaybeNumber("max", high);
  }
};

}  // namespace

std::string HeadJson(const Content& content, const Timeline& timeline, const std::vector<std::string>& limits,
                     const std::vector<std::string>& sections) {
  return HeadWriter(content, timeline).Write(limits, sections);
}

std::string TracksJson(const Timeline& timeline) { return TracksWriter().Write(timeline); }

}  // namespace warpscope::page
