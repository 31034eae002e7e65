/*
 * Notes every change of files below a folder, from all threads and processes, in one file: each write, size change and
 * name, and the start and the end of each sync. Preloaded (LD_PRELOAD) with RECORD_ROOT, the folder without links, and
 * RECORD_FILE. With STOP_AT, "KIND SUFFIX N", the process stops itself (SIGSTOP) before the N-th change of that kind to
 * a file whose path ends so. Changes are made and noted under one lock, so notes have the order of the changes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static pid_t owner;
static uint64_t tokens;

/* The head of a note; its text or data follow. `a` is an inode; for names it is that of the folder. */
struct note { uint32_t kind, size; uint64_t a, b; };

/* A process that was forked needs its own description of the file, because flock belongs to the description. */
static void begin(void) {
  if (owner != getpid()) {
    owner = getpid();
    pthread_mutex_init(&mutex, NULL);
    file = syscall(SYS_openat, AT_FDCWD, getenv("RECORD_FILE"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    tokens = (uint64_t)owner << 32;
  }
  pthread_mutex_lock(&mutex);
  while (flock(file, LOCK_EX) && errno == EINTR);
}

static long end(long result) {
  int error = errno;
  flock(file, LOCK_UN);
  pthread_mutex_unlock(&mutex);
  errno = error;
  return result;
}

static void note(char kind, uint64_t a, uint64_t b, const struct iovec *data, int count) {
  struct note head = {kind, 0, a, b};
  struct iovec all[IOV_MAX + 1] = {{&head, sizeof head}};
  for (int n = 0; n < count; n++) head.size += (all[n + 1] = data[n]).iov_len;
  int error = errno;
  if (syscall(SYS_writev, file, all, count + 1) != (long)(sizeof head + head.size)) abort();
  errno = error;
}

static int is_inside(const char *path) {
  const char *root = getenv("RECORD_ROOT");
  size_t length = root ? strlen(root) : 0;
  return length && !strncmp(path, root, length) && (path[length] == '/' || !path[length]);
}

static void stop_if_due(char kind, const char *path) {
  static int left;
  const char *at = getenv("STOP_AT");
  if (!at || *at != kind) return;
  char suffix[64];
  int times;
  if (sscanf(at + 1, " %63s %d", suffix, &times) != 2) return;
  size_t length = strlen(path), tail = strlen(suffix);
  if (length < tail || strcmp(path + length - tail, suffix)) return;
  if (__sync_add_and_fetch(&left, 1) == times) raise(SIGSTOP);
}

/* The inode of an open file or folder below the root, else 0. */
static uint64_t inode_of(int fd, char kind) {
  char link[40], path[PATH_MAX];
  struct stat found;
  int error = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  int is_noted = is_inside(path) && !fstat(fd, &found) && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
  if (is_noted) stop_if_due(kind, path);
  errno = error;
  return is_noted ? found.st_ino : 0;
}

/* The inode of the folder of a path, and the name there; 0 if it is not below the root. */
static uint64_t place_of(int dir, const char *path, char *name, char kind) {
  char text[PATH_MAX], folder[PATH_MAX];
  struct stat found;
  if (*path == '/' || dir == AT_FDCWD) snprintf(text, sizeof text, "%s", path);
  else snprintf(text, sizeof text, "/proc/self/fd/%d/%s", dir, path);
  for (size_t end = strlen(text); end > 1 && text[end - 1] == '/';) text[--end] = 0;
  char *slash = strrchr(text, '/');
  *stpncpy(name, slash ? slash + 1 : text, NAME_MAX) = 0;
  if (slash) slash[slash == text] = 0;
  int error = errno;
  int is_noted = realpath(slash ? text : ".", folder) && is_inside(folder) && !stat(folder, &found);
  if (is_noted) stop_if_due(kind, name);
  errno = error;
  return is_noted ? found.st_ino : 0;
}

static uint64_t inode_at(int dir, const char *path) {
  struct stat found;
  int error = errno, is_there = !fstatat(dir, path, &found, AT_SYMLINK_NOFOLLOW);
  errno = error;
  return is_there ? found.st_ino : 0;
}

static void note_name(char kind, uint64_t folder, uint64_t inode, const char *name) {
  note(kind, folder, inode, &(struct iovec){(void *)name, strlen(name)}, 1);
}

static int open_at(int dir, const char *path, int flags, mode_t mode) {
  char name[NAME_MAX + 1];
  uint64_t folder = flags & (O_CREAT | O_TRUNC) ? place_of(dir, path, name, 'C') : 0;
  if (!folder) return syscall(SYS_openat, dir, path, flags, mode);
  begin();
  uint64_t before = inode_at(dir, path);
  int fd = syscall(SYS_openat, dir, path, flags, mode);
  if (fd >= 0 && !before) note_name('C', folder, inode_at(dir, path), name);
  if (fd >= 0 && before && flags & O_TRUNC) note('T', before, 0, NULL, 0);
  return end(fd);
}

#define OPEN(name, dir, ...) \
  int name(__VA_ARGS__, const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest); \
    return open_at(dir, path, flags, mode); \
  }
OPEN(openat, dir, int dir)
OPEN(openat64, dir, int dir)
#define OPEN_HERE(name) \
  int name(const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest); \
    return open_at(AT_FDCWD, path, flags, mode); \
  }
OPEN_HERE(open)
OPEN_HERE(open64)
int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

