/** The exit codes of the command line, by kind of error. */
export const EXIT = { done: 0, failed: 1, usage: 2, noSuchSession: 3, refused: 4, noServer: 5, timedOut: 6 } as const;

export interface CatalogueEntry {
  /** HTTP status */
  status: number;
  /** the exit code of the command line */
  exit: number;
  /** what the error means, for the OpenAPI description and the documentation */
  meaning: string;
  /** the default hint, used if the code that throws the error does not provide a better one */
  hint: string;
}

/** The HTTP statuses and exit codes that most errors have. */
export const REFUSED = { status: 409, exit: EXIT.refused } as const;
export const WRONG_USE = { status: 422, exit: EXIT.usage } as const;
export const NOT_FOUND = { status: 404, exit: EXIT.failed } as const;
export const UNAVAILABLE = { status: 503, exit: EXIT.failed } as const;
