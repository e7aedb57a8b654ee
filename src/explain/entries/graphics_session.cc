// Display servers and OpenGL without a display.
#include "explain/explain.h"
#include "explain/text/pattern.h"

namespace warpscope::explain {
namespace {

// "X Error of failed request: BadAlloc (insufficient resources for operation)"; the next line names the extension.
void WorkXRequest(std::span<const Match> matches, Answer* answer) {
  const std::string& text = matches.front().window;
  if (Has(text, "BadAlloc"))
    answer->cause =
        "The server could not get memory or a context: the GPU's memory is full, or server and library are of two "
        "driver versions since an update.";
  else if (Has(text, "BadValue") || Has(text, "BadMatch") || Has(text, "GLXBadFBConfig"))
    answer->cause =
        "The display has no such format: a remote display (ssh -X, VNC), or an OpenGL older than the program asks for.";
}

constexpr Entry kEntries[] = {
    {"display.request", "The X server refused a request of the program",
     "X Error of failed request: BadAlloc\nX Error of failed request: BadValue\nX Error of failed request: BadMatch\nX "
     "Error of failed request: BadAccess\nX Error of failed request: GLXBad{w}\nX Error of failed request: "
     "{w}{*}(GLX)\nX Error of failed request: {w}{*}(NV-GLX)",
     Role::kRoot, "gl",
     "The display server, not CUDA, refused what the program asked for; the opcode line names the extension.",
     "An OpenGL context that the server cannot make.",
     "Does OpenGL work at all, and who draws? $ glxinfo -B | grep -E 'vendor|renderer|version'\nIs memory of the GPU "
     "left? $ nvidia-smi\nDriver and libraries of one version? $ cat /proc/driver/nvidia/version; ls "
     "/usr/lib/x86_64-linux-gnu/libGLX_nvidia.so.*",
     "BadAlloc: free GPU memory; after a driver update reboot, so that server and library fit.\nBadValue or BadMatch "
     "over ssh -X or VNC: the remote display has no such OpenGL; draw on the host (VirtualGL, EGL, a headless mode).",
     "", "Xlib, error events; NVIDIA driver README", WorkXRequest},
    {"display.start", "The X server does not start on the NVIDIA GPU",
     "(EE) NVIDIA(GPU-{n}): {*}\n(EE) NVIDIA({n}): {*}\n(EE) NVIDIA: {*}\n(EE) no screens found\n(EE) Failed to load "
     "module \"nvidia\"\n(EE) Failed to load module \"glxserver_nvidia\"\n(EE) No devices detected\n(EE) Screen(s) "
     "found, but none have a usable configuration\nFailed to initialize the NVIDIA graphics device\nYou do not appear "
     "to be using the NVIDIA X driver",
     Role::kSymptom, "no_driver",
     "The lines with (EE) are the server's errors; the first of them is the cause, \"no screens found\" only the end.",
     "The kernel module is not loaded or of another version than the X driver, or another program or driver holds the "
     "GPU.",
     "The first errors? $ grep -n '(EE)' /var/log/Xorg.0.log ~/.local/share/xorg/Xorg.0.log | head\nIs the module "
     "loaded? $ lsmod | grep nvidia; sudo dmesg | grep -iE 'nvidia|NVRM' | tail\nWhich driver is configured? $ grep "
     "-rn Driver /etc/X11/xorg.conf /etc/X11/xorg.conf.d",
     "Module missing or mismatched: repair the driver, reboot.\nA stale xorg.conf: move it away; the server configures "
     "itself.",
     "", "NVIDIA driver README, common problems"},
    {"display.display", "The program finds no display",
     "Unable to find display on any available system\nnvidia-settings: ERROR: Unable to find display\nXlib: extension "
     "\"NV-GLX\" missing on display\nXlib: extension \"GLX\" missing on display\nERROR: Unable to load info from any "
     "available system\nFailed to open X display\nGLFW error 65544: X11: Failed to open display\nGLFW error "
     "65542\nGLFW error 65543\nGLFW error 65545\nlibGL error: No matching fbConfigs or visuals found\nlibGL error: "
     "unable to load driver\nlibEGL warning: DRI2: failed to authenticate\nlibEGL warning: DRI3: {*}\nFailed to create "
     "OpenGL context\nWGL: The driver does not appear to support OpenGL\ndriver with support for OpenGL {n} or higher "
     "is required",
     Role::kRoot, "gl",
     "OpenGL needs a display server with the GPU's driver in it (or EGL without one), and none is there for this "
     "program.",
     "A session over ssh, a container or remote desktop; or the driver's OpenGL part is missing or too old.",
     "Is a display set, and who draws? $ echo $DISPLAY $WAYLAND_DISPLAY; glxinfo -B | grep -E "
     "'vendor|renderer|version'\nWithout a display? $ eglinfo -B | head -20",
     "Headless: the program's EGL or off-screen mode (MUJOCO_GL=egl, PYOPENGL_PLATFORM=egl, Blender -b).\nContainer: "
     "NVIDIA_DRIVER_CAPABILITIES=all. Remote desktop: VirtualGL.\nWindows: the vendor's driver in place of \"Microsoft "
     "Basic Display Adapter\".",
     "It says nothing about CUDA: that may work all the same.", "NVIDIA driver README; GLFW error codes"},
};

}  // namespace

extern const std::span<const Entry> kGraphicsSession;
const std::span<const Entry> kGraphicsSession = kEntries;

}  // namespace warpscope::explain
