#include "record/host/syscall_names.h"

#include <sys/syscall.h>

#include <iterator>

namespace warpscope::record::host {
namespace {

struct Call {
  long number;
  const char* name;
};

// Numbers differ between machines, and some have fewer calls.
constexpr Call kCalls[] = {
#ifdef SYS_accept
    {SYS_accept, "accept"},
#endif
    {SYS_accept4, "accept4"},
#ifdef SYS_alarm
    {SYS_alarm, "alarm"},
#endif
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_close, "close"},
    {SYS_connect, "connect"},
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "epoll_wait"},
#endif
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_exit_group, "exit_group"},
    {SYS_fallocate, "fallocate"},
    {SYS_fcntl, "fcntl"},
    {SYS_fdatasync, "fdatasync"},
    {SYS_flock, "flock"},
    {SYS_fsync, "fsync"},
    {SYS_ftruncate, "ftruncate"},
    {SYS_futex, "futex"},
    {SYS_getdents64, "getdents64"},
    {SYS_io_getevents, "io_getevents"},
#ifdef SYS_io_uring_enter
    {SYS_io_uring_enter, "io_uring_enter"},
#endif
    {SYS_ioctl, "ioctl"},
    {SYS_madvise, "madvise"},
    {SYS_mmap, "mmap"},
    {SYS_mprotect, "mprotect"},
    {SYS_mremap, "mremap"},
    {SYS_msync, "msync"},
    {SYS_munmap, "munmap"},
    {SYS_nanosleep, "nanosleep"},
#ifdef SYS_newfstatat
    {SYS_newfstatat, "newfstatat"},
#endif
#ifdef SYS_open
    {SYS_open, "open"},
#endif
    {SYS_openat, "openat"},
#ifdef SYS_pause
    {SYS_pause, "pause"},
#endif
#ifdef SYS_poll
    {SYS_poll, "poll"},
#endif
    {SYS_ppoll, "ppoll"},
    {SYS_pread64, "pread64"},
    {SYS_preadv, "preadv"},
    {SYS_pselect6, "pselect6"},
    {SYS_pwrite64, "pwrite64"},
    {SYS_read, "read"},
    {SYS_readv, "readv"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_rt_sigsuspend, "rt_sigsuspend"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
    {SYS_sched_yield, "sched_yield"},
#ifdef SYS_select
    {SYS_select, "select"},
#endif
    {SYS_semtimedop, "semtimedop"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_sendto, "sendto"},
    {SYS_splice, "splice"},
    {SYS_sync, "sync"},
    {SYS_unlinkat, "unlinkat"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_write, "write"},
    {SYS_writev, "writev"},
};

}  // namespace

std::string SyscallName(long number) {
  for (const Call& call : kCalls) {
    if (call.number == number) return call.name;
  }
  return "syscall " + std::to_string(number);
}

}  // namespace warpscope::record::host
