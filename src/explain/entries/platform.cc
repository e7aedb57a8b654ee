// Containers, schedulers and clouds.
#include "explain/explain.h"
#include "explain/platform/quota.h"
#include "explain/versions/arch.h"

namespace warpscope::explain {
namespace {

constexpr const char* kHostFirst =
    "Does the host's driver work? $ nvidia-smi\nIs the toolkit there and set up? $ nvidia-ctk --version; docker info | "
    "grep -i runtime";

constexpr Entry kEntries[] = {
    {"container.no_runtime", "Docker has no GPU support set up",
     "could not select device driver \"\" with capabilities: [[gpu]]\ncould not select device driver{*}capabilities: "
     "[[gpu]]\ncould not select device driver \"nvidia\"\nunknown runtime specified nvidia\nunknown or invalid runtime "
     "name: nvidia\nUnknown runtime specified nvidia",
     Role::kRoot, "container", "Docker was asked for GPUs and knows no way to give them.",
     "The NVIDIA Container Toolkit is not installed, or Docker was not restarted after it was set up.", kHostFirst,
     "Install nvidia-container-toolkit; nvidia-ctk runtime configure --runtime=docker; systemctl restart "
     "docker.\nDocker from snap: replace it by the distribution's or Docker's own package.\nDocker Desktop: GPUs need "
     "the WSL 2 backend on Windows.",
     "Do not install a driver or CUDA inside the image for this.", "NVIDIA Container Toolkit, installation guide"},
    {"container.driver", "The container runtime cannot reach the driver",
     "nvidia-container-cli: initialization error: nvml error: driver not loaded\nnvidia-container-cli: initialization "
     "error: driver error\nnvidia-container-cli: initialization error: cuda error\nnvidia-container-cli: "
     "initialization error: driver rpc error\nnvml error: driver not loaded",
     Role::kMachine, "no_driver",
     "The toolkit works, "
     "and the host's driver does not answer.",
     "The kernel module is not loaded on the host.",
     "On the host: $ nvidia-smi; lsmod | grep nvidia; dmesg | grep -i nvidia | tail",
     "Repair the host's driver first (modprobe nvidia, or reinstall it for the running kernel); then the container "
     "starts.",
     "Do not change the image.", "NVIDIA Container Toolkit, troubleshooting"},
    {"container.library", "The container runtime does not find the driver's library",
     "nvidia-container-cli: initialization error: load library failed: {w}", Role::kRoot, "no_driver",
     "libnvidia-ml.so.1 (or another library of the driver) is not installed on the host.",
     "No driver, or one without its compute libraries. With rootless or snap Docker: the runtime sees another root.",
     kHostFirst,
     "Install the driver with its compute package (for example "
     "libnvidia-compute-...).\nUnder WSL: install the driver on Windows only and update WSL.",
     "Do not copy libraries by hand.", "NVIDIA Container Toolkit, troubleshooting"},
    {"container.ldcache", "The container runtime cannot run ldconfig", "nvidia-container-cli: ldcache error: {*}",
     Role::kRoot, "container",
     "The runtime updates the container's list of libraries with the host's ldconfig, and that failed.",
     "The configuration names an ldconfig that this host does not have (ldconfig.real is Ubuntu's), or the image is of "
     "another "
     "architecture.",
     "Which is named? $ grep ldconfig /etc/nvidia-container-runtime/config.toml; ls -l /sbin/ldconfig*\nWhich "
     "architecture has "
     "the image? $ docker image inspect IMAGE --format '{{.Architecture}}'",
     "Set ldconfig = \"@/sbin/ldconfig\" (Ubuntu: \"@/sbin/ldconfig.real\") in that file and restart Docker.\nImage of "
     "another "
     "architecture: take the right one.",
     "", "NVIDIA Container Toolkit, configuration"},
    {"container.requirement", "The image asks for a newer driver",
     "nvidia-container-cli: requirement error: unsatisfied condition: {w}\nrequirement error: unsatisfied condition: "
     "{w}",
     Role::kRoot, "old_driver", "The image was built for a CUDA that the host's driver does not support.",
     "The host's driver is older than the image.", "$ nvidia-smi | head -4; docker inspect IMAGE | grep NVIDIA_REQUIRE",
     "Update the host's driver, or take an image for an older CUDA.",
     "Do not set NVIDIA_DISABLE_REQUIRE=1 unless the program inside is known to run with this driver.",
     "NVIDIA Container Toolkit, NVIDIA_REQUIRE_*", WorkOldDriver},
    {"container.device", "The device asked for does not exist",
     "nvidia-container-cli: device error: {w}: unknown device\nnvidia-container-cli: device error: unknown device id",
     Role::kRoot, "container", "NVIDIA_VISIBLE_DEVICES or --gpus names a GPU that the host does not have.",
     "Another machine's number or UUID, or a MIG device that was rebuilt.", "$ nvidia-smi -L",
     "Name one that nvidia-smi -L lists.", "", "NVIDIA Container Toolkit"},
    {"container.cgroup", "The runtime cannot set device rights",
     "nvidia-container-cli: mount error: failed to add device rules\nnvidia-container-cli: container error: cgroup "
     "subsystem devices not found\nnvidia-container-cli: container error: failed to get device cgroup",
     Role::kRoot, "container",
     "The host uses cgroup 2 and the toolkit is too old for it, or the container runs inside another one.",
     "An old toolkit; LXC and rootless set-ups.", kHostFirst,
     "Update the toolkit; in LXC and "
     "rootless set no-cgroups = true in /etc/nvidia-container-runtime/config.toml.",
     "", "NVIDIA Container Toolkit"},
    {"container.legacy_mode", "The runtime mode does not fit the way of calling",
     "invoking the NVIDIA Container Runtime Hook directly (e.g. specifying the docker --gpus flag) is not "
     "supported\nunresolvable CDI devices {w}\nCDI device injection failed",
     Role::kRoot, "container",
     "The toolkit is set to CDI, and the container was started in the other way, or the CDI description is missing.",
     "No CDI description has been made since the driver changed.", "$ nvidia-ctk cdi list",
     "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml, then --device nvidia.com/gpu=all; or --runtime=nvidia.",
     "", "NVIDIA Container Toolkit, CDI"},
    {"container.k8s", "Kubernetes has no free GPU for the pod",
     "Insufficient nvidia.com/gpu\nInsufficient amd.com/gpu\nnodes are available: {*}Insufficient nvidia.com/gpu",
     Role::kRoot, "quota", "No node has as many free GPUs as the pod asks for.",
     "All are taken, the device plug-in does not run on the nodes, or the pod asks for more than one node has.",
     "$ kubectl describe nodes | grep -A8 Allocatable; kubectl get pods -A -o wide | grep "
     "device-plugin",
     "Wait, free GPUs, ask for fewer; start the device plug-in; check taints.", "", "Kubernetes, 'Schedule GPUs'"},
    {"container.k8s_admission", "The kubelet has no GPU for a pod that was already placed",
     "requested number of devices unavailable for nvidia.com/gpu. Requested: {n}, Available: {n}\nrequested number of "
     "devices "
     "unavailable for nvidia.com/gpu",
     Role::kRoot, "container", "The scheduler counted on GPUs that the device plug-in does not offer (any more).",
     "The plug-in restarted or marked GPUs unhealthy (an Xid), or another pod took them.",
     "$ kubectl describe node NODE | grep -A8 Allocatable; kubectl logs -n kube-system -l name=nvidia-device-plugin-ds "
     "| tail\nFaults? $ "
     "warpscope faults",
     "Delete the failed pod; repair or drain the node whose GPUs are unhealthy.", "", "Kubernetes, device plug-ins"},
    {"container.wsl_adapter", "WSL offers the container no GPU", "WSL environment detected but no adapters were found",
     Role::kRoot, "wsl", "The container runtime runs under WSL, and Windows passes no GPU into it.",
     "The Windows driver is too old, WSL 1 or an old kernel is used, or the GPU is used remotely or disabled.",
     "In WSL: $ nvidia-smi; ls -l /dev/dxg\nIn Windows: > wsl --version",
     "wsl --update; wsl --shutdown; install the current Windows driver.", "Do not install a Linux driver inside WSL.",
     "NVIDIA, CUDA on WSL"},
    {"container.hook_missing", "Docker does not find NVIDIA's hook",
     "nvidia-container-runtime-hook\": executable file not found\ncould not find "
     "nvidia-container-runtime-hook\nnvidia-container-runtime-hook: executable file not "
     "found\nnvidia-container-runtime: "
     "executable file not found\nfork/exec /usr/bin/nvidia-container-runtime: no such file",
     Role::kRoot, "container", "The configuration names NVIDIA's runtime and its programs are not installed.",
     "The toolkit was removed or never completed.",
     "$ which nvidia-container-runtime nvidia-container-runtime-hook; cat /etc/docker/daemon.json",
     "Install nvidia-container-toolkit and restart Docker; or take 'nvidia' out of daemon.json.", "",
     "NVIDIA Container Toolkit, installation guide"},
    {"container.k8s_plugin", "The device plug-in finds no GPU",
     "Detected non-NVML platform\nIncompatible platform detected\nIf this is a GPU node, did you set the docker "
     "default runtime to `nvidia`",
     Role::kRoot, "container", "The plug-in's container does not see the driver.",
     "nvidia is not the default runtime of containerd or Docker on that node.", "$ kubectl exec -it POD -- nvidia-smi",
     "nvidia-ctk runtime configure --runtime=containerd "
     "--set-as-default; restart containerd.",
     "", "NVIDIA k8s-device-plugin"},
    {"slurm.gres", "Slurm does not give the GPU asked for",
     "Requested node configuration is not available\nInvalid generic resource (gres) specification\nInvalid Trackable "
     "RESource (TRES) specification",
     Role::kRoot, "quota", "No node of the partition fits the request.",
     "A GPU type or count that the partition does not have.", "$ sinfo -o '%P %G %N'",
     "Ask for a type and number that sinfo shows.", "", "Slurm, gres"},
    {"cloud.gcp_quota", "The cloud project has no GPU quota left",
     "Quota '{w}' exceeded. Limit: {n}\nGPUS_ALL_REGIONS{*}exceeded\nQuota {w} exceeded. Limit: {n}\nThe following "
     "quota metrics exceed quota limits: {w}\nQuota exceeded for quota metric",
     Role::kRoot, "quota", "The project may not have so many GPUs in this region, or at all.",
     "New projects have a GPU quota of 0, and two quotas must allow it: that of the GPU type in the "
     "region and the one over all regions.",
     "$ gcloud compute regions describe REGION | grep -B1 -A1 GPU; gcloud compute project-info describe | grep -A1 "
     "GPUS_ALL",
     "Ask for both quotas (IAM, Quotas), or delete machines that hold GPUs.\nTry another region or GPU type that has "
     "quota.",
     "Do not retry in a loop: it is a right, not a shortage.", "Google Cloud, 'Allocation quotas'", WorkQuota},
    {"cloud.gcp_stock", "The zone has no free GPU at the moment",
     "ZONE_RESOURCE_POOL_EXHAUSTED\ndoes not have enough resources available to fulfill the "
     "request\nInsufficientInstanceCapacity\nWe currently do not have sufficient {w} "
     "capacity\nAllocationFailed{*}sufficient capacity\nSkuNotAvailable\nZonalAllocationFailed",
     Role::kRoot, "quota", "The provider has none left there now. Your quota is not the matter.",
     "High demand for this type.", "", "Another zone, region or type; try later; reserve capacity.",
     "Do not ask for quota: it does not help.", "Google Cloud, AWS, Azure troubleshooting pages"},
    {"cloud.aws_quota", "The AWS account may not run so many GPU cores",
     "VcpuLimitExceeded\nYou have requested more vCPU capacity than your current vCPU limit of {n} "
     "allows\nInstanceLimitExceeded\nMaxSpotInstanceCountExceeded\nResourceLimitExceeded{*}The account-level service "
     "limit\nThe account-level service limit '{*}",
     Role::kRoot, "quota", "The quota of this instance family (G and VT, P), counted in vCPUs, is used up.",
     "New accounts have 0 for "
     "GPU families.",
     "$ aws service-quotas list-service-quotas --service-code ec2 | grep -A3 'G and VT'",
     "Ask for an increase in vCPUs (a g5.xlarge has 4), for the right family and for On-Demand or Spot as "
     "used.\nSageMaker: its own quotas by instance type.",
     "Do not retry in a loop.", "AWS, EC2 quotas", WorkQuota},
    {"cloud.azure_quota", "The Azure subscription has no cores left for this family",
     "Operation could not be completed as it results in exceeding approved {*}quota\nYou do not have enough quota for "
     "the following VM sizes",
     Role::kRoot, "quota", "The cores of this VM family in this region are used up or were never granted.",
     "The limit of GPU families begins at 0.", "$ az vm list-usage --location REGION -o table",
     "Ask for at least the 'New Limit "
     "Required' of the message, or choose another family or region.",
     "", "Azure, quotas", WorkQuota},
    {"cloud.colab", "The notebook service gives no GPU now",
     "You cannot currently connect to a GPU due to usage limits in Colab\nCannot connect to GPU backend\nYour weekly "
     "GPU quota\nYou have exceeded your GPU quota\nGPU quota exceeded\nYou have exceeded your{*}ZeroGPU quota",
     Role::kRoot, "quota", "The free share of the service is used up.", "Usage limits that move with demand.", "",
     "Wait, end idle sessions, use another account type, or a CPU runtime meanwhile.", "",
     "The "
     "service's FAQ",
     WorkQuota},
    {"wsl.stub", "WSL: libcuda is not a symbolic link", "/usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link",
     Role::kRemark, "", "A message of ldconfig under WSL. The GPU works all the same.", "Windows places the file so.",
     "", "Ignore it.", "Do not replace libcuda under /usr/lib/wsl.", "WSL"},
    {"wsl.blocked", "The GPU is blocked by the operating system", "GPU access blocked by the operating system",
     Role::kMachine, "wsl", "Windows does not pass the GPU into WSL or the container.",
     "An old Windows driver or WSL kernel, or the machine slept.", "In Windows: > nvidia-smi; wsl --version",
     "wsl --update; wsl --shutdown; a new Windows driver; start again.", "Do not install a Linux driver inside WSL.",
     "NVIDIA, CUDA on WSL"},
};

}  // namespace

extern const std::span<const Entry> kPlatform;
const std::span<const Entry> kPlatform = kEntries;

}  // namespace warpscope::explain
