/*
 * process.h - who a process is, from /proc (proc(5), pid_namespaces(7)). What it counts is in
 * proc.h.
 */
#ifndef ASSAY_OS_PROCESS_H
#define ASSAY_OS_PROCESS_H

#include <sys/types.h>

#include "base/error.h"

/* Field 22 of /proc/PID/stat, in ticks since boot: with the pid it names one process for good. */
int process_start_ticks(pid_t pid, uint64_t *ret);

/* Its pid in its own namespace, the last of NSpid; the same where there is none; -ESRCH. */
int process_inner_pid(pid_t pid, pid_t *ret);

/* The user whose rights it has; -ESRCH. */
int process_user(pid_t pid, uid_t *ret);

/* Whether the process has ended and waits to be reaped, or is gone. */
bool process_has_ended(pid_t pid);

/*
 * The environment it was started with: the value of the first of the names that is set, which the
 * caller frees; -ENOENT none is, -EACCES for another user's process, -ESRCH.
 */
int process_variable(pid_t pid, const char *const *names, size_t n, char **ret, size_t *ret_which);

/* Its arguments with blanks between; "" for a kernel thread or a zombie. The caller frees it. */
char *process_command_line(pid_t pid);

/*
 * What people call it: the base name of its program, or of the .dll that `dotnet` runs; the name
 * the kernel has for it when there are no arguments. NULL when it is gone. The caller frees it.
 */
char *process_name(pid_t pid);

/* A thread whose name begins so, among the first 256. Readable for every user's processes. */
bool process_has_thread(pid_t pid, const char *prefix);

/*
 * The path of the first mapped file that is called base_name, also one that was deleted since, ""
 * when there is none. -EACCES for another user's process, -ESRCH. The caller frees it.
 */
int process_mapped_file(pid_t pid, const char *base_name, char **ret);

/* Every pid of /proc, ascending: the caller frees *ret. */
int process_list(pid_t **ret, size_t *ret_n, struct error *reterr);

#endif
