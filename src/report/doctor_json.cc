// DoctorJson: schema warpscope.doctor/1 (docs/schema/doctor.md).
#include "report/doctor_report.h"
#include "report/json_fields.h"

namespace warpscope::report {
namespace {

class DoctorWriter : private JsonFields {
 public:
  std::string Write(const doctor::Machine& machine, const doctor::Diagnosis& diagnosis) {
    json_.BeginObject();
    Text("schema", "warpscope.doctor/1");
    Text("answer", diagnosis.answer);
    MaybeText("next", diagnosis.next);
    UInt("exit_code", static_cast<uint64_t>(diagnosis.exit_code));
    const doctor::Step* root = diagnosis.root < 0 ? nullptr : &diagnosis.steps[static_cast<size_t>(diagnosis.root)];
    MaybeText("root", root == nullptr ? std::string_view() : std::string_view(root->id));
    json_.Key("counts");
    json_.BeginObject(JsonWriter::Layout::kCompact);
    for (const doctor::State state :
         {doctor::State::kFailure, doctor::State::kWarning, doctor::State::kUnknown, doctor::State::kOk})
      UInt(NameOf(state), CountOf(diagnosis, state));
    json_.EndObject();
    Flag("live", machine.is_live);
    Strings("inputs", machine.inputs);
    Driver(machine);
    Devices(machine);
    json_.Key("steps");
    json_.BeginArray();
    for (const doctor::Step& step : diagnosis.steps) Step(step);
    json_.EndArray();
    json_.EndObject();
    return json_.Take() + "\n";
  }

 private:
  void Flag(std::string_view key, bool value) {
    json_.Key(key);
    json_.Bool(value);
  }
  void MaybeInt(std::string_view key, const std::optional<int64_t>& value) {
    json_.Key(key);
    value ? json_.Int(*value) : json_.Null();
  }
  void Strings(std::string_view key, const std::vector<std::string>& values) {
    json_.Key(key);
    json_.BeginArray();
    for (const std::string& value : values) json_.String(value);
    json_.EndArray();
  }

  void Driver(const doctor::Machine& machine) {
    json_.Key("driver");
    json_.BeginObject(JsonWriter::Layout::kCompact);
    MaybeText("version", machine.driver_version.empty() ? machine.nvidia_version : machine.driver_version);
    MaybeText("cuda", machine.driver_cuda);
    json_.Key("open_modules");
    machine.nvidia_is_open ? json_.Bool(*machine.nvidia_is_open) : json_.Null();
    json_.EndObject();
  }

  void Devices(const doctor::Machine& machine) {
    json_.Key("devices");
    json_.BeginArray();
    for (const doctor::Gpu& gpu : machine.gpus) {
      json_.BeginObject();
      Text("label", gpu.Label());
      MaybeInt("index", gpu.index ? std::optional<int64_t>(*gpu.index) : std::nullopt);
      MaybeText("vendor", doctor::NameOf(gpu.vendor));
      MaybeText("name", gpu.name);
      MaybeText("address", gpu.address);
      json_.Key("compute_capability");
      if (gpu.compute_major && gpu.compute_minor)
        json_.String(std::to_string(*gpu.compute_major) + "." + std::to_string(*gpu.compute_minor));
      else json_.Null();
      Flag("instance", gpu.is_part);
      json_.Key("readings");
      json_.BeginObject();
      for (size_t i = 0; i < static_cast<size_t>(model::ReadingName::kCount); ++i) {
        const auto name = static_cast<model::ReadingName>(i);
        if (const auto number = gpu.Number(name)) Number(model::NameOf(name), *number);
        else if (const std::string text = gpu.Text(name); !text.empty()) Text(model::NameOf(name), text);
      }
      json_.EndObject();
      json_.Key("processes");
      if (gpu.processes) {
        json_.BeginArray();
        for (const doctor::Process& one : *gpu.processes) Process(one);
        json_.EndArray();
      } else {
        json_.Null();
      }
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Process(const doctor::Process& one) {
    json_.BeginObject(JsonWriter::Layout::kCompact);
    MaybeInt("pid", one.pid != 0 ? std::optional<int64_t>(static_cast<int64_t>(one.pid)) : std::nullopt);
    MaybeText("name", one.name);
    MaybeInt("bytes", one.bytes ? std::optional<int64_t>(static_cast<int64_t>(*one.bytes)) : std::nullopt);
    json_.Key("seen");
    one.is_seen ? json_.Bool(*one.is_seen) : json_.Null();
    json_.EndObject();
  }

  void Step(const doctor::Step& step) {
    json_.BeginObject();
    Text("id", step.id);
    Text("part", NameOf(step.part));
    Text("state", NameOf(step.state));
    Flag("critical", step.is_critical);
    MaybeText("subject", step.subject);
    Text("evidence", step.evidence);
    MaybeText("next", step.next);
    MaybeText("because_of", step.because_of);
    json_.EndObject();
  }
};

}  // namespace

std::string DoctorJson(const doctor::Machine& machine, const doctor::Diagnosis& diagnosis) {
  return DoctorWriter().Write(machine, diagnosis);
}

}  // namespace warpscope::report
