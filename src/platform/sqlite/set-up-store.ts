import { z } from 'zod';
import type { Database } from './database.ts';
import { KeptStatements } from './kept-statements.ts';
import { Table } from './table.ts';

const TrustedSetUp = z.object({
  /** the main checkout, with symbolic links followed */
  folder: z.string(),
  sha256: z.string(),
  content: z.string(),
});
/** A repository's file about its worktrees, in the version that the user has read and trusted. */
export type TrustedSetUp = z.infer<typeof TrustedSetUp>;

export interface SetUpStore {
  /** @param at the current time, in Unix milliseconds */
  trust(trusted: TrustedSetUp, at: number): void;
  /** @returns whether the file was trusted */
  untrust(folder: string): boolean;
  trusted(folder: string): TrustedSetUp | null;
}

export function createSetUpStore(database: Database): SetUpStore {
  const sql = new KeptStatements(database);
  const table = new Table(sql, 'trusted_set_ups', TrustedSetUp);
  return {
    trust: ({ folder, sha256, content }, at) =>
      void sql.run('INSERT OR REPLACE INTO trusted_set_ups VALUES (?, ?, ?, ?)', folder, sha256, content, at),
    untrust: (folder) => sql.run('DELETE FROM trusted_set_ups WHERE folder = ?', folder),
    trusted: (folder) => table.get('WHERE folder = ?', folder),
  };
}
