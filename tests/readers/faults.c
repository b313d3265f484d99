/* Lets the n-th call that changes a file fail, as a preloaded library:

       cc -shared -fPIC -o faults.so faults.c -ldl
       LD_PRELOAD=faults.so FAULT_FILE=b.vtkhdf FAULT_KIND=kill FAULT_AT=7 impakt run ...

   Calls count where the name of the file contains FAULT_FILE: writes, changes of length, synchronisation, renaming.
   FAULT_LOG receives the name of each call. FAULT_KIND:
     kill     the process is killed before the call
     partial  part of the write is done, up to the end of a page as the kernel cuts it, then the process is killed
     short    part of the write is done, and the call says so
     eio      the call fails once
     enospc   this call and all later writes fail: the disk stays full */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { PAGE = 4096 };
enum fate { PASS, FAIL, CUT, CUT_AND_KILL };

static atomic_int calls;

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static int is_ours(const char *path) {
    const char *file = setting("FAULT_FILE");
    return *file && strstr(path, file) != NULL;
}

static int descriptor_is_ours(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

static ssize_t (*real_write)(int, const void *, size_t);

static void note(const char *name) {
    const char *log = setting("FAULT_LOG");
    if (!*log) return;
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0) return;
    char line[64];
    int length = snprintf(line, sizeof line, "%s\n", name);
    if (real_write(fd, line, (size_t)length) < 0) abort();
    close(fd);
}

/* What becomes of the next call; `writes` whether a full disk concerns it. */
static enum fate next(const char *name, int writes) {
    if (!real_write) real_write = dlsym(RTLD_NEXT, "write");
    note(name);
    int at = atoi(setting("FAULT_AT")), number = ++calls;
    const char *kind = setting("FAULT_KIND");
    if (at > 0 && !strcmp(kind, "enospc") && number >= at && writes) {
        errno = ENOSPC;
        return FAIL;
    }
    if (number != at) return PASS;
    if (!strcmp(kind, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(kind, "eio")) {
        errno = EIO;
        return FAIL;
    }
    if (!strcmp(kind, "partial")) return writes ? CUT_AND_KILL : PASS;
    return !strcmp(kind, "short") && writes ? CUT : PASS;
}

/* Bytes of a write at an offset up to the end of a page in its middle; all of one that lies within a page. */
static size_t cut(size_t count, off_t offset) {
    size_t end = ((size_t)offset + count / 2) / PAGE * PAGE;
    return end > (size_t)offset ? end - (size_t)offset : count;
}

static ssize_t changed_pwrite(const char *symbol, int fd, const void *data, size_t count, off_t offset) {
    ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, symbol);
    if (!descriptor_is_ours(fd)) return real(fd, data, count, offset);
    switch (next("pwrite", 1)) {
    case FAIL: return -1;
    case CUT: return real(fd, data, cut(count, offset), offset);
    case CUT_AND_KILL: {
        ssize_t done = real(fd, data, cut(count, offset), offset);
        kill(getpid(), SIGKILL);
        return done;
    }
    default: return real(fd, data, count, offset);
    }
}

ssize_t pwrite(int fd, const void *data, size_t count, off_t offset) {
    return changed_pwrite("pwrite", fd, data, count, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t count, off64_t offset) {
    return changed_pwrite("pwrite64", fd, data, count, (off_t)offset);
}

ssize_t write(int fd, const void *data, size_t count) {
    if (!real_write) real_write = dlsym(RTLD_NEXT, "write");
    if (!descriptor_is_ours(fd)) return real_write(fd, data, count);
    return next("write", 1) == FAIL ? -1 : real_write(fd, data, count);
}

static int changed_ftruncate(const char *symbol, int fd, off_t length) {
    int (*real)(int, off_t) = dlsym(RTLD_NEXT, symbol);
    if (descriptor_is_ours(fd) && next("ftruncate", 0) == FAIL) return -1;
    return real(fd, length);
}

int ftruncate(int fd, off_t length) { return changed_ftruncate("ftruncate", fd, length); }

int ftruncate64(int fd, off64_t length) { return changed_ftruncate("ftruncate64", fd, (off_t)length); }

int fsync(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
    if (descriptor_is_ours(fd) && next("fsync", 0) == FAIL) return -1;
    return real(fd);
}

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    if (is_ours(to) && next("rename", 0) == FAIL) return -1;
    return real(from, to);
}
