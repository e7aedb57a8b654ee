// Ranks that do not meet, transports of a job.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr Entry kEntries[] = {
    {"nccl.plugin", "NCCL goes without a network plug-in or InfiniBand library",
     "NET/Plugin : dlerror=libnccl-net.so\nNET/Plugin: Could not find: libnccl-net.so\nNET/Plugin : No plugin "
     "found\nFailed to open libibverbs.so\nCluster doesn't support NVLS",
     Role::kRemark, "",
     "A remark: NCCL uses what it has built in. Only where InfiniBand or a cloud's plug-in should be used, it is "
     "missing.",
     "No plug-in is installed; in a container without rdma-core, InfiniBand falls back to sockets.",
     "Which network is used? $ NCCL_DEBUG=INFO PROGRAM 2>&1 | grep \"Using network\"",
     "\"Using network IB\" or the cloud's: nothing to do. \"Socket\" on a cluster with InfiniBand: install rdma-core "
     "(libibverbs1) in the image.",
     "", "NCCL, environment variables"},
    {"nccl.device", "NCCL could not open a network adapter",
     "NET/IB : Unable to open device {w}\nCall to ibv_open_device failed\nCall to ibv_get_device_list failed\nCall to "
     "ibv_alloc_pd failed\nCall to bind failed : Address already in use\nCall to socket failed",
     Role::kRoot, "nccl_network", "The adapter is listed, and this process may not use it.",
     "/dev/infiniband is not given to the container, locked memory is limited, or the port number is taken.",
     "Nodes and limits? $ ls -l /dev/infiniband; ulimit -l; ibv_devinfo | head\nThe whole story? $ NCCL_DEBUG=INFO "
     "NCCL_DEBUG_SUBSYS=INIT,NET PROGRAM 2>&1 | grep -E \"WARN|NET/\"",
     "Container: --device /dev/infiniband --ulimit memlock=-1 --cap-add IPC_LOCK.", "", "NCCL, troubleshooting"},
    {"nccl.topology", "NCCL does not see how the devices are connected",
     "Could not find real path of /sys/class/pci_bus\nCould not find real path of /sys\nCould not find a path for "
     "pattern\nMissing \"iommu=pt\" from kernel command line\nP2P is disabled between connected GPUs\nP2P is disabled "
     "between NVLINK connected GPUs",
     Role::kRemark, "", "NCCL works, and may choose slower paths.",
     "/sys is not fully visible in the container or virtual machine, peer access is switched off (NCCL_P2P_DISABLE, "
     "ACS, IOMMU), or on AMD the kernel lacks iommu=pt.",
     "Peer access? $ nvidia-smi topo -p2p r; env | grep NCCL; warpscope doctor\nThe boot line? $ cat /proc/cmdline",
     "iommu=pt on the kernel's command line; ACS off; mount /sys in the container; unset NCCL_P2P_DISABLE.", "",
     "NCCL, troubleshooting"},
    {"dist.store_timeout", "A rank did not reach the meeting point",
     "The client socket has timed out after {n}s while trying to connect to\nThe client socket has timed out after "
     "{n}ms while trying to connect to\nRendezvousClosedError\nRendezvousStateError\nfailed to connect to "
     "TCPStore\nBroken pipe{*}rendezvous\nThe node has left the rendezvous",
     Role::kRoot, "rendezvous",
     "torch.distributed waits at MASTER_ADDR:MASTER_PORT, and nobody answered there in time, or the meeting was over.",
     "Rank 0 did not start or ended, another address on each host, a firewall.",
     "Reachable? $ nc -vz MASTER_ADDR MASTER_PORT\nDoes rank 0 run? $ squeue --me; ps aux | grep torchrun",
     "Start rank 0 first; its address on the common network; open the port.", "Do not raise the time-out first.",
     "PyTorch, torchrun"},
    {"dist.peer_gone", "Another process of the job went away",
     "?gloo/transport/tcp/pair.cc:{n}\nConnection closed by peer [{w}]:{n}\nterminate called after throwing an "
     "instance of 'c10::DistBackendError'\nterminate called after throwing an instance of "
     "'c10::DistNetworkError'\nmpirun noticed that process rank {n} with PID {n} on node {w} exited on signal\nprterun "
     "noticed that process rank {n}\nmpirun detected that one or more processes exited with non-zero status\nMPI_ABORT "
     "was invoked on rank {n}\nBAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\nrecvValue failed on "
     "SocketImpl\nsendBytes failed on SocketImpl",
     Role::kSymptom, "nccl_remote",
     "This process only tells that a connection broke or a rank ended; the reason stands in that rank's output.",
     "The rank that ended first: an exception, a kernel fault, or the host's memory (signal 9).",
     "What failed first? $ warpscope explain --file LOG\nEnded by the kernel? $ sudo dmesg -T | grep -iE \"out of "
     "memory|Killed process\" | tail",
     "Correct the first error of the rank that ended first.", "", "PyTorch and Open MPI documentation"},
    {"dist.ucx", "UCX could not use a transport",
     "UCX ERROR {*}\nUCX WARN {*}failed\nucp_context.c:{n}\nno active messages transport to", Role::kSymptom,
     "nccl_network", "UCX carries MPI and some libraries; the function in the line names the transport.",
     "mm_posix: ranks in different containers do not share /proc and /dev/shm. ib: rights on the adapter. cuda_ipc: "
     "peer access.",
     "Which transports? $ ucx_info -d | grep Transport; env | grep UCX",
     "One container a host, or --ipc=host --pid=host; to see: UCX_TLS=tcp,cuda_copy.", "", "OpenUCX documentation"},
    {"dist.ddp_twice", "DDP: a parameter was used in a way that DDP cannot follow",
     "Expected to mark a variable ready only once", Role::kRoot, "ddp",
     "A parameter took part twice in one backward pass.",
     "Gradient checkpointing with reentrant use beside find_unused_parameters, or a module that is shared between "
     "forward passes.",
     "Which parameter? $ TORCH_DISTRIBUTED_DEBUG=DETAIL PROGRAM",
     "use_reentrant=False for checkpointing; find_unused_parameters=False; or static_graph=True.", "",
     "PyTorch, DistributedDataParallel"},
};

}  // namespace

extern const std::span<const Entry> kJobNetwork;
const std::span<const Entry> kJobNetwork = kEntries;

}  // namespace warpscope::explain
