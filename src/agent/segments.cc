#include "agent/segments.h"

#include "agent/session.h"

namespace warpscope::agent {
namespace {

constexpr int kPieces = 4;  // whole files that cover the time, beside the one being written

int64_t g_piece_ns = 0;  // 0: no ring
int64_t g_turned_ns = 0;
bool g_frozen = false;

}  // namespace

void InitSegments(uint32_t ring_ms, int64_t now_ns) {
  g_piece_ns = int64_t{ring_ms} * 1'000'000 / kPieces;
  g_turned_ns = now_ns;
  if (g_piece_ns == 0) return;
  g_session.encoder.End(0);  // of the first file, which holds nothing
  g_session.file.Next();
}

void TurnSegments(int64_t now_ns) {
  Session& s = g_session;
  if (g_piece_ns == 0) return;
  const bool frozen = s.windows.froze();
  if (frozen && !g_frozen) s.file.KeepSoFar();
  g_frozen = frozen;
  // Without new records there is nothing to make room for: the last ones stay.
  if (frozen || !s.windows.recording() || now_ns - g_turned_ns < g_piece_ns) return;
  g_turned_ns = now_ns;
  s.encoder.End(s.writer_cpu_ns);  // this file is whole
  if (!s.file.Next()) return;
  s.encoder.ForgetDefinitions();
  s.encoder.Window(true, "the last part of a ring", now_ns);
  s.encoder.DefineAgain();
  s.notes.TellAgain(&s.encoder);
  s.file.RemoveOld(kPieces + 1);
}

}  // namespace warpscope::agent
