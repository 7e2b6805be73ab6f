/** A process found by the mark in its environment. */
export interface MarkedProcess {
  pid: number;
  command: string;
}

/** The name of the environment variable that carries a world's mark, `RUN.WORLD`. */
export declare const MARK: string;

/** Returns the mark of a process. Kernel threads and processes that are ending have none. */
export declare function markOfProcess(pid: number): string | undefined;

/** Returns the processes whose mark matches, except this process and zombies. */
export declare function findMarked(isMarked: (mark: string) => boolean): MarkedProcess[];

/**
 * Kills processes by pid until none with the mark is left, including those that are started in the meantime.
 * @returns the processes that were killed
 * @throws if one does not end within 5 s
 */
export declare function endMarked(isMarked: (mark: string) => boolean): Promise<MarkedProcess[]>;

/** Returns the prefix in the names of a run's folders in /tmp. */
export declare function folderPrefix(run: string): string;

/** Returns the absolute paths of a run's folders that still exist. */
export declare function findFolders(run: string): string[];

/** Ends all of a run's processes and removes its folders. Returns what was left. */
export declare function cleanUpRun(run: string): Promise<{ processes: MarkedProcess[]; folders: string[] }>;
