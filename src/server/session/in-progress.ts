/** Work of one kind; several pieces of it may run at once. */
export interface InProgress {
  /** Runs the work, and passes its result or error on. */
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
