// Streaming JSON text: right by construction (commas, escapes, UTF-8), no document in memory but the output.
// [one thread]. Invariant: what it writes parses, whatever bytes the strings hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::report {

class JsonWriter {
 public:
  enum class Layout : uint8_t { kLines /* one member a line */, kCompact /* this value on one line */ };

  void BeginObject(Layout layout = Layout::kLines) { Begin('{', layout); }
  void EndObject() { End('}'); }
  void BeginArray(Layout layout = Layout::kLines) { Begin('[', layout); }
  void EndArray() { End(']'); }
  void Key(std::string_view name);

  void Null() { Raw("null"); }
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Int(int64_t value);
  void UInt(uint64_t value);
  void Double(double value);            // shortest text that reads back the same; NaN and infinities become null
  void String(std::string_view value);  // bytes that are not UTF-8 become U+FFFD

  // A finished document as a value; its layout stays as it is.
  void Document(std::string_view json);

  // Null if absent.
  void Maybe(const std::optional<double>& value) { value ? Double(*value) : Null(); }
  void MaybeUInt(const std::optional<uint64_t>& value) { value ? UInt(*value) : Null(); }

  const std::string& text() const { return text_; }
  std::string Take() { return std::move(text_); }

 private:
  struct Level {
    bool compact;
    bool empty;
  };
  void Begin(char bracket, Layout layout);
  void End(char bracket);
  void Raw(std::string_view token);
  void BeforeValue();
  void NewLine();

  std::string text_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace warpscope::report
