import { createHash } from 'node:crypto';
import { indexText, type SaidText } from '../../core/search/index.ts';
import type { SearchKind } from '../../protocol/index.ts';
import type { KeptStatements } from './kept-statements.ts';

/** Lines that appeared on a screen together. */
export interface ShownLines {
  /** when the lines appeared, in Unix milliseconds */
  at: number;
  /** where the recording shows the lines */
  offset: number;
  lines: string[];
}

/** A text from a conversation, together with its time. */
export type SaidAt = SaidText & { at: number; seq: number | null };

/**
 * Hooks and the transcript report the same text within a second or two of each other. If a user sends the same text
 * again, more time passes.
 */
const SAME_SAYING_MS = 10_000;
/**
 * How many entries can have the same time. The number of an entry contains its time, so that the newest entry is the
 * last one.
 */
const IDS_PER_MS = 1_024;
/** The entries in the index, together with the words of each entry. */
export class SearchEntries {
  readonly #sql: KeptStatements;
  #lastId = { at: 0, id: 0 };

  constructor(sql: KeptStatements) {
    this.#sql = sql;
  }

  /** Adds lines, except those that this recording has already shown. */
  addShown(scope: number, recording: number, { at, offset, lines }: ShownLines): void {
    const id = this.#freeId(at);
    const fresh = lines.filter((line) =>
      this.#sql.run('INSERT OR IGNORE INTO seen_lines VALUES (?, ?)', recording, hashOf(line)),
    );
    if (fresh.length === 0) return;
    this.#add({ id, scope, kind: 'screen', at, recording, offset, seq: null, key: null, text: fresh.join('\n') });
  }

  /** Adds a prompt or an answer, unless another source has already reported it. */
  addSaid(scope: number, { kind, text, key, at, seq }: SaidAt): void {
    const known = key ?? `${kind} ${hashOf(text)}`;
    const isKnown =
      key === null
        ? this.#sql.get(
            'SELECT 1 FROM entries WHERE scope = ? AND key = ? AND at BETWEEN ? AND ?',
            ...[scope, known, at - SAME_SAYING_MS, at + SAME_SAYING_MS],
          )
        : this.#sql.get('SELECT 1 FROM entries WHERE scope = ? AND key = ?', scope, known);
    if (isKnown !== undefined) return;
    const id = this.#freeId(at);
    this.#add({ id, scope, kind, at, recording: null, offset: null, seq, key: known, text });
  }

  /**
   * Returns the first number that is free in this millisecond, or in a later one if this millisecond is full (in a
   * recording without times).
   */
  #freeId(at: number): number {
    const first = Math.floor(at) * IDS_PER_MS;
    let id = this.#lastId.at === first ? this.#lastId.id + 1 : first;
    while (this.#sql.get('SELECT 1 FROM entries WHERE id = ?', id) !== undefined) id += 1;
    this.#lastId = { at: first, id };
    return id;
  }

  #add(entry: {
    id: number;
    scope: number;
    kind: SearchKind;
    at: number;
    recording: number | null;
    offset: number | null;
    seq: number | null;
    key: string | null;
    text: string;
  }): void {
    const { id, scope, kind, at, recording, offset, seq, key, text } = entry;
    this.#sql.run(
      'INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[id, scope, kind, Math.floor(at), recording, offset, seq, key, text],
    );
    this.#sql.run(
      'INSERT INTO entry_words (rowid, scope, kind, words) VALUES (?, ?, ?, ?)',
      ...[id, `s${scope}`, kind, indexText(text)],
    );
    this.#sql.run('UPDATE size SET characters = characters + ?', text.length);
  }

  /**
   * Deletes entries. Their lines can be added again later.
   * @param which selects the rows
   * @returns how many were deleted
   */
  delete(which: string, ...values: number[]): number {
    const rows = this.#sql.all(which, ...values);
    for (const { id, recording, text } of rows) {
      this.#sql.run('DELETE FROM entry_words WHERE rowid = ?', Number(id));
      this.#sql.run('DELETE FROM entries WHERE id = ?', Number(id));
      this.#sql.run('UPDATE size SET characters = characters - ?', String(text).length);
      if (recording === null) continue;
      for (const line of String(text).split('\n')) {
        this.#sql.run('DELETE FROM seen_lines WHERE recording = ? AND line = ?', Number(recording), hashOf(line));
      }
    }
    return rows.length;
  }
}

const HASH_BYTES = 6;

/**
 * Returns a 48-bit hash, which fits into a JavaScript number. With a million lines, there is a collision in one of 500
 * recordings.
 */
function hashOf(text: string): number {
  return createHash('sha1').update(text).digest().readUIntBE(0, HASH_BYTES);
}
