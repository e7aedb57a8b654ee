#include "analysis/profile_join.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/kernel_name.h"

namespace warpscope::analysis {
namespace {

using model::kNone;
using Target = ProfileJoin::Target;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Where the argument list begins: the '(' that the last ')' closes, outside template brackets. npos if there is none.
// "(anonymous namespace)::f" and "f<(int)4>" have none.
size_t ArgumentsAt(std::string_view name) {
  while (!name.empty() && IsBlank(name.back())) name.remove_suffix(1);
  if (name.ends_with(" const")) name.remove_suffix(6);
  if (name.empty() || name.back() != ')') return std::string_view::npos;
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    else if (name[i] == '(' && --depth == 0)
      return name.substr(i) == "(anonymous namespace)" ? std::string_view::npos : i;
  }
  return std::string_view::npos;
}

// Where the last word outside brackets begins: behind the return type.
size_t FunctionAt(std::string_view name) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(' || name[i] == '[' || name[i] == '{') ++depth;
    else if (name[i] == '>' || name[i] == ')' || name[i] == ']' || name[i] == '}') depth = std::max(0, depth - 1);
    else if (name[i] == ' ' && depth == 0 && i + 1 < name.size() && name[i + 1] != '<' &&
             (name[i + 1] != '(' || name.substr(i + 1).starts_with("(anonymous")))
      begin = i + 1;
  }
  return begin;
}

std::string_view Function(std::string_view name) {
  while (!name.empty() && IsBlank(name.front())) name.remove_prefix(1);
  while (!name.empty() && IsBlank(name.back())) name.remove_suffix(1);
  if (name.ends_with(".kd")) name.remove_suffix(3);
  const std::string_view whole = name;
  name = name.substr(0, ArgumentsAt(name));
  // "operator()" and the like: the words before belong to it.
  if (name.find("operator") == std::string_view::npos) name = name.substr(FunctionAt(name));
  return name.empty() ? whole : name;
}

bool SameGeometry(const model::LaunchConfig& a, const model::LaunchConfig& b) {
  return std::equal(std::begin(a.grid), std::end(a.grid), std::begin(b.grid)) &&
         std::equal(std::begin(a.block), std::end(a.block), std::begin(b.block));
}

bool HasGeometry(const model::Trace& trace, uint32_t config) {
  return config != kNone && trace.launch_configs[config].grid[0] != 0;
}

// Distinct kernels of the timeline.
std::vector<Target> TimelineKernels(const model::Trace& trace) {
  std::set<Target> kernels;
  Target last{model::kNoString, kNone};
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.kind[row] != model::GpuKind::kKernel) continue;
    const Target kernel{trace.gpu.name[row], trace.gpu.detail[row]};
    if (kernel == last) continue;
    kernels.insert(kernel);
    last = kernel;
  }
  return {kernels.begin(), kernels.end()};
}

using Namer = std::string (*)(std::string_view);

// Names once each: a timeline has few distinct ones.
class Names {
 public:
  Names(const model::Trace& trace, Namer namer) : trace_(trace), namer_(namer) {}
  const std::string& Of(model::StringId name) {
    const auto [it, fresh] = known_.try_emplace(name);
    if (fresh) it->second = namer_(DemangledKernelName(trace_.Text(name)));  // CUPTI tells mangled ones
    return it->second;
  }

 private:
  const model::Trace& trace_;
  Namer namer_;
  std::map<model::StringId, std::string> known_;
};

struct Sides {
  std::map<std::string, std::vector<size_t>> groups;   // by name: rows of the groups
  std::map<std::string, std::vector<Target>> kernels;  // and the timeline's
};

void Match(const model::Trace& trace, const std::vector<ProfileGroup>& groups, const Sides& sides, ProfileJoin& join,
           std::set<Target>& taken) {
  const auto config_of = [&](size_t group) { return trace.kernel_profiles[groups[group].typical].config; };
  for (const auto& [name, rows] : sides.groups) {
    const auto it = sides.kernels.find(name);
    if (it == sides.kernels.end()) continue;
    for (const Target& kernel : it->second) {
      if (taken.contains(kernel)) continue;
      std::vector<size_t> fitting;
      for (const size_t row : rows) {
        const bool both = HasGeometry(trace, kernel.config) && HasGeometry(trace, config_of(row));
        if (both ? SameGeometry(trace.launch_configs[kernel.config], trace.launch_configs[config_of(row)])
                 : rows.size() == 1)
          fitting.push_back(row);
      }
      // Several launches of one geometry that differ in registers: the one with most time, which comes first.
      if (fitting.empty()) continue;
      join.targets[fitting.front()].push_back(kernel);
      taken.insert(kernel);
    }
  }
}

}  // namespace

std::string NormalKernelName(std::string_view name) {
  std::string normal;
  for (const char c : Function(name)) {
    if (!IsBlank(c)) normal += c;
  }
  return normal;
}

std::string BaseKernelName(std::string_view name) {
  const std::string_view function = Function(name);
  std::string base;
  int depth = 0;
  for (const char c : function) {
    if (c == '<') ++depth;
    else if (c == '>') depth = std::max(0, depth - 1);
    else if (depth == 0 && !IsBlank(c)) base += c;
  }
  // Namespaces are left out too: the function's own name is all that such tools record.
  const size_t colons = base.rfind("::");
  if (colons != std::string::npos && colons + 2 < base.size()) base = base.substr(colons + 2);
  return base.empty() ? NormalKernelName(name) : base;
}

ProfileJoin JoinProfiles(const model::Trace& trace, const std::vector<ProfileGroup>& groups) {
  ProfileJoin join;
  join.targets.resize(groups.size());
  const std::vector<Target> kernels = TimelineKernels(trace);
  std::set<Target> taken;
  {
    Names names(trace, NormalKernelName);
    Sides sides;
    for (size_t i = 0; i < groups.size(); ++i)
      sides.groups[names.Of(trace.kernel_profiles[groups[i].typical].name)].push_back(i);
    for (const Target& kernel : kernels) sides.kernels[names.Of(kernel.name)].push_back(kernel);
    Match(trace, groups, sides, join, taken);
  }
  Names bases(trace, BaseKernelName);
  Sides sides;
  std::map<std::string, std::set<model::StringId>> group_names, kernel_names;
  for (size_t i = 0; i < groups.size(); ++i) {
    const model::StringId name = trace.kernel_profiles[groups[i].typical].name;
    group_names[bases.Of(name)].insert(name);
    if (join.targets[i].empty()) sides.groups[bases.Of(name)].push_back(i);
  }
  for (const Target& kernel : kernels) {
    kernel_names[bases.Of(kernel.name)].insert(kernel.name);
    sides.kernels[bases.Of(kernel.name)].push_back(kernel);
  }
  std::erase_if(sides.groups, [&](const auto& item) {
    return group_names[item.first].size() > 1 || kernel_names[item.first].size() > 1;
  });
  Match(trace, groups, sides, join, taken);
  for (size_t i = 0; i < groups.size(); ++i) {
    if (join.targets[i].empty()) join.unmatched_profiles += groups[i].profiles.size();
  }
  return join;
}

void NoteUnmatchedProfiles(model::Trace* trace) {
  if (trace->kernel_profiles.empty() || trace->gpu.size() == 0) return;
  const auto groups = GroupProfiles(*trace, GroupBy::kNameAndGeometry);
  const ProfileJoin join = JoinProfiles(*trace, groups);
  if (join.unmatched_profiles > 0) trace->ledger.Add(model::LedgerCode::kUnmatchedProfile, join.unmatched_profiles);
}

}  // namespace warpscope::analysis
