// NVIDIA's hook of container engines, CDI, and what runs on Kubernetes nodes.
#include <fmt/format.h>

#include "explain/explain.h"
#include "explain/text/quantity.h"
#include "faults/catalogue.h"

namespace warpscope::explain {
namespace {

// "Xid=79 on Device=GPU-..."
void WorkUnhealthy(std::span<const Match> matches, Answer* answer) {
  const auto number = NumberAfter(matches.front().window, "Xid=");
  if (!number) return;
  const auto code = static_cast<uint64_t>(*number);
  answer->facts.push_back({"xid", "Xid", fmt::format("{}", code), *number});
  for (Step& step : answer->checks) {
    if (const size_t at = step.command.find("NUMBER"); at != std::string::npos)
      step.command.replace(at, 6, fmt::format("{}", code));
  }
  if (const faults::Entry* entry = faults::FindXid(code)) answer->cause = std::string(entry->title) + ".";
}

constexpr Entry kEntries[] = {
    {"container.failed", "The hook that gives a container its GPUs failed",
     "failed to create shim task: OCI runtime create failed{*}error running hook\nerror running hook #{n}: error "
     "running hook\nerror running prestart hook #{n}\nerror running prestart hook\nrunning prestart hook {n} "
     "caused\nnvidia-container-cli.real: {w} error\n?nvidia-container-cli: {w} error",
     Role::kSymptom, "container",
     "Docker, containerd or Kubernetes started NVIDIA's program before the container, and it ended with an error. What "
     "it says behind \"nvidia-container-cli:\" is the reason.",
     "The host's driver does not work, or the toolkit is older than the driver or set up for another root.",
     "Does the host's driver work? $ nvidia-smi\nWhat does the program itself say? $ sudo nvidia-container-cli -k -d "
     "/dev/tty info",
     "Repair the host first if nvidia-smi fails there.\nOtherwise update nvidia-container-toolkit, then systemctl "
     "restart docker (or containerd).",
     "Do not change the image: nothing in it has run yet.", "NVIDIA Container Toolkit, troubleshooting"},
    {"container.root", "The container runtime looks for the driver under a wrong root",
     "nvidia-container-cli: initialization error: change root failed\nnvidia-container-cli: initialization error: "
     "privilege change failed\nnvidia-container-cli: permission error: capability change failed",
     Role::kRoot, "container", "The toolkit enters the root folder of the driver before it starts, and cannot.",
     "root in its config.toml names a folder that is not there (/run/nvidia/driver without the driver container), or "
     "Docker runs rootless or from snap.",
     "Which root is set? $ grep -E '^ *#? *root|no-cgroups' /etc/nvidia-container-runtime/config.toml\nIs Docker from "
     "snap or rootless? $ snap list docker; docker info | grep -i rootless",
     "Driver on the host: take root = ... out of the file. GPU Operator: its driver pod must be ready "
     "first.\nRootless: no-cgroups = true; snap: use the distribution's Docker.",
     "", "NVIDIA Container Toolkit, troubleshooting"},
    {"container.file_exists", "The image already holds a file of the driver",
     "nvidia-container-cli: mount error: file creation failed: {w}: file exists\nnvidia-container-cli: mount error: "
     "file creation failed{*}file exists",
     Role::kRoot, "container",
     "The runtime puts the host's driver libraries into the container, and a file of that name is there already.",
     "The image was saved from a running GPU container, or a driver (libnvidia-..., libcuda) was installed in it.",
     "Which files? $ docker run --rm --entrypoint ls IMAGE -l /usr/lib/x86_64-linux-gnu | grep -E 'libnvidia|libcuda'",
     "Remove them in the Dockerfile: rm -f /usr/lib/x86_64-linux-gnu/libnvidia-*.so* "
     "/usr/lib/x86_64-linux-gnu/libcuda.so*.\nBuild images without --gpus, from a CUDA base image without driver.",
     "Do not install a driver inside an image.", "NVIDIA Container Toolkit, troubleshooting"},
    {"container.cdi_spec", "No CDI description of the GPUs could be made",
     "failed to generate spec: failed to create device CDI specs\nfailed to generate CDI spec\nfailed to get CDI "
     "spec\nfailed to create device CDI specs\nfailed to inject CDI devices\ncould not find device "
     "\"nvidia.com/gpu\nunresolvable CDI devices",
     Role::kRoot, "container",
     "CDI is a file that tells the engine which nodes and libraries make up a GPU. It is missing, out of date, or "
     "could not be written.",
     "The driver does not answer (no NVML), was updated since, or another device name is asked for.",
     "What is described? $ nvidia-ctk cdi list; ls /etc/cdi /var/run/cdi\nDoes the driver answer? $ nvidia-smi -L",
     "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml (again after every driver update).\nUnder WSL: "
     "nvidia-ctk cdi generate --mode=wsl.",
     "", "NVIDIA Container Toolkit, CDI"},
    {"container.runtime_class", "containerd or CRI-O knows no runtime named nvidia",
     "no runtime for \"nvidia\" is configured\nfailed to get sandbox runtime: no runtime for\nRuntimeHandler "
     "\"nvidia\" not supported\nfailed to find runtime handler nvidia\nunknown runtime handler "
     "\"nvidia\"\nRuntimeClass \"nvidia\" not found\nruntimeclass.node.k8s.io \"nvidia\" not found",
     Role::kRoot, "container", "The pod asks for the runtime class nvidia, and the engine of that node has none.",
     "The toolkit was not set up for containerd on this node, or the file was overwritten (k3s, RKE2 and MicroK8s "
     "write their own).",
     "Is it in the file? $ grep -n nvidia /etc/containerd/config.toml "
     "/var/lib/rancher/*/agent/etc/containerd/config.toml\nDoes the class exist? $ kubectl get runtimeclass",
     "Set it up: nvidia-ctk runtime configure --runtime=containerd; systemctl restart containerd.\nk3s and RKE2: "
     "install the toolkit, then restart k3s; they find it themselves. Create the RuntimeClass nvidia.",
     "", "NVIDIA, GPU Operator documentation"},
    {"container.unhealthy", "Kubernetes took a GPU out of use",
     "XidCriticalError: Xid={n} on Device={w}\nthe device will go unhealthy\nnvidia.com/gpu' device marked "
     "unhealthy\ndevice marked unhealthy: GPU-{w}\nMarking device {w} as unhealthy\nmarked as unhealthy{*}Xid",
     Role::kMachine, "xid", "The device plug-in saw a severe Xid and offers that GPU to no pod any more.",
     "A fault of the GPU; the number says which.",
     "What does the number mean? $ warpscope faults --code NUMBER\nThe kernel's log of that node? $ journalctl -k | "
     "warpscope faults -",
     "Drain the node, do what warpscope faults says for the number (reset, reboot, replace), then restart the device "
     "plug-in.",
     "Do not only restart the plug-in: the GPU is still faulty.", "NVIDIA k8s-device-plugin, health checks",
     WorkUnhealthy},
    {"container.nvml", "The device plug-in or a tool cannot ask the driver",
     "error calling nvml.Init\nfailed to initialize NVML: ERROR_UNKNOWN\nFailed to initialize NVML: "
     "ERROR_LIBRARY_NOT_FOUND\nfailed to initialize NVML: could not load NVML library\ncould not load NVML "
     "library\nfailed to initialize NVML: ERROR_{w}\nnvml: Failed to initialize NVML\nIncompatible strategy "
     "detected\nFailed to get NVML device count",
     Role::kRoot, "no_driver",
     "NVML, the library that asks the driver, did not start inside this container or on this node.",
     "ERROR_LIBRARY_NOT_FOUND: the driver is not given to the container. ERROR_UNKNOWN: device nodes or rights are "
     "missing (after systemctl daemon-reload), or the driver failed on the host.",
     "On the node itself? $ nvidia-smi\nIn the container? $ ls -l /dev/nvidia*; ldconfig -p | grep nvidia-ml\nWhich "
     "runtime has the pod? $ kubectl get pod POD -o yaml | grep runtimeClassName",
     "Fails on the node: repair the driver.\nWorks there: give the pod the runtime nvidia (runtimeClassName, or the "
     "default), and restart the pod.",
     "", "NVIDIA k8s-device-plugin"},
    {"container.operator", "A part of the GPU Operator waits or fails",
     "toolkit is not ready\nwaiting for nvidia container stack to be setup\nwaiting for toolkit-validation\nwaiting "
     "for driver-validation\nfailed to validate the driver\nError: error validating driver "
     "installation\nnvidia-driver-daemonset{*}CrashLoopBackOff\nnvidia-operator-validator{*}CrashLoopBackOff\nnvidia-"
     "device-plugin{*}CrashLoopBackOff\nBack-off restarting failed container nvidia-{w}\nCould not unload NVIDIA "
     "driver kernel modules, driver is in use\ncommand failed, retrying after 5 seconds: running command bash with "
     "args [-c nvidia-smi]",
     Role::kSymptom, "container",
     "The operator's parts start in order: driver, toolkit, device plug-in, validator. Each waits for the one before.",
     "The first pod in that order that is not running: mostly the driver (no headers for this kernel, nouveau, Secure "
     "Boot, or a driver on the host already).",
     "Which one is first? $ kubectl get pods -n gpu-operator -o wide\nWhat does it say? $ kubectl logs -n gpu-operator "
     "-l app=nvidia-driver-daemonset --all-containers --tail=50",
     "A driver on the host: install the operator with driver.enabled=false.\nOtherwise correct what the driver pod's "
     "log names.",
     "Do not restart the later pods one by one.", "NVIDIA, GPU Operator documentation"},
};

}  // namespace

extern const std::span<const Entry> kContainerHook;
const std::span<const Entry> kContainerHook = kEntries;

}  // namespace warpscope::explain
