#include "rules/rule.h"

#include <algorithm>

namespace warpscope::rules {

#define WS_RULE(id, Camel) extern const Rule k##Camel##Rule;
#include "rules/rules.def"
#undef WS_RULE

const std::vector<const Rule*>& AllRules() {
  static const std::vector<const Rule*> rules = {
#define WS_RULE(id, Camel) &k##Camel##Rule,
#include "rules/rules.def"
#undef WS_RULE
  };
  return rules;
}

const Rule* FindRule(std::string_view id) {
  const auto& rules = AllRules();
  const auto it = std::find_if(rules.begin(), rules.end(), [&](const Rule* rule) { return rule->id == id; });
  return it == rules.end() ? nullptr : *it;
}

}  // namespace warpscope::rules
