/*
 * Preloaded into a process on Linux (LD_PRELOAD), this library adds CLOCK_SHIFT_SECONDS to its time of day. It does not
 * change monotonic clocks.
 *
 * libfaketime replaces the functions of libc. That is not enough here: ClickHouse has its own functions, and
 * Redis never starts, because jemalloc and libfaketime wait for each other. All of them read the clock in the code that the
 * kernel maps into each process (vDSO), so its entry points are replaced in this process's private copy.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t shift;

static int shifted_clock_gettime(clockid_t clock, struct timespec *now) {
  long failure = syscall(SYS_clock_gettime, clock, now);
  if (failure == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift;
  return failure;
}

static int shifted_gettimeofday(struct timeval *now, void *zone) {
  long failure = syscall(SYS_gettimeofday, now, zone);
  if (failure == 0 && now != NULL) now->tv_sec += shift;
  return failure;
}

static time_t shifted_time(time_t *result) {
  struct timespec now;
  shifted_clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}

static const struct {
  const char *name;
  void *function;
} replacements[] = {
    {"__vdso_clock_gettime", shifted_clock_gettime},
    {"__kernel_clock_gettime", shifted_clock_gettime}, /* its name on arm64 */
    {"__vdso_gettimeofday", shifted_gettimeofday},
    {"__kernel_gettimeofday", shifted_gettimeofday},
    {"__vdso_time", shifted_time},
};

static void write_jump(char *from, void *to) {
#if defined(__x86_64__)
  static const unsigned char jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; /* mov rax, to; jmp rax */
  const int address = 2;
#elif defined(__aarch64__)
  static const unsigned char jump[] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6, 0, 0, 0, 0, 0, 0, 0, 0}; /* ldr x16; br x16 */
  const int address = 8;
#endif
  memcpy(from, jump, sizeof jump);
  memcpy(from + address, &to, sizeof to);
  __builtin___clear_cache(from, from + sizeof jump);
}

static void replace(char *from, const char *name) {
  for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i += 1)
    if (strcmp(name, replacements[i].name) == 0) write_jump(from, replacements[i].function);
}

/* The vDSO is a small ELF file in memory. Its sections lead to its symbols. */
static void replace_all(char *vdso) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)vdso;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(vdso + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i += 1) {
    if (sections[i].sh_type != SHT_DYNSYM) continue;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(vdso + sections[i].sh_offset);
    const char *names = vdso + sections[sections[i].sh_link].sh_offset;
    for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k += 1)
      replace(vdso + symbols[k].st_value, names + symbols[k].st_name);
  }
}

__attribute__((constructor)) static void begin(void) {
  const char *seconds = getenv("CLOCK_SHIFT_SECONDS");
  char *vdso = (char *)getauxval(AT_SYSINFO_EHDR);
  if (seconds == NULL || vdso == NULL) return;
  shift = strtoll(seconds, NULL, 10);
  size_t size = (size_t)((const Elf64_Phdr *)(vdso + ((const Elf64_Ehdr *)vdso)->e_phoff))->p_memsz;
  if (mprotect(vdso, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) abort();
  replace_all(vdso);
  mprotect(vdso, size, PROT_READ | PROT_EXEC);
}

/* The kernel compares deadlines in the time of day with its own, unshifted clock. Deadlines of monotonic clocks are smaller
 * by decades, so the value distinguishes them. */
static struct timespec for_kernel(const struct timespec *deadline) {
  struct timespec real = *deadline;
  if (real.tv_sec > 500 * 1000 * 1000) real.tv_sec -= shift;
  return real;
}

/* dlsym alone may find the version of pthread_cond_timedwait from before 2003, which uses another layout. */
static void *next(const char *name) {
  void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  return found == NULL ? dlsym(RTLD_NEXT, name) : found;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (real == NULL) real = next("pthread_cond_timedwait");
  struct timespec until = for_kernel(deadline);
  return real(condition, mutex, &until);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *deadline) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
  if (real == NULL) real = next("pthread_cond_clockwait");
  struct timespec until = for_kernel(deadline);
  return real(condition, mutex, clock, &until);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline) {
  static int (*real)(pthread_mutex_t *, const struct timespec *);
  if (real == NULL) real = next("pthread_mutex_timedlock");
  struct timespec until = for_kernel(deadline);
  return real(mutex, &until);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *deadline) {
  static int (*real)(sem_t *, const struct timespec *);
  if (real == NULL) real = next("sem_timedwait");
  struct timespec until = for_kernel(deadline);
  return real(semaphore, &until);
}
