// Catalogue: all families of entries, as families.def lists them.
#include <array>

#include "explain/explain.h"

namespace warpscope::explain {

#define WS_FAMILY(file, constant, title) extern const std::span<const Entry> constant;
#include "explain/families.def"
#undef WS_FAMILY

std::span<const Family> Families() {
  static const Family kFamilies[] = {
#define WS_FAMILY(file, constant, title) {#file, title, constant},
#include "explain/families.def"
#undef WS_FAMILY
  };
  return kFamilies;
}

std::vector<const Entry*> Catalogue() {
  std::vector<const Entry*> entries;
  for (const Family& family : Families()) {
    for (const Entry& entry : family.entries) entries.push_back(&entry);
  }
  return entries;
}

}  // namespace warpscope::explain
