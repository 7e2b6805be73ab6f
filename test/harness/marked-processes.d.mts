/** A process found by the mark in its environment. */
export interface MarkedProcess {
  pid: number;
  command: string;
}

/** Name of the environment variable that carries a world's mark, `RUN.WORLD`. */
export declare const MARK: string;

/** Processes whose mark fits, this one excepted, zombies excepted. */
export declare function findMarked(isMarked: (mark: string) => boolean): MarkedProcess[];

/**
 * Kills by pid until none is left; what they start meanwhile too.
 * @returns what was killed
 * @throws when one does not end within 5 s
 */
export declare function endMarked(isMarked: (mark: string) => boolean): Promise<MarkedProcess[]>;

/** What the names of a run's folders in /tmp begin with. */
export declare function folderPrefix(run: string): string;

/** Absolute paths of a run's folders that are still there. */
export declare function findFolders(run: string): string[];

/** Ends every process of a run and removes its folders; says what there was. */
export declare function cleanUpRun(run: string): Promise<{ processes: MarkedProcess[]; folders: string[] }>;
