import type { Settings } from '../../protocol/index.ts';

/** What every JSON session needs of the server. */
export interface JsonContext {
  settings: Settings;
  /** the server's own environment, which sessions inherit in part */
  environment: Readonly<Record<string, string | undefined>>;
  spoolDir: string;
  /** where the files of running processes are */
  jsonDir: string;
  /** Claude Code's registry, which says who has a conversation open */
  registryDir: string;
}
