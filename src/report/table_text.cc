// TableText: which columns fit, how wide each is, and the lines.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/table_report.h"
#include "report/text.h"
#include "view/format.h"

namespace warpscope::report {
namespace {

constexpr size_t kGap = 2;
// A name column is not squeezed below this while other columns may still go: one column, several.
constexpr size_t kNameMin = 36, kNamesMin = 24;
constexpr size_t kNameFloor = 10;

bool IsElastic(view::Kind kind) { return kind == view::Kind::kName || kind == view::Kind::kSentence; }
bool IsText(view::Kind kind) { return kind == view::Kind::kText || IsElastic(kind); }

struct Layout {
  std::vector<size_t> shown;   // column indices
  std::vector<size_t> widths;  // per shown column
  std::vector<size_t> hidden;
};

size_t TotalWidth(const std::vector<size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), size_t{0}) + (widths.empty() ? 0 : kGap * (widths.size() - 1));
}

// Narrows name columns, widest first, down to `floor` until the table fits.
void Squeeze(const view::Table& table, Layout& layout, size_t columns, size_t floor) {
  while (TotalWidth(layout.widths) > columns) {
    size_t widest = SIZE_MAX;
    for (size_t i = 0; i < layout.shown.size(); ++i) {
      if (!IsElastic(table.columns[layout.shown[i]].kind) || layout.widths[i] <= floor) continue;
      if (widest == SIZE_MAX || layout.widths[i] > layout.widths[widest]) widest = i;
    }
    if (widest == SIZE_MAX) return;
    const size_t over = TotalWidth(layout.widths) - columns;
    layout.widths[widest] -= std::min(over, layout.widths[widest] - floor);
  }
}

// Index into `shown` of the column to give up next; SIZE_MAX if none may go. Later columns go before earlier ones.
size_t NextToHide(const view::Table& table, const Layout& layout) {
  size_t found = SIZE_MAX;
  for (size_t i = 0; i < layout.shown.size(); ++i) {
    const int rank = table.columns[layout.shown[i]].rank;
    if (rank > 0 && (found == SIZE_MAX || rank >= table.columns[layout.shown[found]].rank)) found = i;
  }
  return found;
}

// A column that holds nothing in any row says nothing.
bool IsEmpty(const view::Table& table, size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return std::holds_alternative<std::monostate>(row[column]); });
}

Layout AllColumns(const view::Table& table, const std::vector<size_t>& natural, bool wide) {
  Layout layout;
  for (size_t i = 0; i < natural.size(); ++i) {
    const bool may_go = table.columns[i].rank >= (wide ? view::kDataOnly : 1);
    if (may_go && IsEmpty(table, i)) continue;
    if (!wide && table.columns[i].rank >= view::kDataOnly) {
      layout.hidden.push_back(i);
      continue;
    }
    layout.shown.push_back(i);
    layout.widths.push_back(natural[i]);
  }
  return layout;
}

Layout Fit(const view::Table& table, const std::vector<size_t>& natural, size_t columns, bool wide) {
  Layout layout = AllColumns(table, natural, wide);
  if (wide) return layout;
  const auto names = std::count_if(layout.shown.begin(), layout.shown.end(),
                                   [&](size_t i) { return IsElastic(table.columns[i].kind); });
  for (;;) {
    Layout tried = layout;
    Squeeze(table, tried, columns, names > 1 ? kNamesMin : kNameMin);
    const size_t hide = NextToHide(table, layout);
    if (TotalWidth(tried.widths) <= columns || hide == SIZE_MAX) {
      layout = std::move(tried);
      break;
    }
    layout.hidden.push_back(layout.shown[hide]);
    layout.shown.erase(layout.shown.begin() + static_cast<ptrdiff_t>(hide));
    layout.widths.erase(layout.widths.begin() + static_cast<ptrdiff_t>(hide));
  }
  Squeeze(table, layout, columns, kNameFloor);
  std::sort(layout.hidden.begin(), layout.hidden.end());
  return layout;
}

void AppendLine(std::string& out, std::string line, const Terminal& terminal, Ink ink) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += terminal.Paint(line, ink);
  out += '\n';
}

