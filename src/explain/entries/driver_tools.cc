// The driver's tools, modules, packages and services.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

// "kernel reported version is: 470.57.2 does not match DSO version 460.32.3"
void WorkDsoVersion(std::span<const Match> matches, Answer* answer) {
  const std::vector<std::string>& words = matches.front().captures;
  if (!words.empty()) answer->facts.push_back({"kernel_driver", "driver that is loaded", words[0], 0});
  if (words.size() > 1) answer->facts.push_back({"library_driver", "library that was found", words[1], 0});
}

constexpr Entry kEntries[] = {
    {"smi.err_fields", "nvidia-smi shows ERR! or \"Unknown Error\" for values of a GPU",
     "ERR! {n}C\nERR! / {n}W\n/ ERR! |\nERR! ERR!\nN/A / ERR!\nERR! |\nMiB | ERR!\nERR! Default\n[Unknown Error]\nFan "
     "Speed : Unknown Error\nPower Draw : Unknown Error\nGPU Current Temp : Unknown Error\nPerformance State : Unknown "
     "Error\nAverage Power Draw : Unknown Error\nTotal : Unknown Error",
     Role::kRoot, "smi_values", "The driver answers, but a sensor or a part of this GPU does not give that value.",
     "One value only (power or fan): the board's controller or its InfoROM, at times for a moment only. All values: "
     "the GPU has failed or is falling off the bus.",
     "Does it stay? $ sleep 60; nvidia-smi\nWhat did the driver write? $ sudo dmesg -T | warpscope faults -\nDoes the "
     "GPU still work? $ nvidia-smi -q -d TEMPERATURE,POWER,ECC",
     "Once and gone: nothing to do.\nIt stays: end the programs on it, nvidia-smi --gpu-reset -i INDEX, or power the "
     "machine off and on; update the driver.\nIt returns after that: cabling and power, then have the board checked.",
     "Do not start long work on this GPU before it is clear.",
     "NVIDIA, nvidia-smi documentation; GPU debug guidelines"},
    {"smi.power", "The GPU gets too little power",
     "insufficiently powered\nGPU requires auxiliary power\nauxiliary power connectors\nPowerConnectorMissing\nGPU "
     "does not have the necessary power cables connected",
     Role::kMachine, "power", "The driver refuses a GPU whose power connectors are not all fed.",
     "An auxiliary power cable is missing, loose, or shared; 12VHPWR not pushed in fully.",
     "What does the kernel say? $ sudo dmesg | grep -iE 'NVRM|power' | tail",
     "Power off; give every connector of the card its own cable, pushed in until it locks.\nA riser or server cable "
     "kit: the one made for this card.",
     "", "NVIDIA driver README; nvidia-smi documentation"},
    {"smi.busy", "The GPU is in use, so that the setting or reset is refused",
     "is currently in use by one or more other processes\nIn use by another client\nUnable to reset this GPU because "
     "it's being used by\ncould not be reset because it is in use\nGPU Reset couldn't run because GPU {w} is the "
     "primary GPU\nmodprobe: FATAL: Module nvidia is in use\nrmmod: ERROR: Module nvidia is in use\nrmmod: ERROR: "
     "Module nvidia{w} is in use\nmodprobe: FATAL: Module nvidia{w} is in use",
     Role::kRoot, "busy", "A reset or unloading needs that nobody holds the device open.",
     "A program, container, X server, persistence daemon, DCGM or monitoring still has it open.",
     "Who? $ sudo fuser -v /dev/nvidia*; sudo lsof /dev/nvidia*",
     "End them; systemctl stop nvidia-persistenced nvidia-dcgm dcgm-exporter; on a desktop systemctl isolate "
     "multi-user.target. Then again.\nNVSwitch machines: reset all GPUs together, Fabric Manager stopped.",
     "Do not use rmmod -f.", "NVIDIA, nvidia-smi documentation"},
    {"smi.unsupported", "nvidia-smi: this GPU or driver does not offer that",
     "Setting applications clocks is not supported for GPU\nChanging power management limit is not supported for "
     "GPU\nSetting compute mode is not supported\nUnable to set {*}is not supported for GPU\nSetting locked {w} clocks "
     "is not supported for GPU\nGPU Reset is not supported for GPU\nMIG mode is not supported on this "
     "device\nNVMLError_NotSupported",
     Role::kRemark, "", "The command is right, but this product or driver model does not have the function.",
     "GeForce cards, virtual GPUs, WSL and Windows in WDDM mode offer only a part.",
     "What is offered? $ nvidia-smi -q -d SUPPORTED_CLOCKS,POWER",
     "GeForce: lock clocks with -lgc instead of application clocks -ac. WSL: run nvidia-smi in Windows.", "",
     "NVIDIA, nvidia-smi documentation"},
    {"module.not_found", "The driver's module does not exist for this kernel",
     "modprobe: FATAL: Module nvidia not found in directory\nmodprobe: FATAL: Module nvidia{w} not found in "
     "directory\nmodprobe: ERROR: could not insert 'nvidia{w}': Unknown symbol in module\ncould not insert 'nvidia': "
     "Unknown symbol in module\ncould not insert 'nvidia{w}': Exec format error\ncould not insert 'nvidia': Exec "
     "format error\ncould not insert 'nvidia': Invalid argument\nFailed to run `/usr/sbin/dkms build\nFailed to run "
     "`/usr/sbin/dkms install\nnvidia: version magic\nFailed to start nvidia-powerd\nnvidia: disagrees about version "
     "of symbol\nfailed to open the NVIDIA kernel module",
     Role::kRoot, "no_driver",
     "The module has to be there for exactly the kernel that runs; after a kernel update it is not, or was built for "
     "another.",
     "A new kernel whose headers or compiler were missing when DKMS ran, or parts of two driver versions.",
     "Which kernel, which modules? $ uname -r; dkms status; ls /lib/modules/$(uname -r)/updates/dkms\nHeaders? $ ls -d "
     "/lib/modules/$(uname -r)/build",
     "apt-get install linux-headers-$(uname -r), then dkms autoinstall and modprobe nvidia.\nUnknown symbol or "
     "version: remove all driver packages, install one version, reboot.",
     "Do not boot an unsigned module by switching Secure Boot off unless the machine allows it.",
     "NVIDIA driver README; DKMS documentation"},
    {"module.packages", "The package manager cannot put the driver together",
     "unmet dependencies{*}nvidia-{w}\nunmet dependencies{*}cuda-{w}\nnvidia-{w} : Depends: {*}but it is not going to "
     "be installed\ncuda-drivers : Depends: {*}\ncuda-drivers{w} : Depends: {*}\ntrying to "
     "overwrite{*}libnvidia{*}which is also in package\npackage nvidia-{w} conflicts with",
     Role::kRoot, "driver_mix", "Packages of two sources or versions exclude each other.",
     "NVIDIA's repository beside the distribution's, a held package, or the remains of an older driver.",
     "What is there, from where? $ dpkg -l | grep -iE 'nvidia|cuda-drivers'; apt-cache policy nvidia-driver-550; "
     "apt-mark showhold",
     "One source only. apt-get purge '^nvidia-.*' '^libnvidia-.*', apt-get -f install, then one driver "
     "metapackage.\nCUDA for building only: install cuda-toolkit, which brings no driver.",
     "", "NVIDIA, CUDA installation guide for Linux"},
    {"module.service", "A service of the driver did not start",
     "nvidia-persistenced failed to initialize\nFailed to start NVIDIA Persistence "
     "Daemon\nnvidia-persistenced.service: Failed with result\nFailed to query NVIDIA devices. Please ensure that the "
     "NVIDIA device files\nnvidia-modprobe: unable to create device node\nnvidia-powerd.service: Failed with "
     "result\nnvidia-fabricmanager.service: Failed with result\nFailed to start NVIDIA fabric manager service\nfabric "
     "manager NVIDIA GPU driver interface version {w} don't match with driver version\nrequest to query NVSwitch "
     "device information from NVSwitch driver failed\nnvidia-imex.service: Failed with result",
     Role::kSymptom, "no_driver", "The service speaks with the driver or the switches and got no answer.",
     "The kernel module is not loaded, device nodes are missing, or the service is of another version than the driver. "
     "Fabric Manager on a machine without NVSwitch: not needed.",
     "What does it say? $ journalctl -u nvidia-persistenced -u nvidia-fabricmanager -n 30; nvidia-smi\nVersions? $ cat "
     "/proc/driver/nvidia/version; dpkg -l | grep -E 'fabricmanager|imex|nvidia-driver'",
     "Repair the driver first; install the service in the driver's version.\nNo NVSwitch (\"nothing to do\"): "
     "systemctl disable nvidia-fabricmanager.",
     "", "NVIDIA driver README; Fabric Manager user guide"},
    {"module.version_dso", "TensorFlow or JAX: driver and library of different versions",
     "kernel reported version is: {w} does not match DSO version {w}\nkernel version {w} does not match DSO version "
     "{w}",
     Role::kRoot, "driver_mix",
     "The loaded kernel module and the libcuda that was found are of different versions; nothing computes until they "
     "agree.",
     "A driver update without a reboot, or a container with its own libcuda.",
     "Both versions? $ cat /proc/driver/nvidia/version; ldconfig -p | grep libcuda.so",
     "Reboot (or reload the modules); remove the second libcuda.", "", "TensorFlow, cuda_diagnostics", WorkDsoVersion},
};

}  // namespace

extern const std::span<const Entry> kDriverTools;
const std::span<const Entry> kDriverTools = kEntries;

}  // namespace warpscope::explain