/* `at` is -1 for a write to the place of the descriptor. */
static ssize_t write_at(int fd, const struct iovec *data, int count, off_t at) {
  uint64_t inode = inode_of(fd, 'W');
  if (!inode) return at < 0 ? syscall(SYS_writev, fd, data, count) : syscall(SYS_pwritev, fd, data, count, at, 0);
  begin();
  ssize_t written = at < 0 ? syscall(SYS_writev, fd, data, count) : syscall(SYS_pwritev, fd, data, count, at, 0);
  if (written > 0) {
    struct iovec noted[count];
    size_t left = written;
    for (int n = 0; n < count; n++) {
      noted[n] = data[n];
      if (noted[n].iov_len > left) noted[n].iov_len = left;
      left -= noted[n].iov_len;
    }
    note('W', inode, at < 0 ? lseek(fd, 0, SEEK_CUR) - written : at, noted, count);
  }
  return end(written);
}

ssize_t write(int fd, const void *data, size_t size) { return write_at(fd, &(struct iovec){(void *)data, size}, 1, -1); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return write_at(fd, &(struct iovec){(void *)data, size}, 1, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { return pwrite(fd, data, size, at); }
ssize_t writev(int fd, const struct iovec *data, int count) { return write_at(fd, data, count, -1); }
ssize_t pwritev(int fd, const struct iovec *data, int count, off_t at) { return write_at(fd, data, count, at); }
ssize_t pwritev64(int fd, const struct iovec *data, int count, off64_t at) { return write_at(fd, data, count, at); }

static int resize(int fd, off_t size, int allocates, off_t from) {
  uint64_t inode = inode_of(fd, 'T');
  if (inode) begin();
  int result = allocates ? syscall(SYS_fallocate, fd, 0, from, size) : syscall(SYS_ftruncate, fd, size);
  struct stat found;
  if (inode && !result && !fstat(fd, &found)) note('T', inode, found.st_size, NULL, 0);
  return inode ? end(result) : result;
}

int ftruncate(int fd, off_t size) { return resize(fd, size, 0, 0); }
int ftruncate64(int fd, off64_t size) { return resize(fd, size, 0, 0); }
int truncate(const char *path, off_t size) {
  int fd = open_at(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
  int result = fd < 0 ? -1 : ftruncate(fd, size);
  if (fd >= 0) close(fd);
  return result;
}
int truncate64(const char *path, off64_t size) { return truncate(path, size); }
int posix_fallocate(int fd, off_t from, off_t size) { return resize(fd, size, 1, from) ? errno : 0; }
int posix_fallocate64(int fd, off64_t from, off64_t size) { return posix_fallocate(fd, from, size); }
int fallocate(int fd, int mode, off_t from, off_t size) {
  if (!mode) return resize(fd, size, 1, from);
  errno = EOPNOTSUPP;
  return -1;
}
int fallocate64(int fd, int mode, off64_t from, off64_t size) { return fallocate(fd, mode, from, size); }

/* Callers copy with reads and writes then. */
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *place, size_t size, unsigned flags) { errno = EXDEV; return -1; }

static int sync_file(int fd, long call) {
  uint64_t inode = inode_of(fd, 'S');
  if (!inode) return syscall(call, fd);
  begin();
  uint64_t token = ++tokens;
  note('S', inode, token, NULL, 0);
  end(0);
  int result = syscall(call, fd);
  begin();
  if (!result) note('E', inode, token, NULL, 0);
  return end(result);
}

int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

int renameat2(int dir, const char *path, int to_dir, const char *to, unsigned flags) {
  char name[NAME_MAX + 1], new_name[NAME_MAX + 1], both[2 * NAME_MAX + 2];
  uint64_t folder = place_of(dir, path, name, 'R'), new_folder = place_of(to_dir, to, new_name, 'N');
  if (!folder || !new_folder) return syscall(SYS_renameat2, dir, path, to_dir, to, flags);
  begin();
  int result = syscall(SYS_renameat2, dir, path, to_dir, to, flags);
  snprintf(both, sizeof both, "%s/%s", name, new_name);
  if (!result) note_name('R', folder, new_folder, both);
  return end(result);
}
int renameat(int dir, const char *path, int to_dir, const char *to) { return renameat2(dir, path, to_dir, to, 0); }
int rename(const char *path, const char *to) { return renameat2(AT_FDCWD, path, AT_FDCWD, to, 0); }

#define NAMED(kind, dir, path, call) \
  char name[NAME_MAX + 1]; \
  uint64_t folder = place_of(dir, path, name, kind); \
  if (!folder) return call; \
  begin(); \
  int result = call; \
  if (!result) note_name(kind, folder, inode_at(dir, path), name); \
  return end(result);

int unlinkat(int dir, const char *path, int flags) { NAMED('U', dir, path, syscall(SYS_unlinkat, dir, path, flags)) }
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  int result = unlink(path);
  return result && errno == EISDIR ? rmdir(path) : result;
}
int mkdirat(int dir, const char *path, mode_t mode) { NAMED('D', dir, path, syscall(SYS_mkdirat, dir, path, mode)) }
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
int linkat(int from, const char *path, int dir, const char *to, int flags) { NAMED('L', dir, to, syscall(SYS_linkat, from, path, dir, to, flags)) }
int link(const char *path, const char *to) { return linkat(AT_FDCWD, path, AT_FDCWD, to, 0); }
