import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collector: (() => void) | null = null;

/**
 * Has V8 collect the garbage of this thread. The garbage also holds buffers outside V8's heap. This blocks the thread
 * for some 50 ms.
 */
export function collectGarbage(): void {
  collector ??= findCollector();
  collector();
}

/**
 * Node has no call for this, but a context that is created under this flag has one. The inspector could do it as well,
 * but its session never came back when it was closed afterwards (Node 20.20.2).
 */
function findCollector(): () => void {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as () => void;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
