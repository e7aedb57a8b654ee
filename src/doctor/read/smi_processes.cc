// Processes that nvidia-smi lists on devices: in its table, under -q, in its XML, and by --query-compute-apps. They are
// joined with the devices by address or number.
#include "doctor/read/smi_processes.h"

#include <algorithm>

#include "doctor/read/line_reader.h"

namespace warpscope::doctor::read {
namespace {

std::string_view Between(std::string_view text, std::string_view open, std::string_view close) {
  const size_t begin = text.find(open);
  if (begin == std::string_view::npos) return {};
  const size_t from = begin + open.size(), end = text.find(close, from);
  return end == std::string_view::npos ? std::string_view() : text.substr(from, end - from);
}

std::string NameOfPath(std::string_view path) {
  constexpr size_t kLongestName = 60;
  path = Trim(path);
  if (path.starts_with("/")) path = path.substr(0, path.find(' '));  // arguments may follow
  const size_t slash = path.find_last_of("/\\");
  if (slash != std::string_view::npos) path = path.substr(slash + 1);
  return std::string(path.substr(0, kLongestName));
}

class SmiProcesses final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override {
    return {"<gpu id=", "<process", "GPU 0000", "pid", "| Processes:", ":\\Windows\\", "MiB |"};
  }
  bool IsOpen() const override { return in_process_ || in_query_ || in_table_ || !columns_.empty(); }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    if (text.empty()) return false;
    if (text.find(":\\Windows\\") != std::string_view::npos) machine.is_windows = true;
    return Xml(text, machine) || Query(line, text, machine) || Csv(text, machine) || Table(text, machine);
  }

 private:
  void Add(Machine& machine, const Process& process) const {
    if (machine.gpus.size() >= kMostEntries) return;
    Gpu* gpu = FindOrAdd(machine, Vendor::kNvidia, address_, index_);
    if (!gpu->processes) gpu->processes.emplace();
    const bool known = std::any_of(gpu->processes->begin(), gpu->processes->end(),
                                   [&](const Process& one) { return one.pid == process.pid && process.pid != 0; });
    if (!known && gpu->processes->size() < kMostEntries) gpu->processes->push_back(process);
  }
  void None(Machine& machine) const {
    Gpu* gpu = FindOrAdd(machine, Vendor::kNvidia, address_, index_);
    if (!gpu->processes) gpu->processes.emplace();
  }

  bool Xml(std::string_view text, Machine& machine) {
    if (text.starts_with("<gpu id=\"")) {
      address_ = PlainAddress(Between(text, "\"", "\""));
      index_.reset();
      return true;
    }
    if (text.starts_with("<processes>") && !address_.empty()) {
      None(machine);
      return true;
    }
    if (text == "<process_info>") {
      process_ = Process();
      return in_process_ = true;
    }
    if (!in_process_) return false;
    if (text.starts_with("<pid>")) process_.pid = Count(Between(text, "<pid>", "<")).value_or(0);
    if (text.starts_with("<process_name>")) process_.name = NameOfPath(Between(text, "<process_name>", "</"));
    if (text.starts_with("<used_memory>")) process_.bytes = BytesOf(Between(text, "<used_memory>", "<"));
    if (text == "</process_info>") {
      in_process_ = false;
      if (!address_.empty()) Add(machine, process_);
    }
    return true;
  }

  // -q: "GPU 00000000:06:00.0" at the left, "Processes : None" or a block a process.
  bool Query(std::string_view line, std::string_view text, Machine& machine) {
    if (line.starts_with("GPU 0000")) {
      Flush(machine);
      address_ = PlainAddress(text.substr(4));
      index_.reset();
      in_query_ = !address_.empty();
      return in_query_;
    }
    if (!in_query_) return false;
    const size_t colon = text.find(" : ");
    const std::string_view key = Trim(text.substr(0, colon)),
                           value = colon == std::string_view::npos ? std::string_view() : Trim(text.substr(colon + 3));
    if (key == "Processes") {
      None(machine);
      return true;
    }
    if (key == "Process ID") {
      Flush(machine);
      process_ = Process();
      process_.pid = Count(value).value_or(0);
      pending_ = true;
    } else if (key == "Name" && pending_) {
      process_.name = NameOfPath(value);
    } else if (key == "Used GPU Memory" && pending_) {
      process_.bytes = BytesOf(value);
      Flush(machine);
    } else {
      return false;
    }
    return true;
  }
  void Flush(Machine& machine) {
    if (pending_) Add(machine, process_);
    pending_ = false;
  }

