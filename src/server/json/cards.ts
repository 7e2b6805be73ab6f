import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { Launch, type SessionRecord, type SessionStore } from '../../platform/sqlite/session-store.ts';
import { readPrivateFile } from '../private-file.ts';

/** The end of a card's name, after the session's id. */
const ENDING = '.session';

/**
 * What cannot be found again of a JSON session without the database: it may have no process, and its processes do not
 * say its name.
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
  endedAt: z.number().nullable(),
  removedAt: z.number().nullable(),
});
export type Card = z.infer<typeof Card>;

/** The cards of the JSON sessions of a home: a file for each, beside the database, for the day that it is lost. */
export interface Cards {
  /** those that there are */
  read(): Card[];
  /**
   * The same store, which keeps a card with each row. Where there is no room for a card, the row is not written either.
   */
  keepWith(store: SessionStore): SessionStore;
  /** writes the card of a session of the last time, where it has none */
  keep(record: SessionRecord): void;
}

export function createCards(dir: string): Cards {
  const written = new Map<string, string>();
  const fileOf = (id: string): string => join(dir, `${id}${ENDING}`);

  /** @returns what puts it in its place, which needs no room any more */
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
        // A session in a terminal is found again by its processes.
        if (record.type !== 'json' && written.has(record.id)) remove(record.id);
      },
      remove: (id) => {
        // First: a row without a card is listed still, a card without a row would bring it back.
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
