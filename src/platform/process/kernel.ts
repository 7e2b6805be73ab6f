import { createRequire } from 'node:module';

/**
 * These values come from <asm-generic/socket.h> and <asm-generic/resource.h>, and are the same on every architecture
 * that Node supports.
 */
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
const RLIMIT_LOCKS = 10;

/** From glibc's <malloc.h>. */
const M_MMAP_THRESHOLD = -3;
const M_ARENA_MAX = -8;

/** The three numbers in `struct ucred`: pid, uid, and gid. */
const UCRED_INTS = 3;
const UCRED_BYTES = 12;

interface Libc {
  getsockopt(fd: number, level: number, name: number, value: Int32Array, length: Uint32Array): number;
  prlimit(pid: number, resource: number, wanted: BigUint64Array, before: null): number;
  /** null if the library lacks this function, which only glibc has */
  mallocTrim: { async(pad: number, done: (error: unknown, released: number) => void): void } | null;
  /** null if the library lacks this function, which only glibc has */
  mallopt: ((param: number, value: number) => number) | null;
}

let libc: Libc | null | undefined;

/**
 * Returns the C library, or null if koffi does not support this processor. The library is loaded at the first call,
 * because loading takes 30 ms and `cbos ls` does not need it.
 */
function requireLibc(): Libc | null {
  if (libc === undefined) libc = loadLibc();
  return libc;
}

function loadLibc(): Libc | null {
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi').default;
    const library = koffi.load(null);
    return {
      getsockopt: library.func(
        'int getsockopt(int fd, int level, int name, _Out_ int32_t *value, _Inout_ uint32_t *length)',
      ),
      prlimit: library.func('int prlimit64(int pid, int resource, uint64_t *wanted, void *before)'),
      mallocTrim: findOptional(library, 'int malloc_trim(size_t pad)'),
      mallopt: findOptional(library, 'int mallopt(int param, int value)'),
    };
  } catch {
    return null;
  }
}

/** Returns null if another C library, such as musl, lacks the function. */
function findOptional(
  library: ReturnType<typeof import('koffi').default.load>,
  prototype: string,
): ReturnType<typeof library.func> | null {
  try {
    return library.func(prototype);
  } catch {
    return null;
  }
}

/** Reports whether CBOS can query the kernel on this machine at all. */
export function knowsPeers(): boolean {
  return requireLibc() !== null;
}

/**
 * Returns the process that connected to a local socket (SO_PEERCRED). /proc does not show it, and Node has no call for
 * this.
 * @param fd the file descriptor of the accepted connection
 * @returns null if the kernel reports no process, because the process is in another pid namespace, because there is no
 * connection, or because koffi does not support this processor
 */
export function peerOfSocket(fd: number): number | null {
  const credentials = new Int32Array(UCRED_INTS);
  const length = new Uint32Array([UCRED_BYTES]);
  if (requireLibc()?.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, credentials, length) !== 0) return null;
  const [pid = 0] = credentials;
  return pid > 0 ? pid : null;
}

/**
 * Sets the maximum number of file locks that a process may hold (RLIMIT_LOCKS). The limit is permanent: every child
 * inherits it, even through `env -i`, `setsid`, and a double fork, and only root can raise it again. Linux has not
 * enforced it since 2.4.25, so it restricts nothing.
 * @returns false if the process has ended, belongs to another user, or already has a lower limit
 */
export function limitLocks(pid: number, most: number): boolean {
  const both = BigInt(most);
  return requireLibc()?.prlimit(pid, RLIMIT_LOCKS, new BigUint64Array([both, both]), null) === 0;
}

/** Blocks of at least this size get a mapping of their own. This is glibc's default. */
const LARGE_BLOCK_BYTES = 128 * 1024;
const MOST_ARENAS = 2;

/**
 * Makes glibc return more of the memory that this process frees. Each large block goes back to the kernel when it is
 * freed. Without this call, glibc stops returning large blocks after the first few. In addition, all threads share a
 * few arenas, so less memory is lost to fragmentation. Call this function before the process starts threads, because
 * arenas that already exist remain.
 * @returns false if the machine's C library has no such call
 */
export function keepFreedMemorySmall(): boolean {
  const mallopt = requireLibc()?.mallopt ?? null;
  return mallopt?.(M_ARENA_MAX, MOST_ARENAS) === 1 && mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES) === 1;
}

/**
 * Returns memory that this process has freed to the kernel. In each of its arenas, glibc keeps the free memory that
 * lies below something still in use. The call takes about ten milliseconds, on another thread.
 * @returns false if there was nothing to return, or if this machine lacks the call
 */
export function returnFreedMemory(): Promise<boolean> {
  const trim = requireLibc()?.mallocTrim ?? null;
  if (trim === null) return Promise.resolve(false);
  return new Promise((resolve) => trim.async(0, (error, released) => resolve(error === null && released === 1)));
}
