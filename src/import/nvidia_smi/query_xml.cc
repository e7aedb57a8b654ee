// `nvidia-smi -q -x`: one XML document a look. The document type is never fetched and no entity is expanded: of the
// parser's features only plain elements, their text and attributes are turned on.
#include <charconv>
#include <pugixml.hpp>

#include "import/nvidia_smi/fields.h"
#include "import/nvidia_smi/section.h"

namespace warpscope::import::nvidia_smi {
namespace {

using model::ReadingName;
using monitor::ParseValue;

constexpr size_t kMaxDocumentBytes = size_t{64} << 20;
constexpr int kMaxDepth = 16;

std::string_view TextOf(const pugi::xml_node& node) { return node.child_value(); }

bool HasElements(const pugi::xml_node& node) {
  for (const pugi::xml_node child : node.children()) {
    if (child.type() == pugi::node_element) return true;
  }
  return false;
}

class QueryXml final : public Section {
 public:
  explicit QueryXml(Shared& shared) : shared_(shared) {}

  bool Take(const Line& line) override {
    if (over_) return false;
    if (text_.size() + line.text.size() < kMaxDocumentBytes) {
      text_ += line.text;
      text_.push_back('\n');
    }
    if (line.text.find("</nvidia_smi_log>") != std::string_view::npos) over_ = true;
    return true;
  }

  void End() override {
    pugi::xml_document document;
    const unsigned features = pugi::parse_minimal | pugi::parse_trim_pcdata;
    const pugi::xml_parse_result parsed =
        document.load_buffer(text_.data(), text_.size(), features, pugi::encoding_utf8);
    Appender& to = shared_.recorder->appender();
    if (!parsed) {
      to.Note(over_ ? model::LedgerCode::kBrokenRecord : model::LedgerCode::kTruncatedFile, 1, std::nullopt,
              "the XML document is not whole; what stands before the break was read");
    }
    Document(document.child("nvidia_smi_log"));
  }

 private:
  void Document(const pugi::xml_node& root) {
    time_ns_ = monitor::ParseDateNs(TextOf(root.child("timestamp")));
    Sample host;
    const std::string_view driver = TextOf(root.child("driver_version"));
    if (!driver.empty()) host.Set(ReadingName::kDriverVersion, ParseValue(driver));
    shared_.recorder->SetDriver(driver);
    const std::string_view cuda = TextOf(root.child("cuda_version"));
    if (!cuda.empty()) host.Set(ReadingName::kCudaVersion, ParseValue(cuda));
    shared_.recorder->Write(model::kNone, time_ns_, host);
    for (const pugi::xml_node gpu : root.children("gpu")) Gpu(gpu);
  }

  void Gpu(const pugi::xml_node& gpu) {
    DeviceNames names;
    names.pci = monitor::PciBusId(gpu.attribute("id").value());
    if (names.pci.empty()) names.pci = monitor::PciBusId(gpu.child("pci").child_value("pci_bus_id"));
    names.uuid = gpu.child_value("uuid");
    names.name = gpu.child_value("product_name");
    const uint32_t device = shared_.recorder->Device(names);
    Sample sample;
    for (const pugi::xml_node child : gpu.children()) {
      const std::string_view tag = child.name();
      if (tag == "processes" || tag == "accounted_processes" || tag == "supported_clocks" || tag == "mig_devices")
        continue;
      Walk(child, std::string(tag), 0, sample);
    }
    if (const pugi::xml_node processes = gpu.child("processes")) {
      double count = 0;
      for (const pugi::xml_node process : processes.children("process_info")) count += process.child("pid") ? 1 : 0;
      sample.SetNumber(ReadingName::kProcesses, count);
    }
    shared_.recorder->Write(device, time_ns_, sample);
    for (const pugi::xml_node part : gpu.child("mig_devices").children("mig_device")) Mig(device, part);
  }

  void Mig(uint32_t parent, const pugi::xml_node& part) {
    const std::string key =
        std::string(part.child_value("gpu_instance_id")) + "/" + part.child_value("compute_instance_id");
    const uint32_t device = shared_.recorder->Part(parent, key, "MIG " + key.substr(0, 40));
    Sample sample;
    for (const char* group : {"fb_memory_usage", "bar1_memory_usage"}) Walk(part.child(group), group, 0, sample);
    shared_.recorder->Write(device, time_ns_, sample);
  }

  void Walk(const pugi::xml_node& node, const std::string& path, int depth, Sample& sample) {
    if (!HasElements(node)) {
      if (!TextOf(node).empty()) ApplyXmlPath(path, ParseValue(TextOf(node)), sample);
      return;
    }
    if (depth >= kMaxDepth) return;
    for (const pugi::xml_node child : node.children()) {
      if (child.type() == pugi::node_element) Walk(child, path + "/" + child.name(), depth + 1, sample);
    }
  }

  Shared& shared_;
  std::string text_;
  std::optional<int64_t> time_ns_;
  bool over_ = false;
};

}  // namespace

std::unique_ptr<Section> sections::BeginXml(const Line& line, Shared& shared) {
  const std::string_view text = monitor::Trimmed(line.text);
  const bool declares = text.substr(0, 5) == "<?xml" ||
                        (text.substr(0, 9) == "<!DOCTYPE" && text.find("nvidia_smi_log") != std::string_view::npos);
  if (!declares && text.substr(0, 15) != "<nvidia_smi_log") return nullptr;
  auto section = std::make_unique<QueryXml>(shared);
  section->Take(line);
  return section;
}

}  // namespace warpscope::import::nvidia_smi
