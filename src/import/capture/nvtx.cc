// NVTX ranges and marks.
#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

class Nvtx : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    Appender::Host row;
    row.kind = model::HostKind::kAnnotation;
    const uint64_t thread = in.Get();
    model::AnnotationDetail detail;
    detail.domain = state_.Text(in.Get());
    row.name = state_.Text(in.Get());
    in.Get();  // category
    row.start_ns = in.GetTime();
    if (tag == wire::kRange || tag == wire::kSpan) row.dur_ns = Length(in.Get());
    if (tag == wire::kSpan) in.Get();
    if (!in.ok() || tag == wire::kOpen || !state_.InRange(row.start_ns, row.dur_ns)) return;
    detail.form = tag == wire::kMark   ? model::AnnotationForm::kMark
                  : tag == wire::kSpan ? model::AnnotationForm::kStartEnd
                                       : model::AnnotationForm::kNested;
    if (!(detail == model::AnnotationDetail())) row.detail = state_.to.Annotation(detail);
    row.thread = state_.ThreadOf(thread);
    state_.Saw(row.start_ns + row.dur_ns);
    state_.to.Add(row);
  }
};

}  // namespace

std::unique_ptr<RecordGroup> MakeNvtx(State* state) { return std::make_unique<Nvtx>(state); }

}  // namespace warpscope::import::capture
