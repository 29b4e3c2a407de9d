/* Landlock (Linux 5.13) for files, seccomp (3.17) for system calls, both by raw system calls: the C library has no wrappers. The structures
 * and numbers are the kernel's (include/uapi/linux/landlock.h); building does not need that header, which older systems lack. */
#include "server/worker/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ── files ────────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { SYSCALL_CREATE_RULESET = 444, SYSCALL_ADD_RULE = 445, SYSCALL_RESTRICT_SELF = 446 };
enum { RULE_PATH_BENEATH = 1, CREATE_RULESET_VERSION = 1 };

/* Rights of Landlock's first version, and those added by the second (REFER) and third (TRUNCATE). */
enum {
  FILE_EXECUTE = 1 << 0,
  FILE_WRITE = 1 << 1,
  FILE_READ = 1 << 2,
  DIRECTORY_READ = 1 << 3,
  FIRST_VERSION = (1 << 13) - 1,
  REFER = 1 << 13,
  TRUNCATE = 1 << 14
};

struct ruleset_attribute {
  uint64_t handled;
};

struct path_beneath_attribute {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

static uint64_t known_rights(long version)
{
  uint64_t rights = FIRST_VERSION;
  if (version >= 2) rights |= REFER;
  if (version >= 3) rights |= TRUNCATE;
  return rights;
}

/* A path that is not there needs no rule. */
static bool allow(int ruleset, const char *path, uint64_t rights)
{
  struct path_beneath_attribute rule = {.allowed = rights, .parent = open(path, O_PATH | O_CLOEXEC)};
  if (rule.parent < 0) return errno == ENOENT || errno == EACCES;
  bool added = syscall(SYSCALL_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0) == 0;
  close(rule.parent);
  return added;
}

/* Each of the files named, to be read: none of the others beside them. */
static bool allow_assets(int ruleset, const char *assets, const char *names)
{
  char path[4200];
  bool fine = true;
  while (assets && *names) {
    int length = (int)strcspn(names, ",");
    int written = snprintf(path, sizeof path, "%s/%.*s", assets, length, names);
    fine = written > 0 && (size_t)written < sizeof path && allow(ruleset, path, FILE_READ) && fine;
    names += length + (names[length] == ',');
  }
  return fine;
}

/* What drivers of GPUs need: libraries and compilers of the system, their settings, and the devices. */
static bool allow_drivers(int ruleset)
{
  static const char *const system[] = {"/usr", "/lib", "/lib64", "/opt", "/etc/OpenCL", "/etc/alternatives", "/sys", "/proc/driver"},
                           *const devices[] = {"/dev/dri",        "/dev/kfd", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools",
                                               "/dev/nvidia-caps"};
  char path[32];
  bool fine = allow(ruleset, "/etc/ld.so.cache", FILE_READ);
  for (size_t i = 0; i < sizeof system / sizeof *system; i++)
    fine = allow(ruleset, system[i], FILE_READ | DIRECTORY_READ | FILE_EXECUTE) && fine;
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    bool folder = i == 0 || i + 1 == sizeof devices / sizeof *devices;
    fine = allow(ruleset, devices[i], FILE_READ | FILE_WRITE | (folder ? DIRECTORY_READ : 0)) && fine;
  }
  for (int n = 0; n < 16; n++) {
    snprintf(path, sizeof path, "/dev/nvidia%d", n);
    fine = allow(ruleset, path, FILE_READ | FILE_WRITE) && fine;
  }
  return fine;
}

