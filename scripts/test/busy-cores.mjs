import { Worker } from 'node:worker_threads';

/**
 * Keeps cores busy. These are threads, so they end with this process, however it ends.
 * @param {number} count
 * @returns {() => Promise<void>} ends them
 */
export function keepBusy(count) {
  const threads = Array.from({ length: count }, () => new Worker('for (;;);', { eval: true }));
  return async () => {
    await Promise.all(threads.map((thread) => thread.terminate()));
  };
}
