// The layers from the device to the driver's libraries: the first broken one is the cause of those behind it.
#include <fmt/format.h>

#include "record/loader_search.h"
#include "record/preflight/checks.h"

namespace warpscope::record::preflight {
namespace {

constexpr std::string_view kNvidia = "0x10de";

// How a container gets the devices.
std::string ContainerFlags(const std::string& kind) {
  if (kind == "kubernetes")
    return "ask for the device in the pod's container: resources: {limits: {nvidia.com/gpu: 1}}";
  if (kind == "podman") return "start the container with: podman run --device nvidia.com/gpu=all ...";
  if (kind == "apptainer") return "start the container with: apptainer exec --nv ...";
  if (kind == "lxc") return "give the container the devices: lxc config device add NAME gpu gpu";
  return "start the container with: docker run --gpus all ... (the host needs the NVIDIA Container Toolkit)";
}

std::string LibraryFlags(const std::string& kind) {
  const std::string variable = "NVIDIA_DRIVER_CAPABILITIES=compute,utility";
  if (kind == "kubernetes") return "set in the pod's container: " + variable;
  return "start the container with: -e " + variable;
}

struct Layer {
  const char* id;
  bool works;
  std::string evidence, next;
};

std::string Plural(size_t count, const char* one) { return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s"); }

Layer GpuLayer(const Context& c) {
  if (c.is_wsl && c.system.Exists("/dev/dxg")) return {"gpu", true, "the GPU of Windows, through /dev/dxg", ""};
  const auto found = PciDevices(c.system, kNvidia);
  if (!found) return {"gpu", true, "the PCI bus cannot be seen from here", ""};  // the next layers tell
  if (!found->empty()) return {"gpu", true, Plural(found->size(), "NVIDIA device") + " on the PCI bus", ""};
  return {"gpu", false, "no NVIDIA GPU on the PCI bus",
          "record on a machine with an NVIDIA GPU; what is recorded there can be opened here"};
}

Layer ModuleLayer(const Context& c) {
  const std::string version = FirstLineOf(c.system, "/proc/driver/nvidia/version");
  if (!version.empty()) return {"kernel_module", true, version, ""};
  if (c.is_wsl) return {"kernel_module", true, "Windows holds the driver", ""};
  if (c.system.Exists("/sys/module/nouveau"))
    return {"kernel_module", false, "the kernel runs the GPU with nouveau, not with NVIDIA's driver",
            "install NVIDIA's driver, which turns nouveau off, and restart"};
  return {"kernel_module", false, "NVIDIA's driver is not loaded into the kernel (no /proc/driver/nvidia/version)",
          c.container.empty() ? "sudo modprobe nvidia; if that fails, install the driver"
                              : "on the host: sudo modprobe nvidia"};
}

Layer NodeLayer(const Context& c) {
  if (c.is_wsl) return {"device_nodes", true, "/dev/dxg", ""};
  std::string missing, refused;
  const auto add = [](std::string& list, const std::string& path) { list += (list.empty() ? "" : ", ") + path; };
  size_t devices = 0;
  for (const std::string& name : c.system.List("/dev")) {
    if (name.rfind("nvidia", 0) == 0 && NumberIn(name.substr(6))) ++devices;
  }
  if (devices == 0) add(missing, "/dev/nvidia0");
  for (const char* path : {"/dev/nvidiactl", "/dev/nvidia-uvm"}) {
    const auto info = c.system.Stat(path);
    if (!info) add(missing, path);
    else if (!info->is_writable) add(refused, path);
  }
  const std::string where = c.container.empty() ? std::string() : " in this container (" + c.container + ")";
  if (!missing.empty())
    return {"device_nodes", false, missing + ": missing" + where,
            c.container.empty() ? "sudo nvidia-modprobe -u -c 0" : ContainerFlags(c.container)};
  if (!refused.empty())
    return {"device_nodes", false, refused + ": no permission" + where,
            "add your user to the group that owns them (ls -l /dev/nvidiactl)"};
  return {"device_nodes", true, Plural(devices, "device") + ", nvidiactl, nvidia-uvm", ""};
}

Layer LibcudaLayer(const Context& c) {
  const LoaderSearch loader(c.system);
  if (const auto found = loader.Find("libcuda.so.1")) {
    // "libcuda.so.580.159.04": the file says which driver it belongs to. A folder "compat" holds newer ones on purpose.
    const std::string file = BaseName(c.system.RealPath(found->path));
    const std::string version = file.rfind("libcuda.so.", 0) == 0 ? file.substr(11) : std::string();
    const std::string kernel = FirstLineOf(c.system, "/proc/driver/nvidia/version");
    const bool differs = version.find('.') != std::string::npos && !kernel.empty() &&
                         kernel.find(version) == std::string::npos && found->path.find("compat") == std::string::npos;
    if (differs)
      return {"libcuda", false,
              fmt::format("{} is of driver {}, the kernel has another: {}", found->path, version, kernel),
              "restart the machine, or install libraries and kernel driver in one version"};
    return {"libcuda", true, fmt::format("{} ({})", found->path, found->place), ""};
  }
  const std::string in_wsl = "/usr/lib/wsl/lib/libcuda.so.1";
  if (c.is_wsl && c.system.Exists(in_wsl))
    return {"libcuda", false, in_wsl + " is not on the loader's way",
            "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH"};
  return {"libcuda", false, "libcuda.so.1 is in no folder that the loader searches",
          c.container.empty() ? "install the driver's libraries in the version of the kernel's, then: sudo ldconfig"
                              : LibraryFlags(c.container)};
}

Layer NvmlLayer(const Context& c) {
  const Status& status = c.devices.status;
  if (!status.ok())
    return {"nvml", false, status.message(),
            c.container.empty() ? "nvidia-smi shows the driver's own words" : LibraryFlags(c.container)};
  if (c.devices.gpus.empty()) return {"nvml", false, "the driver reports no device", ContainerFlags(c.container)};
  return {"nvml", true, fmt::format("{}: {}", Plural(c.devices.gpus.size(), "device"), c.devices.gpus.front().name),
          ""};
}

}  // namespace

std::optional<std::vector<std::string>> PciDevices(const System& system, std::string_view vendor) {
  const std::string bus = "/sys/bus/pci/devices/";
  const std::vector<std::string> names = system.List("/sys/bus/pci/devices");
  if (names.empty()) return std::nullopt;
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (FirstLineOf(system, bus + name + "/vendor") != vendor) continue;
    // Classes of PCI: 0x03.... display, 0x12.... accelerator.
    const std::string kind = FirstLineOf(system, bus + name + "/class").substr(0, 4);
    if (kind == "0x03" || kind == "0x12") found.push_back(name);
  }
  return found;
}

void CheckDriverLayers(Context& context, Checks& checks) {
  // A driver that answers with devices proves what lies under it, also where that cannot be seen from here.
  const bool answers = context.devices.status.ok() && !context.devices.gpus.empty();
  for (const Layer& layer :
       {GpuLayer(context), ModuleLayer(context), NodeLayer(context), LibcudaLayer(context), NvmlLayer(context)}) {
    const std::string_view id = layer.id;
    if (layer.works || (answers && id != "libcuda")) {
      checks.Ok(layer.id, layer.works ? layer.evidence : "not seen from here, but the driver answers");
      continue;
    }
    // Everything but the readings of devices works without the management library.
    if (id == "nvml" && context.root_failure.empty() && context.devices.status.code() == StatusCode::kNotFound) {
      checks.Warn(layer.id, layer.evidence + ": the run will carry no readings of the devices", layer.next);
      continue;
    }
    Check& check = checks.Fail(layer.id, layer.evidence, layer.next);
    if (context.root_failure.empty()) context.root_failure = layer.id;
    else check.because_of = context.root_failure, check.next.clear();
  }
}

}  // namespace warpscope::record::preflight