static bool confine_files(const char *directory, const char *assets, const char *names, bool on_device)
{
  static const char *const readable[] = {"/proc/self", "/sys/devices/system/cpu", "/sys/devices/system/node"};
  static const char *const readable_files[] = {"/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm/overcommit_memory", "/etc/localtime"};
  long version = syscall(SYSCALL_CREATE_RULESET, NULL, (size_t)0, CREATE_RULESET_VERSION);
  if (version < 1) return false;
  struct ruleset_attribute attribute = {.handled = known_rights(version)};
  int ruleset = (int)syscall(SYSCALL_CREATE_RULESET, &attribute, sizeof attribute, 0);
  if (ruleset < 0) return false;
  bool fine = !directory || allow(ruleset, directory, attribute.handled & ~(uint64_t)FILE_EXECUTE);
  fine = (names ? allow_assets(ruleset, assets, names) : allow(ruleset, assets, FILE_READ | DIRECTORY_READ)) && fine;
  for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) fine = allow(ruleset, readable[i], FILE_READ | DIRECTORY_READ) && fine;
  for (size_t i = 0; i < sizeof readable_files / sizeof *readable_files; i++) fine = allow(ruleset, readable_files[i], FILE_READ) && fine;
  fine = allow(ruleset, "/dev/null", FILE_READ | FILE_WRITE) && fine;
  if (on_device) fine = allow_drivers(ruleset) && fine;
  fine = fine && syscall(SYSCALL_RESTRICT_SELF, ruleset, 0) == 0;
  close(ruleset);
  return fine;
}

/* ── system calls ─────────────────────────────────────────────────────────────────────────────────────────────── */

#if defined(__x86_64__)
enum { ARCHITECTURE = AUDIT_ARCH_X86_64, FIRST_FOREIGN_CALL = 0x40000000 }; /* from there on they are those of the x32 interface */
#elif defined(__aarch64__)
enum { ARCHITECTURE = AUDIT_ARCH_AARCH64, FIRST_FOREIGN_CALL = 0x40000000 };
#endif

#if defined(__x86_64__) || defined(__aarch64__)
/* What a run has no business with: new sockets, other programs and processes, and ways around the file rules. */
static const int refused_calls[] = {SYS_socket,
                                    SYS_socketpair,
                                    SYS_connect,
                                    SYS_bind,
                                    SYS_listen,
                                    SYS_accept,
                                    SYS_accept4,
                                    SYS_execve,
                                    SYS_execveat,
                                    SYS_ptrace,
                                    SYS_process_vm_readv,
                                    SYS_process_vm_writev,
                                    SYS_kill,
                                    SYS_mount,
                                    SYS_umount2,
                                    SYS_pivot_root,
                                    SYS_chroot,
                                    SYS_unshare,
                                    SYS_setns,
                                    SYS_bpf,
                                    SYS_perf_event_open,
                                    SYS_userfaultfd,
                                    SYS_open_by_handle_at,
                                    SYS_keyctl,
                                    SYS_add_key,
                                    SYS_request_key,
                                    SYS_io_uring_setup,
                                    SYS_pidfd_open,
                                    SYS_pidfd_getfd,
                                    SYS_pidfd_send_signal,
                                    SYS_kexec_load,
                                    SYS_init_module,
                                    SYS_finit_module,
                                    SYS_delete_module,
                                    SYS_reboot};
enum { REFUSED_COUNT = sizeof refused_calls / sizeof *refused_calls };

/* A refused call fails with EPERM: whoever makes it by mistake says so, instead of vanishing. A foreign interface kills the process. */
static bool confine_calls(bool on_device)
{
  struct sock_filter program[REFUSED_COUNT + 8];
  int refused[REFUSED_COUNT];
  unsigned short n = 0;
  unsigned count = 0;
  for (unsigned i = 0; i < REFUSED_COUNT; i++)
    if (!on_device || (refused_calls[i] != SYS_execve && refused_calls[i] != SYS_execveat)) refused[count++] = refused_calls[i];
  program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
  program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_FOREIGN_CALL, (unsigned char)(count + 1), 0);
  for (unsigned i = 0; i < count; i++)
    program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)refused[i], (unsigned char)(count - i), 0);
  program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA));
  const struct sock_fprog filter = {.len = n, .filter = program};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}
#else
static bool confine_calls(bool on_device)
{
  (void)on_device;
  return false;
}
#endif

bool confine(const char *directory, const char *assets, const char *names, bool on_device, char *left, size_t capacity)
{
  bool files = confine_files(directory, assets, names, on_device), calls = confine_calls(on_device);
  snprintf(left, capacity, "this system can't keep a worker away from %s%s%s: the worker has access", files ? "" : "other files (Landlock)",
           files || calls ? "" : ", ", calls ? "" : "the network (seccomp)");
  return files && calls;
}
