#include "page/names.h"

#include <algorithm>

#include "analysis/kernel_name.h"
#include "page/json_text.h"
#include "report/json_writer.h"

namespace warpscope::page {

Names::Key Names::Own(std::string_view text) {
  const auto [it, fresh] = own_key_.try_emplace(std::string(text), static_cast<Key>(uses_.size()));
  if (fresh) {
    own_.emplace_back(text);
    uses_.push_back(0);
  }
  return it->second;
}

std::string_view Names::Text(Key key) const {
  return key < pool_->size() ? pool_->Get(key) : std::string_view(own_[key - pool_->size()]);
}

void Names::Finish() {
  order_.clear();
  for (Key key = 1; key < uses_.size(); ++key) {
    if (uses_[key] > 0) order_.push_back(key);
  }
  std::stable_sort(order_.begin(), order_.end(), [&](Key a, Key b) { return uses_[a] > uses_[b]; });
  page_id_.assign(uses_.size(), 0);
  for (size_t i = 0; i < order_.size(); ++i) page_id_[order_[i]] = static_cast<uint32_t>(i + 1);
}

std::string Names::Json(size_t max_bytes, uint64_t* cut) const {
  report::JsonWriter json;
  json.BeginArray(report::JsonWriter::Layout::kCompact);
  json.String("");
  for (const Key key : order_) {
    const std::string_view text = Text(key);
    if (text.starts_with("_Z")) json.String(CutText(analysis::DemangledKernelName(text), max_bytes, cut));
    else if (text.size() > max_bytes) json.String(CutText(text, max_bytes, cut));
    else json.String(text);
  }
  json.EndArray();
  return json.Take();
}

}  // namespace warpscope::page