  // "gpu_bus_id, pid, process_name, used_gpu_memory [MiB]" and rows.
  bool Csv(std::string_view text, Machine& machine) {
    if (columns_.empty() && text.find("pid") == std::string_view::npos) return false;
    std::vector<std::string_view> fields;
    for (size_t begin = 0; begin <= text.size() && fields.size() < 32;) {
      const size_t end = std::min(text.find(',', begin), text.size());
      fields.push_back(Trim(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    if (fields.size() < 2) {
      columns_.clear();
      return false;
    }
    const bool is_heading = std::find(fields.begin(), fields.end(), "pid") != fields.end();
    if (is_heading) {
      columns_.assign(fields.begin(), fields.end());
      for (std::string& column : columns_) column = column.substr(0, column.find(" ["));
      return true;
    }
    if (columns_.empty() || fields.size() < columns_.size()) return false;
    Process process;
    address_.clear();
    index_.reset();
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] == "pid") process.pid = Count(fields[i]).value_or(0);
      if (columns_[i] == "process_name" || columns_[i] == "name") process.name = NameOfPath(fields[i]);
      if (columns_[i] == "used_gpu_memory" || columns_[i] == "used_memory") process.bytes = BytesOf(fields[i]);
      if (columns_[i] == "gpu_bus_id") address_ = PlainAddress(fields[i]);
    }
    if (process.pid == 0) return false;
    Add(machine, process);
    return true;
  }

  // "|    0   N/A  N/A           10291      C   /opt/tools/memhog                   2566MiB |" behind "| Processes:".
  bool Table(std::string_view text, Machine& machine) {
    if (text.starts_with("| Processes:")) return in_table_ = true;
    // A row that was searched for, without its heading.
    const bool is_row = text.starts_with("|") && text.ends_with("MiB |");
    if (!in_table_ && !is_row) return false;
    if (!text.starts_with("|")) return text.starts_with("+") ? true : (in_table_ = false);
    if (in_table_ && (text.find("No running processes found") != std::string_view::npos || text.starts_with("|==="))) {
      // What the table does not name has none.
      for (Gpu& gpu : machine.gpus) {
        if (!gpu.is_part && gpu.vendor == Vendor::kNvidia && !gpu.processes) gpu.processes.emplace();
      }
      return true;
    }
    const std::vector<std::string_view> words = Words(text);
    if (words.size() < 6) return true;
    const auto index = Count(words[1]);
    if (!index || *index > 4096) return true;
    // Behind the number stand the ids of instances in newer versions; the first whole number behind them is the
    // process.
    for (size_t i = 2; i + 2 < words.size(); ++i) {
      const auto pid = Count(words[i]);
      const bool is_kind = words[i + 1] == "C" || words[i + 1] == "G" || words[i + 1] == "C+G" || words[i + 1] == "M+C";
      if (!pid || !is_kind) continue;
      address_.clear();
      index_ = static_cast<unsigned>(*index);
      Process process{*pid, NameOfPath(words[i + 2]), std::nullopt, std::nullopt, 0};
      for (const std::string_view word : words) {
        if (word.ends_with("MiB")) process.bytes = BytesOf(word);
      }
      Add(machine, process);
      return true;
    }
    return true;
  }

  std::string address_;
  std::optional<unsigned> index_;
  std::vector<std::string> columns_;
  Process process_;
  bool in_process_ = false, in_query_ = false, in_table_ = false, pending_ = false;
};

}  // namespace

Gpu* FindOrAdd(Machine& machine, Vendor vendor, const std::string& address, const std::optional<unsigned>& index) {
  for (Gpu& gpu : machine.gpus) {
    if (gpu.is_part || gpu.vendor != vendor) continue;
    const bool is_it = !address.empty() ? gpu.address == address : index ? gpu.index == index : true;
    if (is_it) return &gpu;
  }
  machine.gpus.emplace_back();
  machine.gpus.back().vendor = vendor;
  machine.gpus.back().address = address;
  machine.gpus.back().index = index;
  return &machine.gpus.back();
}

std::unique_ptr<LineReader> Make_smi_processes() { return std::make_unique<SmiProcesses>(); }

}  // namespace warpscope::doctor::read
