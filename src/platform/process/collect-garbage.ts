import { Session } from 'node:inspector';

/**
 * Makes V8 collect the garbage of this thread, and return what its heap no longer needs to the kernel. Garbage may also
 * keep buffers outside V8's heap in memory. The call blocks the thread for about 50 ms.
 *
 * In Node, this is possible only through the inspector. The `gc` function of a context under `--expose-gc` keeps the
 * pages of the heap: after a flood, 81 MB for 28 MB in use (Node 20.20.2).
 */
export function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  return new Promise((resolve) => {
    session.post('HeapProfiler.collectGarbage', () => {
      resolve();
      // If an inspector session is closed while it is still answering, it blocks the thread forever (Node 20.20.2).
      setImmediate(() => session.disconnect());
    });
  });
}
