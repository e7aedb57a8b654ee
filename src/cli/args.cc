#include "cli/args.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>

#include "cli/suggest.h"

namespace warpscope::cli {
namespace {

template <typename T>
std::optional<T> ParseWhole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool IsChoice(std::string_view choices, std::string_view word) {
  for (size_t at = 0; at <= choices.size();) {
    const size_t end = std::min(choices.find('|', at), choices.size());
    if (choices.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// What the value should have been; "" if it is right.
std::string Expected(const Flag& flag, std::string_view value) {
  switch (flag.type) {
    case FlagType::kSwitch: return "";
    case FlagType::kCount: return ParseWhole<uint64_t>(value) ? "" : "a whole number (0 or more)";
    case FlagType::kNumber: {
      const auto number = ParseWhole<double>(value);
      return number && std::isfinite(*number) && *number > 0 ? "" : "a number above 0";
    }
    case FlagType::kDuration: return ParseDurationNs(value).value_or(0) > 0 ? "" : "a time such as 500ms, 2s or 1m";
    case FlagType::kTime: return ParseTimeNs(value) ? "" : "a time such as 12.5ms, 300us or 2s";
    case FlagType::kChoice: return IsChoice(flag.choices, value) ? "" : fmt::format("one of {}", flag.choices);
    case FlagType::kText:
    case FlagType::kTexts:
    case FlagType::kFile: return value.empty() ? "some text" : "";
  }
  return "";
}

Status Usage(const Command& command, std::string_view message) {
  return {StatusCode::kInvalidArgument, fmt::format("{}; see: warpscope {} --help", message, command.name)};
}

Status UnknownFlag(const Command& command, std::string_view word) {
  std::vector<std::string_view> known;
  VisitFlags(command, [&](const Flag& flag) { known.push_back(flag.name); });
  const std::string_view given = word.substr(0, word.find('='));
  const std::string_view near = Nearest(given, known);
  if (near.empty() && command.operands.starts_with("-- "))
    return Usage(command,
                 fmt::format("{} has no option {}; the program and its own options go behind --", command.name, given));
  if (near.empty()) return Usage(command, fmt::format("{} has no option {}", command.name, given));
  return Usage(command, fmt::format("{} has no option {}; did you mean {}?", command.name, given, near));
}

}  // namespace

std::optional<int64_t> ParseTimeNs(std::string_view text) {
  struct Unit {
    std::string_view name;
    int digits;  // power of ten of ns
  };
  constexpr Unit kUnits[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
  int digits = 6;
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    digits = unit.digits;
    text.remove_suffix(unit.name.size());
    break;
  }
  const size_t point = text.find('.');
  std::string number(text.substr(0, point));
  std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
  if (number.empty() && fraction.empty()) return std::nullopt;
  fraction.resize(static_cast<size_t>(digits), '0');  // digits below 1 ns are cut
  number += fraction;
  if (number.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return ParseWhole<int64_t>(number);
}

std::optional<int64_t> ParseDurationNs(std::string_view text) {
  constexpr int64_t kMostNs = int64_t{1} << 56;  // two years
  int64_t times = 1;
  if (text.ends_with('m')) {
    text.remove_suffix(1);
    times = 60;
  } else if (text.ends_with('h')) {
    text.remove_suffix(1);
    times = 3600;
  }
  const bool bare = !text.empty() && text.back() != 's';
  const auto one = bare ? ParseTimeNs(std::string(text) + "s") : times == 1 ? ParseTimeNs(text) : std::nullopt;
  if (!one || *one > kMostNs / times) return std::nullopt;
  return *one * times;
}

namespace {

// What CLI11 found, before any value is judged.
struct Given {
  std::map<std::string, bool> switches;
  std::map<std::string, std::string> values;  // options without a value on the line are not in it
  std::vector<std::string> rest;              // operands and unknown options, in order
};

Result<Given> Split(const Command& command, const std::vector<std::string>& words) {
  Given given;
  std::map<std::string, std::pair<CLI::Option*, std::string>> options;  // nodes do not move: CLI11 writes into them
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  VisitFlags(command, [&](const Flag& flag) {
    const std::string name(flag.name);
    const std::string names = flag.letter ? fmt::format("-{},{}", flag.letter, name) : name;
    CLI::Option* option = flag.type == FlagType::kSwitch ? app.add_flag(names, given.switches[name])
                                                         : app.add_option(names, options[name].second);
    // Join puts a line end between them.
    option->multi_option_policy(flag.type == FlagType::kTexts ? CLI::MultiOptionPolicy::Join
                                                              : CLI::MultiOptionPolicy::TakeLast);
    if (flag.type != FlagType::kSwitch) options[name].first = option;
  });
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them in reverse
  } catch (const CLI::ParseError& error) {
    return Usage(command, error.what());
  }
  for (auto& [name, option] : options) {
    if (option.first->count() > 0) given.values[name] = std::move(option.second);
  }
  given.rest = app.remaining();
  return given;
}

}  // namespace

Result<Args> Args::Parse(const Command& command, const std::vector<std::string>& words) {
  WS_ASSIGN_OR_RETURN(Given given, Split(command, words));
  Args args;
  bool only_operands = false;
  for (std::string& word : given.rest) {
    if (word == "--" && !only_operands) {
      only_operands = true;
      args.values_["--"] = std::to_string(args.operands_.size());  // a program follows so many operands
      continue;
    }
    if (!only_operands && word.size() > 1 && word[0] == '-') return UnknownFlag(command, word);
    args.operands_.push_back(std::move(word));
  }
  for (const auto& [name, on] : given.switches) {
    if (on) args.values_[name] = "";
  }
  Status status;
  VisitFlags(command, [&](const Flag& flag) {
    const auto found = given.values.find(std::string(flag.name));
    if (found == given.values.end() || !status.ok()) return;
    const std::string expected = Expected(flag, found->second);
    if (!expected.empty())
      status = Usage(command, fmt::format("{} {}: expected {}", flag.name, found->second, expected));
    args.values_[found->first] = found->second;
  });
  if (!status.ok()) return status;
  return args;
}

std::optional<std::string> Args::Text(std::string_view flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Args::Texts(std::string_view flag) const {
  std::vector<std::string> texts;
  const auto found = values_.find(flag);
  if (found == values_.end()) return texts;
  std::string_view rest = found->second;
  for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    texts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  texts.emplace_back(rest);
  return texts;
}

std::optional<uint64_t> Args::Count(std::string_view flag) const {
  const auto text = Text(flag);
  return text ? ParseWhole<uint64_t>(*text) : std::nullopt;
}

std::optional<double> Args::Number(std::string_view flag) const {
  const auto text = Text(flag);
  return text ? ParseWhole<double>(*text) : std::nullopt;
}

std::optional<int64_t> Args::DurationNs(std::string_view flag) const {
  const auto text = Text(flag);
  return text ? ParseDurationNs(*text) : std::nullopt;
}

std::optional<int64_t> Args::TimeNs(std::string_view flag) const {
  const auto text = Text(flag);
  return text ? ParseTimeNs(*text) : std::nullopt;
}

lang::Language Args::JsonLanguage() const {
  const auto language = Text("--lang");
  return language ? lang::ParseLanguage(*language).value_or(lang::Language::kEnglish) : lang::Language::kEnglish;
}

}  // namespace warpscope::cli
