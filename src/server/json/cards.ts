import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { NOTHING_REPORTED, Reported } from '../../platform/sqlite/reported.ts';
import { Launch, type SessionRecord, type SessionStore } from '../../platform/sqlite/session-store.ts';
import { readPrivateFile } from '../private-file.ts';

/** The suffix of a card's file name, which follows the session's id. */
const ENDING = '.session';

/**
 * The facts about a JSON session that could not be recovered if the database were lost. The session may have no
 * process, and even a process does not reveal the session's name.
 */
const Card = z.object({
  id: z.string(),
  slug: z.string(),
  path: z.string().nullable(),
  createdAt: z.number(),
  launch: Launch,
  launchId: z.string().nullable(),
  claudeSessionId: z.string().nullable(),
  claudeVersion: z.string().nullable(),
  reported: Reported.default(NOTHING_REPORTED),
  endedAt: z.number().nullable(),
  removedAt: z.number().nullable(),
});
export type Card = z.infer<typeof Card>;

/**
 * The cards of a home's JSON sessions, which are needed if the database is lost. Each card is a file next to the
 * database.
 */
export interface Cards {
  /** Returns all existing cards. */
  read(): Card[];
  /**
   * Wraps a store so that each row of a JSON session also has a card. If the disk has no room for the card, the row is
   * not written either.
   */
  keepWith(store: SessionStore): SessionStore;
  /** Writes the card of a session that the previous server listed, if the session has no card yet. */
  keep(record: SessionRecord): void;
}

export function createCards(dir: string): Cards {
  const written = new Map<string, string>();
  const fileOf = (id: string): string => join(dir, `${id}${ENDING}`);

  /** @returns a function that moves the card into place, which needs no more disk space */
  function draft(record: SessionRecord): () => void {
    if (record.type !== 'json') return () => undefined;
    const text = JSON.stringify(Card.parse(record));
    if (written.get(record.id) === text) return () => undefined;
    const file = fileOf(record.id);
    const beside = `${file}.new`;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(beside, text, { mode: 0o600 });
    } catch (error) {
      rmSync(beside, { force: true });
      throw error;
    }
    return () => {
      renameSync(beside, file);
      written.set(record.id, text);
    };
  }

  function remove(id: string): void {
    rmSync(fileOf(id), { force: true });
    written.delete(id);
  }

  return {
    read: () =>
      namesIn(dir).flatMap((name) => {
        if (!name.endsWith(ENDING)) return [];
        const card = readPrivateFile(join(dir, name), Card);
        if (card === null || card.id !== basename(name, ENDING)) return [];
        written.set(card.id, JSON.stringify(card));
        return [card];
      }),
    keep: (record) => draft(record)(),
    keepWith: (store) => ({
      all: store.all,
      save: (record) => {
        const putInPlace = draft(record);
        try {
          store.save(record);
        } catch (error) {
          rmSync(`${fileOf(record.id)}.new`, { force: true });
          throw error;
        }
        putInPlace();
        // A terminal session needs no card, because it can be found again by its processes.
        if (record.type !== 'json' && written.has(record.id)) remove(record.id);
      },
      remove: (id) => {
        // The card is removed before the row. A row without a card is harmless, but a card without a row would bring
        // the deleted session back.
        remove(id);
        store.remove(id);
      },
    }),
  };
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
