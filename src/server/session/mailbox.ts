/**
 * Runs posted tasks one at a time, in the order in which they were posted. If a task fails, only the caller that posted
 * it is affected.
 */
export interface Mailbox {
  post<T>(task: () => Promise<T>): Promise<T>;
  /** Resolves when everything posted so far has ended. */
  drained(): Promise<void>;
}

export function createMailbox(): Mailbox {
  let last: Promise<unknown> = Promise.resolve();
  return {
    post: (task) => {
      const run = last.then(task, task);
      last = run.catch(() => undefined);
      return run;
    },
    drained: async () => {
      await last;
    },
  };
}
