/** How the command line ends for an error. */
export const EXIT = { done: 0, failed: 1, usage: 2, noSuchSession: 3, refused: 4, noServer: 5, timedOut: 6 } as const;

export interface CatalogueEntry {
  /** HTTP status */
  status: number;
  /** exit code of the command line */
  exit: number;
  /** what it means, for the OpenAPI description and the docs */
  meaning: string;
  /** the cure, when the thrower knows no better one */
  hint: string;
}
