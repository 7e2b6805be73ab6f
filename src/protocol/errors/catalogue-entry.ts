/** The exit codes of the command line, by kind of error. */
export const EXIT = { done: 0, failed: 1, usage: 2, noSuchSession: 3, refused: 4, noServer: 5, timedOut: 6 } as const;

export interface CatalogueEntry {
  /** HTTP status */
  status: number;
  /** exit code of the command line */
  exit: number;
  /** the meaning, for the OpenAPI description and the docs */
  meaning: string;
  /** the default hint, used if whoever throws the error does not provide a better one */
  hint: string;
}