void AppendRow(std::string& out, const view::Table& table, const Layout& layout, const std::vector<std::string>& cells,
               const Terminal& terminal, Ink ink) {
  std::string line;
  std::vector<std::string> more;  // further lines of a sentence
  size_t more_indent = 0;
  for (size_t i = 0; i < layout.shown.size(); ++i) {
    const view::Kind kind = table.columns[layout.shown[i]].kind;
    const size_t width = layout.widths[i];
    const std::string& cell = cells[layout.shown[i]];
    if (i > 0) line.append(kGap, ' ');
    if (kind == view::Kind::kSentence && Width(cell) > width) {
      more = Wrap(cell, width);
      more_indent = Width(line);
      line += PadRight(more[0], width);
      continue;
    }
    std::string fitted = CutMiddle(cell, width, terminal.utf8);
    line += IsText(kind) ? PadRight(std::move(fitted), width) : PadLeft(std::move(fitted), width);
  }
  AppendLine(out, std::move(line), terminal, ink);
  for (size_t i = 1; i < more.size(); ++i) AppendLine(out, std::string(more_indent, ' ') + more[i], terminal, ink);
}

void AppendHidden(std::string& out, const view::Table& table, const Layout& layout, const Terminal& terminal) {
  if (layout.hidden.empty()) return;
  std::string names;
  for (const size_t column : layout.hidden) names += (names.empty() ? "" : ", ") + table.columns[column].heading;
  AppendWrapped(out, terminal, "", "", terminal.Say(fmt::format("--wide or --json also shows: {}", names)), Ink::kDim);
}

// Losses and warnings; what is merely worth knowing stands in `warpscope ledger` and in the JSON.
void AppendLedger(std::string& out, const view::Table& table, const Terminal& terminal) {
  for (const model::LedgerEntry& entry : table.ledger) {
    if (entry.severity == model::Severity::kInfo) continue;
    const Ink ink = entry.severity == model::Severity::kLoss ? Ink::kBad : Ink::kWarn;
    AppendWrapped(out, terminal, "", "  ",
                  fmt::format("{}: {}", terminal.Say(model::SeverityName(entry.severity)), entry.message), ink);
  }
}

}  // namespace

std::string TableText(const view::Table& table, const Terminal& terminal, const TableOptions& options) {
  std::string out;
  AppendWrapped(out, terminal, "", "", table.title, Ink::kBold);
  for (const std::string& line : table.summary) AppendWrapped(out, terminal, "", "", line);
  if (table.rows.empty()) {
    if (!table.empty_text.empty()) AppendWrapped(out, terminal, "", "", table.empty_text);
    for (const std::string& note : table.notes) AppendWrapped(out, terminal, "", "", note, Ink::kDim);
    AppendLedger(out, table, terminal);
    return out;
  }
  const size_t count = options.limit == 0 ? table.rows.size() : std::min(options.limit, table.rows.size());
  std::vector<std::string> headings;
  std::vector<size_t> natural;
  for (const view::Column& column : table.columns) {
    headings.push_back(column.heading);
    natural.push_back(Width(column.heading));
  }
  std::vector<std::vector<std::string>> cells(count);
  for (size_t row = 0; row < count; ++row) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      cells[row].push_back(Clean(view::FormatCell(table.rows[row][i], table.columns[i]), terminal.utf8));
      natural[i] = std::max(natural[i], Width(cells[row].back()));
    }
  }
  const Layout layout = Fit(table, natural, terminal.columns, options.wide);
  out += '\n';
  AppendRow(out, table, layout, headings, terminal, Ink::kDim);
  for (const auto& row : cells) AppendRow(out, table, layout, row, terminal, Ink::kPlain);
  if (count < table.rows.size() + table.rows_left_out) {
    const auto left = static_cast<int64_t>(table.rows.size() + table.rows_left_out - count);
    AppendWrapped(out, terminal, "", "",
                  fmt::format("{} {}", terminal.ellipsis(),
                              terminal.Say(fmt::format("{} more row{}; --limit 0 shows all", view::FormatCount(left),
                                                       left == 1 ? "" : "s"))),
                  Ink::kDim);
  }
  if (!table.notes.empty() || !layout.hidden.empty()) out += '\n';
  for (const std::string& note : table.notes) AppendWrapped(out, terminal, "", "", note, Ink::kDim);
  AppendHidden(out, table, layout, terminal);
  AppendLedger(out, table, terminal);
  return out;
}

}  // namespace warpscope::report
