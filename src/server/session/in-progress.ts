/** Keeps track of work of one kind, of which several pieces may run at once. */
export interface InProgress {
  /** Runs the work, and passes on its result or its error. */
  run<T>(work: () => Promise<T>): Promise<T>;
  isRunning(): boolean;
}

export function createInProgress(): InProgress {
  let count = 0;
  return {
    run: async (work) => {
      count += 1;
      try {
        return await work();
      } finally {
        count -= 1;
      }
    },
    isRunning: () => count > 0,
  };
}
