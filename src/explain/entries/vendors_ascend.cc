// Ascend: error codes of CANN by number and by module.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "explain/explain.h"
#include "explain/text/quantity.h"

namespace warpscope::explain {
namespace {

constexpr const char* kChecks =
    "What does the device log say first? $ grep -rn ERROR ~/ascend/log/debug/plog | head -20\nState of the devices? $ "
    "npu-smi "
    "info\nDo driver, firmware, CANN and torch_npu belong together? $ cat /usr/local/Ascend/driver/version.info; pip "
    "list | "
    "grep torch";

struct Code {
  int number;
  std::string_view name, says;
};
// CANN, acl_rt error codes (rt_error_codes.h), aclError, aclnn return codes.
constexpr Code kCodes[] = {
    {100000, "ACL_ERROR_INVALID_PARAM", "An argument of the call is not valid."},
    {100001, "ACL_ERROR_UNINITIALIZE", "CANN was not initialised in this process."},
    {100002, "ACL_ERROR_REPEAT_INITIALIZE", "CANN was initialised twice in this process; that alone does no harm."},
    {100003, "ACL_ERROR_INVALID_FILE", "A file that the call names cannot be read."},
    {100024, "ACL_ERROR_OP_NOT_FOUND", "This operator does not exist in the installed packages."},
    {100025, "ACL_ERROR_OP_LOAD_FAILED", "The operator could not be loaded."},
    {100026, "ACL_ERROR_UNSUPPORTED_DATA_TYPE", "The data type is not supported."},
    {107000, "ACL_ERROR_RT_PARAM_INVALID", "An argument of the runtime call is not valid."},
    {107001, "ACL_ERROR_RT_INVALID_DEVICEID",
     "There is no device of that number in this process (ASCEND_RT_VISIBLE_DEVICES, container)."},
    {107002, "ACL_ERROR_RT_CONTEXT_NULL", "This thread has no context: set the device in it first."},
    {107003, "ACL_ERROR_RT_STREAM_CONTEXT", "The stream belongs to another context."},
    {107017, "ACL_ERROR_RT_INVALID_HANDLE", "A handle is not valid any more."},
    {107020, "ACL_ERROR_RT_TASK_TIMEOUT", "A task did not end in time."},
    {107022, "ACL_ERROR_RT_DEVICE_TASK_ABORT", "Work on the device was stopped on purpose (recovery of a job)."},
    {145000, "ACL_ERROR_GE_PARAM_INVALID", "An argument of the graph engine is not valid."},
    {145021, "ACL_ERROR_GE_SHAPE_INVALID", "A shape is not valid for the model."},
    {145022, "ACL_ERROR_GE_DATATYPE_INVALID", "A data type is not valid for the model."},
    {161001, "ACLNN_ERR_PARAM_NULLPTR", "A tensor that the operator needs is missing."},
    {161002, "ACLNN_ERR_PARAM_INVALID", "Shape, type or value of an input is not allowed for this operator."},
    {200000, "ACL_ERROR_BAD_ALLOC", "Memory could not be had."},
    {200001, "ACL_ERROR_API_NOT_SUPPORT", "This call is not supported here."},
    {200002, "ACL_ERROR_INVALID_DEVICE", "The device is not valid."},
    {200006, "ACL_ERROR_FEATURE_UNSUPPORTED", "The function is not supported on this device."},
    {207000, "ACL_ERROR_RT_FEATURE_NOT_SUPPORT", "The function is not supported on this device or driver."},
    {207001, "ACL_ERROR_RT_MEMORY_ALLOCATION", "Device memory could not be had."},
    {207003, "ACL_ERROR_RT_AICORE_OVER_FLOW", "A computation overflowed."},
    {207004, "ACL_ERROR_RT_NO_DEVICE", "No usable device is there."},
    {207005, "ACL_ERROR_RT_RESOURCE_ALLOC_FAIL", "A resource of the device could not be had."},
    {207006, "ACL_ERROR_RT_NO_PERMISSION", "The process has no right to do that."},
    {207007, "ACL_ERROR_RT_NO_EVENT_RESOURCE", "No event is left: too many are held."},
    {207008, "ACL_ERROR_RT_NO_STREAM_RESOURCE", "No stream is left: too many are held, or graphs hold them."},
    {207018, "ACL_ERROR_RT_DEVICE_OOM", "Device memory is used up."},
    {245000, "ACL_ERROR_GE_MEMORY_ALLOCATION", "The graph engine got no memory."},
    {361001, "ACLNN_ERR_RUNTIME_ERROR",
     "The operator's call of the runtime failed; the runtime's own error stands in the log."},
    {500000, "ACL_ERROR_INTERNAL_ERROR", "An unknown inner error."},
    {500001, "ACL_ERROR_FAILURE",
     "An inner error; often the compiler of operators could not start (missing Python packages, set_env.sh, chip "
     "name)."},
    {500002, "ACL_ERROR_GE_FAILURE", "The graph engine failed."},
    {500003, "ACL_ERROR_RT_FAILURE", "The runtime failed."},
    {500004, "ACL_ERROR_DRV_FAILURE", "The driver failed."},
    {507000, "ACL_ERROR_RT_INTERNAL_ERROR", "An inner error of the runtime."},
    {507001, "ACL_ERROR_RT_TS_ERROR", "The task scheduler on the device failed."},
    {507002, "ACL_ERROR_RT_STREAM_TASK_FULL", "The stream holds too many tasks."},
    {507008, "ACL_ERROR_RT_SOC_VERSION", "The chip is not the one that the package is for."},
    {507009, "ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT", "The kind of task is not supported."},
    {507010, "ACL_ERROR_RT_LOST_HEARTBEAT", "The device does not answer any more."},
    {507011, "ACL_ERROR_RT_MODEL_EXECUTE", "A task of the model failed; the log names the operator."},
    {507012, "ACL_ERROR_RT_REPORT_TIMEOUT", "A report of the device did not come in time."},
    {507013, "ACL_ERROR_RT_SYS_DMA", "A copy between host and device failed."},
    {507014, "ACL_ERROR_RT_AICORE_TIMEOUT", "A kernel on an AI core did not end in time."},
    {507015, "ACL_ERROR_RT_AICORE_EXCEPTION", "A kernel on an AI core failed."},
    {507017, "ACL_ERROR_RT_AICPU_TIMEOUT", "An operator on the device's processor did not end in time."},
    {507018, "ACL_ERROR_RT_AICPU_EXCEPTION", "An operator on the device's processor failed."},
    {507027, "ACL_ERROR_RT_KERNEL_LOOKUP", "The kernel is not in the loaded package."},
    {507033, "ACL_ERROR_RT_DEV_SETUP_ERROR", "The device could not be set up."},
    {507034, "ACL_ERROR_RT_VECTOR_CORE_TIMEOUT", "A kernel on a vector core did not end in time."},
    {507035, "ACL_ERROR_RT_VECTOR_CORE_EXCEPTION", "A kernel on a vector core failed: an address or an alignment."},
    {507042, "ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW", "A kernel read out of range."},
    {507043, "ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW", "A kernel wrote out of range."},
    {507044, "ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW", "A kernel read out of range."},
    {507045, "ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW", "A kernel wrote out of range."},
    {507046, "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT", "Waiting for a stream took too long."},
    {507047, "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT", "Waiting for an event took too long."},
    {507048, "ACL_ERROR_RT_FFTS_PLUS_TIMEOUT", "A group of tasks did not end in time, mostly a collective."},
    {507049, "ACL_ERROR_RT_FFTS_PLUS_EXCEPTION", "A task of a group failed."},
    {507051, "ACL_ERROR_RT_SEND_MSG", "A message to the device could not be sent."},
    {507052, "ACL_ERROR_RT_COPY_DATA", "Data could not be copied to or from the device."},
    {507053, "ACL_ERROR_RT_DEVICE_MEM_ERROR", "The device's memory has an uncorrectable error."},
    {507054, "ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR", "The device's memory has a multi-bit error: hardware."},
    {507055, "ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR", "The device's memory is suspected of an error."},
    {507056, "ACL_ERROR_RT_LINK_ERROR", "A link between devices failed."},
    {507057, "ACL_ERROR_RT_SUSPECT_REMOTE_ERROR", "Another device of the job is suspected of the error."},
    {507899, "ACL_ERROR_RT_DRV_INTERNAL_ERROR", "An inner error of the driver."},
    {507900, "ACL_ERROR_RT_AICPU_INTERNAL_ERROR", "An inner error on the device's processor."},
    {507901, "ACL_ERROR_RT_SOCKET_CLOSE", "The connection to the device was closed."},
    {507904, "ACL_ERROR_RT_COMM_OP_RETRY_FAIL", "A collective failed also when it was tried again."},
    {545000, "ACL_ERROR_GE_INTERNAL_ERROR", "An inner error of the graph engine."},
    {545601, "ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT", "The model did not end in time."},
    {561000, "ACLNN_ERR_INNER", "An inner error of the operator library."},
    {561001, "ACLNN_ERR_INNER_INFERSHAPE_ERROR", "The shape of an output could not be worked out."},
    {561002, "ACLNN_ERR_INNER_TILING_ERROR",
     "The operator could not be divided for the device: a shape that it does not take, or packages that do not fit."},
    {561003, "ACLNN_ERR_INNER_FIND_KERNEL_ERROR",
     "No kernel was found: the package of operator binaries (kernels) is not installed, or not for this chip."},
    {561101, "ACLNN_ERR_INNER_CREATE_EXECUTOR",
     "The operator could not be prepared, mostly for lack of memory of the host."},
    {561103, "ACLNN_ERR_INNER_NULLPTR",
     "The operator could not be prepared: mostly operator packages and chip, or CANN and driver, do not belong "
     "together."},
    {561107, "ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND", "ASCEND_OPP_PATH is not set: set_env.sh was not read."},
    {561108, "ACLNN_ERR_INNER_LOAD_JSON_FAILED", "The list of operators could not be loaded: packages are incomplete."},
};
// Where the code begins with 1, 2, ... and its number is not in the list above.
std::string_view KindOf(int number) {
  switch (number / 100000) {
    case 1: return "The call or its arguments are not allowed.";
    case 2: return "A resource could not be had, or a function is not there.";
    case 3: return "The runtime failed in a call of the operator library.";
    case 5: return "An inner error of CANN, its driver or the device.";
    default: return "";
  }
}

void WorkCode(std::span<const Match> matches, Answer* answer) {
  for (const Match& match : matches) {
    const size_t at = match.window.find_first_of("0123456789");
    const auto number = at == std::string::npos ? std::nullopt : NumberOf(match.window.substr(at, 6));
    if (!number || *number < 100000) continue;
    const auto code = std::find_if(std::begin(kCodes), std::end(kCodes),
                                   [&](const Code& one) { return one.number == static_cast<int>(*number); });
    const bool is_known = code != std::end(kCodes);
    const std::string_view says = is_known ? code->says : KindOf(static_cast<int>(*number));
    if (says.empty()) continue;
    answer->headline = std::string(says);
    answer->cause = std::string(says);
    answer->facts.push_back(
        {"code", "code",
         is_known ? fmt::format("{} {}", code->number, code->name) : fmt::format("{}", static_cast<int>(*number)),
         *number});
    return;
  }
}

struct Module {
  std::string_view letters, says;
};
// CANN, error code reference: the first letters name the module.
constexpr Module kModules[] = {
    {"EE", "The runtime (Runtime) reports the error."},
    {"EH", "The interface of applications (ACL) reports the error."},
    {"EI", "Collective communication (HCCL) reports the error."},
    {"EJ", "The network part of collectives (HCCP, RoCE) reports the error."},
    {"EK", "Profiling reports the error."},
    {"EL", "The driver reports the error."},
    {"EZ", "The operator library reports the error."},
    {"EB", "The compiler of operators (TBE) reports the error."},
    {"EC", "The compiler of operators (TIK) reports the error."},
    {"E1", "The graph engine (GE) reports the error: an option, a file or the model."},
    {"E2", "The fusion engine (FE) reports the error."},
    {"E3", "The processors on the device (AI CPU) report the error."},
    {"E4", "The compiler of operators (TBE) reports the error."},
    {"E5", "An operator's implementation refuses its input."},
    {"E6", "An operator's implementation refuses its input."},
    {"E8", "An operator's implementation refuses its input."},
    {"E9", "The compiler of operators (TBE) reports the error."},
};

void WorkModule(std::span<const Match> matches, Answer* answer) {
  const std::string& text = matches.front().window;
  for (const Module& module : kModules) {
    if (!text.starts_with(module.letters)) continue;
    answer->headline = std::string(module.says);
    break;
  }
  if (text.starts_with("E")) answer->facts.push_back({"code", "code", text.substr(0, text.find_first_of(": ,.")), 0});
}

constexpr Entry kEntries[] = {
    {"ascend.code", "A call of CANN returned an error code",
     "?error code is 1000{n}\n?error code:1000{n}\n?error code: "
     "1000{n}\n?ErrCode=1000{n}\n?errorCode=1000{n}\n?runtime result = 1000{n}\n?the error code is : 1000{n}\n?error "
     "code is 107{n}\n?error code:107{n}\n?error code: 107{n}\n?ErrCode=107{n}\n?errorCode=107{n}\n?runtime result = "
     "107{n}\n?the error code is : 107{n}\n?error code is 145{n}\n?error code:145{n}\n?error code: "
     "145{n}\n?ErrCode=145{n}\n?errorCode=145{n}\n?runtime result = 145{n}\n?the error code is : 145{n}\n?error code "
     "is 161{n}\n?error code:161{n}\n?error code: 161{n}\n?ErrCode=161{n}\n?errorCode=161{n}\n?runtime result = "
     "161{n}\n?the error code is : 161{n}\n?error code is 2000{n}\n?error code:2000{n}\n?error code: "
     "2000{n}\n?ErrCode=2000{n}\n?errorCode=2000{n}\n?runtime result = 2000{n}\n?the error code is : 2000{n}\n?error "
     "code is 207{n}\n?error code:207{n}\n?error code: 207{n}\n?ErrCode=207{n}\n?errorCode=207{n}\n?runtime result = "
     "207{n}\n?the error code is : 207{n}\n?error code is 245{n}\n?error code:245{n}\n?error code: "
     "245{n}\n?ErrCode=245{n}\n?errorCode=245{n}\n?runtime result = 245{n}\n?the error code is : 245{n}\n?error code "
     "is 361{n}\n?error code:361{n}\n?error code: 361{n}\n?ErrCode=361{n}\n?errorCode=361{n}\n?runtime result = "
     "361{n}\n?the error code is : 361{n}\n?error code is 5000{n}\n?error code:5000{n}\n?error code: "
     "5000{n}\n?ErrCode=5000{n}\n?errorCode=5000{n}\n?runtime result = 5000{n}\n?the error code is : 5000{n}\n?error "
     "code is 507{n}\n?error code:507{n}\n?error code: 507{n}\n?ErrCode=507{n}\n?errorCode=507{n}\n?runtime result = "
     "507{n}\n?the error code is : 507{n}\n?error code is 545{n}\n?error code:545{n}\n?error code: "
     "545{n}\n?ErrCode=545{n}\n?errorCode=545{n}\n?runtime result = 545{n}\n?the error code is : 545{n}\n?error code "
     "is 561{n}\n?error code:561{n}\n?error code: 561{n}\n?ErrCode=561{n}\n?errorCode=561{n}\n?runtime result = "
     "561{n}\n?the error code is : 561{n}\nERR000{n} PTA\nERR001{n} PTA\nERR002{n} PTA\nERR010{n} OPS\nERR011{n} "
     "OPS\nERR012{n} OPS\nERR020{n} DIST\nERR021{n} DIST\nERR022{n} DIST\nERR030{n} GRAPH\nERR031{n} GRAPH\nERR040{n} "
     "PROF\nThe internal ACL of the system is incorrect",
     Role::kRoot, "ascend_code",
     "torch_npu, MindSpore and others pass on the number of the runtime; its first digit tells whose matter it is: 1 "
     "the call, 2 resources, 3 memory access, 5 inside CANN or the device.",
     "By the number.", kChecks, "Correct what the number names; the log above the first ERROR tells which operator.",
     "", "CANN, aclError and aclnn return codes", WorkCode},
    {"ascend.module", "A part of CANN reports an error",
     "EE1001\nEE1002\nEE1003\nEE1004\nEE1005\nEE1010\nEE1011\nEE2002\nEE4001\nEE4002\nEE4003\nEE4004\nEE4005\nEE8888\nE"
     "E9999\nEH0001\nEH0002\nEH0003\nEH0004\nEH0005\nEH9999\nEI0001\nEI0002\nEI0003\nEI0005\nEI0007\nEI0008\nEI0009\nEI"
     "0011\nEI0012\nEI0014\nEI0015\nEJ0002\nEJ0003\nEJ0004\nEK0001\nEK0002\nEK9999\nEL0001\nEL0002\nEL0003\nEL0005\nEL9"
     "999\nEB0000\nEB0500\nEB4000\nEB9999\nEC0010\nEC9999\nEF9999\nEP9999\nER9999\nET9999\nED9999\nEZ0501\nEZ3003\nEZ99"
     "03\nE10001:\nE10002:\nE10003:\nE10004:\nE10005:\nE10006:\nE10007:\nE10008:\nE10009:\nE10010:\nE10011:\nE10012:"
     "\nE10013:\nE10014:\nE10016:\nE11001:\nE11002:\nE13000:\nE14001:\nE15001:\nE18888:\nE20001:\nE20002:\nE20003:"
     "\nE20007:\nE30003:\nE30004:\nE30005:\nE30006:\nE30007:\nE30008:\nE39999:\nE40000:\nE40001:\nE40002:\nE40003:"
     "\nE40020:\nE40021:\nE40022:\nE40023:\nE40024:\nE49999:\nE50002:\nE50010:\nE50012:\nE50014:\nE50016:\nE50018:"
     "\nE50019:\nE60000:\nE61001:\nE69999:\nE70000:\nE80001:\nE89999:\nE90000:\nE99999:\n?Inner Error!{*}[FUNC:",
     Role::kRoot, "ascend_code",
     "The letters of the code name the part that found it, the number the kind; the sentence behind it and its "
     "\"Solution\" are CANN's own. A code that ends with 9999 or 8888 is an inner error: its first line names place "
     "and reason.",
     "What stands behind the code.", kChecks,
     "Follow the \"Solution\" or \"Possible Cause\" that stands below the code.\nAn inner error: correct the first "
     "ERROR of the log; where it names none, versions that do not belong together are the usual reason.",
     "", "CANN, error code reference", WorkModule},
    {"ascend.driver", "The NPU's driver failed in a call",
     "?drvRet={n}\ndriver error:out of memory\ndriver error:internal error\n?driver error:{w}\n?[driver "
     "error:{*}]\ndrvMemcpy failed\nhalMemAlloc failed\nrtMalloc execute failed\nlibascend_hal.so: cannot open shared "
     "object file\nlibdrvdsmi_host.so: cannot open shared object file\ndcmi module initialize failed. ret is {n}\ndcmi "
     "model initialized failed\nFailed to get device count by halGetDeviceCount\ndrvGetDevNum failed\nopen device {n} "
     "failed, ptr returned by open",
     Role::kRoot, "no_device", "The runtime asked the driver, and that refused.",
     "out of memory: the device is full. libascend_hal, dcmi: the driver is not installed, not given to the container, "
     "or the user is not in its group. internal error: the device or its firmware.",
     "Does the driver answer? $ npu-smi info\nRights and nodes? $ id; ls -l /dev/davinci* /dev/davinci_manager\nIts "
     "library? $ ls /usr/local/Ascend/driver/lib64/driver | head",
     "Memory: end other processes, a smaller batch.\nContainer: mount /usr/local/Ascend/driver and the device nodes; "
     "host: source set_env.sh, group HwHiAiUser.",
     "", "Huawei, Ascend driver documentation"},
};

}  // namespace

extern const std::span<const Entry> kVendorsAscend;
const std::span<const Entry> kVendorsAscend = kEntries;

}  // namespace warpscope::explain
