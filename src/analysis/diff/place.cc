#include "analysis/diff/place.h"

#include <algorithm>

namespace warpscope::analysis {

using model::HostKind;
using model::kNone;

uint32_t Words::Of(std::string_view text) {
  if (text.empty()) return 0;
  const auto [it, fresh] = words_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
  if (fresh) texts_.push_back(&it->first);
  return it->second;
}

uint32_t Words::Chain(uint32_t outer, uint32_t inner) {
  if (inner == 0) return outer;
  const auto [it, fresh] = chains_.try_emplace(uint64_t{outer} << 32 | inner, static_cast<uint32_t>(last_.size()));
  if (fresh) last_.push_back(inner), outer_.push_back(outer);
  return it->second;
}

std::string_view Words::Text(uint32_t word) const {
  return word == 0 || word >= texts_.size() ? std::string_view() : std::string_view(*texts_[word]);
}

uint32_t Words::Last(uint32_t chain) const { return chain < last_.size() ? last_[chain] : 0; }

uint32_t Words::Outer(uint32_t chain) const { return chain < outer_.size() ? outer_[chain] : 0; }

Places::Places(const Index& index, const Steps& steps, Words* words) : index_(index), words_(*words), links_(index) {
  if (steps.source == StepSource::kKernelSequence) return;
  for (const Step& step : steps.steps) {
    if (step.row != kNone) markers_.push_back(index.trace().host.name[step.row]);
  }
  std::sort(markers_.begin(), markers_.end());
}

uint32_t Places::WordOf(model::StringId name, bool folded) {
  const auto [it, fresh] = word_of_.try_emplace(uint64_t{name} << 1 | uint64_t{folded}, 0);
  if (fresh) {
    const std::string_view text = index_.trace().Text(name);
    it->second = folded ? words_.Of(FoldDigits(text)) : words_.Of(text);
  }
  return it->second;
}

Places::Node Places::Below(const Node& parent, uint32_t row) {
  const model::Trace& trace = index_.trace();
  Node node = parent;
  const model::StringId name = trace.host.name[row];
  switch (trace.host.kind[row]) {
    case HostKind::kAnnotation: {
      const bool marker = index_.host_label(row) == HostLabel::kStepMarker ||
                          std::binary_search(markers_.begin(), markers_.end(), name);
      if (marker) break;
      const uint32_t word = WordOf(name, true);
      node.module = words_.Chain(parent.module, word);
      node.path = words_.Chain(parent.path, word);
      break;
    }
    case HostKind::kNative:
    case HostKind::kPython: {
      if (index_.host_label(row) != HostLabel::kModule) break;
      const uint32_t word = WordOf(name, false);
      node.module = words_.Chain(parent.module, word);
      node.path = words_.Chain(parent.path, word);
      break;
    }
    case HostKind::kOperator: {
      node.op = WordOf(name, false);
      node.above_op = parent.path;
      node.path = words_.Chain(parent.path, node.op);
      const uint32_t detail = trace.host.detail[row];
      const bool has_dims = detail != kNone && trace.op_details[detail].input_dims != model::kNoString;
      // An operator without recorded dims inside of one that has them keeps those.
      if (has_dims) node.dims = WordOf(trace.op_details[detail].input_dims, false);
      break;
    }
    default: break;
  }
  return node;
}

const Places::Node& Places::NodeOf(uint32_t row) {
  constexpr size_t kMostDepth = 4096;  // nobody nests deeper; odd files may
  std::vector<uint32_t> chain;
  const model::Trace& trace = index_.trace();
  Node node;
  for (uint32_t at = row; at != kNone && chain.size() < kMostDepth; at = trace.host.parent[at]) {
    const auto it = nodes_.find(at);
    if (it != nodes_.end()) {
      node = it->second;
      break;
    }
    chain.push_back(at);
  }
  for (size_t i = chain.size(); i-- > 0;) {
    node = Below(node, chain[i]);
    nodes_[chain[i]] = node;
  }
  return nodes_[row];
}

Place Places::Of(uint32_t call_row) {
  if (call_row == kNone) return {};
  const Node node = NodeOf(call_row);
  Place place{node.op == 0 ? node.path : node.above_op, node.module, node.op, node.dims};
  if (node.module != 0) return place;
  const uint32_t forward = links_.ForwardOf(call_row);
  if (forward == kNone) return place;
  const Node made = NodeOf(forward);
  const uint32_t backward = words_.Of("backward");
  place.module = words_.Chain(made.module, backward);
  place.path = words_.Chain(words_.Chain(made.path, backward), words_.Last(place.path));
  return place;
}

}  // namespace warpscope::analysis
