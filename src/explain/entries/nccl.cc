// Collectives: NCCL, Gloo, launchers.
#include "explain/collectives/completion.h"
#include "explain/collectives/watchdog.h"
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr const char* kNcclLog =
    "What does NCCL itself say? $ NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET PROGRAM 2>&1 | grep -E 'WARN|NET/'";

constexpr Entry kEntries[] = {
    {"nccl.timeout", "A collective timed out",
     "Watchdog caught collective operation timeout\nCollective operation timeout: WorkNCCL\nWatchdog caught collective "
     "operation time-out",
     Role::kSymptom, "nccl_timeout",
     "PyTorch's watchdog ends a rank that has waited too long in a collective. The waiting ranks are rarely the guilty "
     "ones.",
     "Another rank crashed, hangs or does something long.",
     "Which rank reported no time-out, or failed first? $ grep -nE 'Error|Traceback|Killed' rank*.log | head\nWhat "
     "does it do now? $ py-spy dump --pid PID\nWhich collective differs between ranks? $ "
     "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 PROGRAM\nDoes it hang without peer access (ACS, "
     "IOMMU in the way)? $ NCCL_P2P_DISABLE=1 PROGRAM",
     "Find and correct the rank that did not come; its first error is the cause.\nLong work on one rank (preparing, "
     "saving): do it on all, or raise the limit: init_process_group(timeout=timedelta(hours=2)).\nUneven data: "
     "DistributedSampler(drop_last=True), or Join.\nHangs that NCCL_P2P_DISABLE=1 cures: switch ACS off, IOMMU to "
     "pass-through.",
     "Do not only raise the time-out: a rank that hangs stays.", "PyTorch, ProcessGroupNCCL; 'Flight recorder'",
     WorkWatchdog},
    {"nccl.watchdog_end", "The NCCL watchdog ended the process",
     "NCCL communicator was aborted on rank {n}\nNCCL watchdog thread terminated with exception\nSome NCCL operations "
     "have failed or timed out\nTo avoid data inconsistency, we are taking the entire process down\nException (either "
     "an error or timeout) detected by watchdog at work: {n}\nProcess group watchdog thread terminated with exception\n"
     "Received a dump signal due to a collective timeout",
     Role::kSymptom, "nccl_timeout",
     "After a time-out or error of a collective the process is ended, so that no wrong data are used.",
     "The error that stands before it.", "Which error came first? $ grep -nE 'Error|Watchdog caught' LOG | head -5",
     "Correct that error.", "", "PyTorch, ProcessGroupNCCL"},
    {"nccl.mismatch", "Ranks call different collectives",
     "Detected mismatch between collectives on ranks\nMismatched collective detected\nthis may be caused by a "
     "collective "
     "mismatch around rank {n}\ncollective mismatch error",
     Role::kRoot, "nccl_mismatch",
     "At one place the ranks disagree about operation, shape or type; NCCL would hang or mix data.",
     "A condition on the rank, uneven data, or unused parameters.",
     "Which line on each rank? $ TORCH_DISTRIBUTED_DEBUG=DETAIL PROGRAM",
     "Let all ranks make the same calls in the same order.\nDDP with unused parts: "
     "find_unused_parameters=True.\nUneven shapes: pad before all_gather.",
     "Do not add barriers: they only move the hang.", "PyTorch, ProcessGroupWrapper", WorkMismatch},
    {"nccl.system", "NCCL: unhandled system error",
     "unhandled system error\nncclSystemError: System call (e.g. socket, malloc) or external library call failed",
     Role::kRoot, "nccl_system", "A call to the system or network under NCCL failed.",
     "NCCL chose a network interface that does not reach the other hosts, or /dev/shm in the container is too small.",
     "What does "
     "NCCL itself say? The WARN line before it names the call. $ NCCL_DEBUG=INFO PROGRAM 2>&1 | grep WARN\nInterfaces? "
     "$ ip -br addr\nShared memory? $ df -h /dev/shm; ulimit -l",
     "Name the interface: NCCL_SOCKET_IFNAME=eth0 (and GLOO_SOCKET_IFNAME).\nContainer: --shm-size=8g --ulimit "
     "memlock=-1.\nInfiniBand trouble: NCCL_IB_DISABLE=1 shows whether it is "
     "that.",
     "Do not switch P2P, SHM and IB off all at once: you would not learn which.",
     "NCCL, environment variables and troubleshooting"},
    {"nccl.ib_memory", "NCCL could not register memory with the InfiniBand adapter",
     "Call to ibv_reg_mr failed\nCall to ibv_reg_mr_iova2 failed\nCall to ibv_create_qp failed\nCall to ibv_create_cq "
     "failed\nibv_reg_mr failed",
     Role::kRoot, "nccl_system",
     "An adapter for InfiniBand or RoCE must pin the memory that it reads and writes, and the system refused that.",
     "The limit of locked memory is too low (containers, services and job managers often have 64 KiB).",
     "The limit where the program runs? $ ulimit -l\nOf the process? $ grep 'locked memory' /proc/PID/limits\nDoes the "
     "adapter work by itself? $ ibv_devinfo; ib_write_bw\nWhere GPU memory is the one that fails: the module for peer "
     "memory? $ lsmod | grep -E 'nvidia_peermem|nv_peer_mem'",
     "Container: --ulimit memlock=-1 (Kubernetes: on the runtime, or IPC_LOCK).\nService: LimitMEMLOCK=infinity. Host: "
     "'* hard memlock unlimited' and the same for soft in /etc/security/limits.conf.\nGPU memory: modprobe "
     "nvidia-peermem, or NCCL_NET_GDR_LEVEL=LOC to go without it.",
     "Do not leave NCCL_IB_DISABLE=1 in place: it falls back to sockets and costs most of the bandwidth.",
     "NCCL, troubleshooting; ibv_reg_mr(3): ENOMEM where the limit of locked memory is reached"},
    {"nccl.interface", "NCCL found no network interface to use",
     "no socket interface found\nNo interface found in the same subnet as remote address\nNET/Socket : No usable "
     "interface\nNET/Socket : no interface found\nUnable to find address for: {w}",
     Role::kRoot, "nccl_interface",
     "NCCL (or Gloo) needs one network interface with an address to meet the other ranks, and none is left.",
     "NCCL_SOCKET_IFNAME names an interface that this host or container does not have, or excludes the only one.",
     "Which is asked for? $ env | grep SOCKET_IFNAME\nWhich interfaces are there, with which address? $ ip -br addr\n"
     "Which does NCCL take? $ NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET PROGRAM 2>&1 | grep -E 'IFNAME|NET/Socket'",
     "unset NCCL_SOCKET_IFNAME, or name one of the list: NCCL_SOCKET_IFNAME=eth0 (a prefix; =eth0 with a leading = "
     "means "
     "just that one, ^docker,lo leaves some out).\nGloo as well: GLOO_SOCKET_IFNAME=eth0.\nNames may differ between "
     "hosts: give a prefix that holds on all.\nA container without a network: --network=host.",
     "Do not start with NCCL_IB_DISABLE or P2P: the first meeting goes over a socket.",
     "NCCL, environment variables (NCCL_SOCKET_IFNAME)"},
    {"nccl.shm", "NCCL has no shared memory",
     "Error while creating shared memory segment /dev/shm/nccl\nError while attaching to shared memory segment "
     "/dev/shm/nccl\nfailed to extend /dev/shm/nccl\nposix_fallocate failed : No space left on device",
     Role::kRoot, "nccl_system", "Ranks of one host exchange data through /dev/shm, and it is full.",
     "Docker gives a container 64 MiB; or files of ended jobs are left behind.",
     "$ df -h /dev/shm; ls -l /dev/shm | head",
     "Container: --shm-size=1g --ulimit memlock=-1 or --ipc=host; Kubernetes: an emptyDir with medium Memory at "
     "/dev/shm.\nRemove files that ended jobs left: rm /dev/shm/nccl-*",
     "Do not set NCCL_SHM_DISABLE=1 for good: it costs bandwidth.", "NCCL, troubleshooting"},
    {"nccl.ib_connect", "NCCL: adapters do not reach each other over InfiniBand or RoCE",
     "Call to ibv_modify_qp failed\nCall to ibv_create_qp failed\nNET/IB : Got async event\nibv_modify_qp failed with",
     Role::kRoot, "nccl_network", "Two adapters could not set up a connection.",
     "RoCE: the wrong entry of the address table (GID), or adapters in different subnets; InfiniBand: a port that is "
     "down, or "
     "another fabric.",
     "Ports up, which link? $ ibstat\nRoCE: which GIDs? $ show_gids\nDo two hosts reach each other? $ ib_write_bw -d "
     "DEVICE "
     "PEER",
     "RoCE v2: NCCL_IB_GID_INDEX=3 (the index that show_gids gives for v2 and IPv4).\nName only the adapters of the "
     "compute "
     "network: NCCL_IB_HCA=mlx5_0,mlx5_1.",
     "Do not leave NCCL_IB_DISABLE=1 in place: it falls back to sockets.", "NCCL, environment variables"},
    {"nccl.ib_completion", "NCCL: a transfer over InfiniBand or RoCE failed",
     "Got completion from peer {*} with status={n} opcode=\nGot completion from peer {*} with error {n}, opcode",
     Role::kSymptom, "nccl_network", "The adapter gave a request back unfinished; NCCL cannot go on after that.",
     "The connection to that peer broke, or its process ended.",
     "Did that rank end first? $ grep -nE 'Error|Traceback|Killed' rank*.log | head\nLinks up, counters of errors? $ "
     "ibstat; rdma statistic; ethtool -S DEVICE | grep -iE 'discard|timeout|cnp'\nDo two hosts reach each other at "
     "all? $ ib_write_bw -d DEVICE PEER",
     "Only if no rank failed first, the network.\nRoCE, failing at once: NCCL_IB_GID_INDEX=3 (the index that "
     "show_gids gives for v2 and IPv4), the same VLAN and MTU everywhere.\nFailing after hours: NCCL_IB_TIMEOUT=22 "
     "bridges a link or switch that is away for seconds; find the port that flaps.",
     "Do not leave NCCL_IB_DISABLE=1 in place: it falls back to sockets.",
     "NCCL, environment variables; ibv_poll_cq(3)", WorkCompletion},
    {"nccl.connect", "NCCL: a rank's address cannot be reached",
     "socketStartConnect: Connect to {*} failed\nsocketPollConnect: Connect to {*} failed\nsocketProgress: Connection "
     "closed by "
     "remote peer\nCall to connect returned Connection refused\nCall to connect returned Connection timed out\nCall to "
     "connect "
     "returned No route to host",
     Role::kSymptom, "nccl_network", "NCCL opened a connection to another rank and nobody answered there.",
     "That rank ended before ('refused'), a firewall drops the ports ('timed out'), or the ranks took interfaces of "
     "different "
     "networks ('no route').",
     "Did a rank fail first? Read its log.\nWhich interface did each take? $ NCCL_DEBUG=INFO PROGRAM 2>&1 | grep "
     "'NET/Socket'\n"
     "Reachable? $ nc -vz ADDRESS PORT",
     "Same network on all hosts: NCCL_SOCKET_IFNAME=eth0 (not docker0 or lo).\nOpen all ports between the hosts, or "
     "fix a range "
     "with net.ipv4.ip_local_port_range.",
     "Do not raise time-outs first.", "NCCL, troubleshooting"},
    {"nccl.nvls", "NCCL: NVLink SHARP (multicast in the NVSwitches) cannot be set up",
     "Failed to bind NVLink SHARP (NVLS) Multicast memory\nnvls.cc:{n} NCCL WARN Cuda failure\nNVLink SHARP init "
     "failed: Cuda failure",
     Role::kMachine, "fabric",
     "The fabric of NVSwitches refused a multicast group. Plain transfers between GPUs often still work, so that other "
     "programs run.",
     "Fabric Manager does not run, or was restarted without a reset of the GPUs; on systems of several nodes the IMEX "
     "channel is missing.",
     "Does it run, of the driver's version? $ systemctl status nvidia-fabricmanager; journalctl -u "
     "nvidia-fabricmanager -n 50\nState of the fabric? $ nvidia-smi -q | grep -A4 -i fabric\nXid or SXid? $ warpscope "
     "faults /var/log/kern.log",
     "End all programs on the GPUs, stop Fabric Manager, nvidia-smi -r, start Fabric Manager; or boot the machine "
     "again.\nUntil then: NCCL_NVLS_ENABLE=0.",
     "Do not leave NCCL_NVLS_ENABLE=0 in place: all-reduce becomes slower.",
     "NCCL, environment variables (NCCL_NVLS_ENABLE); NVIDIA, Fabric Manager guide"},
    {"nccl.fabric_handle", "NCCL: memory cannot be shared through the NVLink fabric",
     "Failed to import shareable "
     "handle\ncuMemCreate{*}CUDA_ERROR_NOT_PERMITTED\nCUDA_ERROR_NOT_PERMITTED{*}cuMemCreate\n"
     "MNNVL not properly",
     Role::kRoot, "fabric",
     "Handles of the kind 'fabric' need an IMEX channel that the process may open, and a fabric between the GPUs.",
     "The container was not given /dev/nvidia-caps-imex-channels, or the machine has no NVLink fabric.",
     "Is there a channel? $ ls -l /dev/nvidia-caps-imex-channels; grep imex /proc/devices\nDoes the daemon run? $ "
     "nvidia-imex-ctl -N",
     "Give the channel to the container (Kubernetes: a ComputeDomain of the DRA driver).\nWithout NVLink between "
     "nodes: NCCL_MNNVL_ENABLE=0, and if it stays NCCL_CUMEM_ENABLE=0.",
     "", "CUDA Driver API, virtual memory management; NVIDIA, IMEX guide"},
    {"nccl.argument", "NCCL: a call had an invalid argument",
     "ncclInvalidArgument\nNCCL error in: {*}, invalid argument", Role::kRoot, "nccl_usage",
     "NCCL checked the arguments of a collective and refused them.",
     "A tensor on another device than the communicator's, a rank outside the group, or an invalid root.",
     "What does NCCL itself say? The WARN line names the argument. $ NCCL_DEBUG=WARN NCCL_CHECK_POINTERS=1 PROGRAM",
     "torch.cuda.set_device(LOCAL_RANK) first of all, and tensors on that device.", "", "NCCL, ncclResult_t"},
    {"nccl.cuda", "NCCL: unhandled cuda error",
     "unhandled cuda error\nncclUnhandledCudaError: Call to CUDA function failed", Role::kSymptom, "nccl_cuda",
     "A CUDA call inside NCCL failed; what failed stands in NCCL's own line ('Cuda failure ...').",
     "Out of device memory, two ranks on one GPU, an earlier fault of a kernel, or a driver too old for this NCCL.",
     "The failure in words? $ NCCL_DEBUG=INFO PROGRAM 2>&1 | grep -iE 'cuda failure|WARN'\nOne GPU a rank? $ "
     "nvidia-smi",
     "torch.cuda.set_device(int(os.environ['LOCAL_RANK'])) before init_process_group.\nThen by the CUDA failure that "
     "the line names: warpscope explain \"...\"",
     "", "NCCL, troubleshooting"},
    {"nccl.invalid", "NCCL: invalid usage",
     "NCCL{*}invalid usage\nncclInvalidUsage: This usually reflects invalid usage of NCCL library\nDuplicate GPU "
     "detected : rank {n} and rank {n} both on CUDA device",
     Role::kRoot, "nccl_usage", "NCCL was called in a way that it does not allow.",
     "Two ranks use one GPU: each process took device 0.",
     "Which device has each rank? $ nvidia-smi --query-compute-apps=pid,gpu_bus_id --format=csv",
     "torch.cuda.set_device(LOCAL_RANK) "
     "first of all; start at most one process a GPU.",
     "", "NCCL, ncclResult_t"},
    {"nccl.remote", "NCCL: a peer went away",
     "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely\nNCCL "
     "WARN{*}Connection closed by remote peer\nBroken pipe{*}TCPStore",
     Role::kSymptom, "nccl_remote", "The connection to another rank broke.",
     "That rank ended first, or the network failed.",
     "Which rank ended first? $ grep -nE 'Error|Traceback|Killed' rank*.log | head\nNetwork counters? $ ibstat; rdma "
     "statistic",
     "Look at the peer's log; only if no rank failed, at the network.", "Do not start with network settings.",
     "NCCL, ncclResult_t"},
    {"nccl.internal", "NCCL: internal error", "ncclInternalError: Internal check failed\nNCCL{*}internal error",
     Role::kRoot, "nccl_internal", "A check inside NCCL failed.",
     "Two NCCL versions in one job, a network plug-in that does not fit, or memory overwritten.", kNcclLog,
     "Use one NCCL version on all ranks; try without plug-in (NCCL_NET=Socket) to see.", "", "NCCL, ncclResult_t"},
    {"nccl.version", "NCCL versions differ or do not fit",
     "NCCL version mismatch\nNCCL WARN Mismatched NCCL version detected", Role::kRoot, "nccl_version",
     "Ranks run different NCCL versions.", "Different images or environments on the hosts.",
     "$ python -c \"import torch; print(torch.cuda.nccl.version())\"", "Same image on all hosts.", "", "NCCL"},
    {"nccl.p2p_warning", "Peer access is switched off for RTX 40 cards",
     "Using RTX 4000 series doesn't support faster communication broadband via P2P or IB\nNCCL_P2P_DISABLE=\"1\" and "
     "NCCL_IB_DISABLE=\"1\"",
     Role::kRemark, "", "GeForce RTX 40 cards have no peer access; transfers go through the host.",
     "The card, not a fault.", "",
     "export NCCL_P2P_DISABLE=1 NCCL_IB_DISABLE=1, or start "
     "with accelerate launch, which sets them.",
     "", "Hugging Face Accelerate"},
    {"dist.connect", "Ranks do not find each other at the start",
     "The client socket has timed out after {n}\nThe client socket has failed to connect "
     "to\nRendezvousTimeoutError\nRendezvousConnectionError\nTimed out initializing process group in store based "
     "barrier\nConnectionRefusedError: [Errno 111]{*}TCPStore\nDistNetworkError: {*}timed out\nDistStoreError: Timed "
     "out after {n} seconds waiting for clients\nis setting up NCCL communicator and retrieving "
     "ncclUniqueId from [0] via c10d key-value store",
     Role::kRoot, "rendezvous", "The meeting point (MASTER_ADDR:MASTER_PORT) was not reached, or not all ranks came.",
     "Wrong address, a closed port, or fewer processes started than the world size says.",
     "Same values everywhere? $ echo $MASTER_ADDR $MASTER_PORT $WORLD_SIZE $RANK\nReachable? $ nc -vz $MASTER_ADDR "
     "$MASTER_PORT\nDid all ranks start? $ squeue --me; ps aux | "
     "grep torchrun",
     "Set MASTER_ADDR to rank 0's address on a common network; open the port; start all ranks.",
     "Do not raise the time-out first.", "PyTorch, torchrun"},
    {"dist.port", "The port of the meeting point is taken",
     "RuntimeError: Address already in use\nThe server socket has failed to listen on any local network "
     "address{*}EADDRINUSE\nThe server socket has failed "
     "to bind to{*}Address already in use\nEADDRINUSE, message: address already in use\nAddress already in use (errno: "
     "98",
     Role::kRoot, "rendezvous", "Another job on this host uses MASTER_PORT.",
     "Two jobs with the same port, or one that did not end.",
     "$ ss -ltnp | grep "
     "29500",
     "Another port: torchrun --master_port 29501, or --rdzv_endpoint=localhost:0.", "", "PyTorch, torchrun"},
    {"dist.child", "A worker failed; the launcher ended the others",
     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError\nfailed (exitcode: {*}) local_rank: "
     "{n}\nexitcode : {*}(pid: {n})\nSIGTERM received{*}Sending process {n} closing signal\nSending process {n} "
     "closing signal SIGTERM\nProcessRaisedException",
     Role::kSymptom, "launcher",
     "torchrun's summary: one worker failed, "
     "and the launcher ended the rest. The reason stands in that worker's output.",
     "The first traceback above, of the rank named as root cause.",
     "Which rank first? $ grep -nA6 'Root Cause' LOG\nIts traceback: decorate main with "
     "torch.distributed.elastic.multiprocessing.errors.record, or $ torchrun --redirects 3 --log-dir logs ...",
     "Correct the error of that rank.",
     "Do not search for the "
     "launcher's own message.",
     "PyTorch, torchrun, error propagation", WorkExitCode},
};

}  // namespace

extern const std::span<const Entry> kNccl;
const std::span<const Entry> kNccl = kEntries;

}  // namespace warpscope::explain
