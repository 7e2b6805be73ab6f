import { z } from 'zod';
import type { Database } from './database.ts';
import { KeptStatements } from './kept-statements.ts';

/** A repository's file about its worktrees, in the version that the user has read and trusted. */
export interface TrustedSetUp {
  /** the main checkout, with symbolic links followed */
  folder: string;
  sha256: string;
  content: string;
}

const TrustRow = z.object({ folder: z.string(), sha256: z.string(), content: z.string() });

export interface SetUpStore {
  /** @param at the current time, in Unix milliseconds */
  trust(trusted: TrustedSetUp, at: number): void;
  /** @returns whether the file was trusted */
  untrust(folder: string): boolean;
  trusted(folder: string): TrustedSetUp | null;
}

export function createSetUpStore(database: Database): SetUpStore {
  const sql = new KeptStatements(database);
  const trusted = (folder: string): TrustedSetUp | null => {
    const row = sql.get('SELECT folder, sha256, content FROM trusted_set_ups WHERE folder = ?', folder);
    return row === undefined ? null : TrustRow.parse(row);
  };
  return {
    trust: ({ folder, sha256, content }, at) =>
      void sql.run('INSERT OR REPLACE INTO trusted_set_ups VALUES (?, ?, ?, ?)', folder, sha256, content, at),
    untrust: (folder) => {
      const was = trusted(folder) !== null;
      sql.run('DELETE FROM trusted_set_ups WHERE folder = ?', folder);
      return was;
    },
    trusted,
  };
}
