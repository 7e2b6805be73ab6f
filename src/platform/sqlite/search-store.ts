import { createHash } from 'node:crypto';
import { z } from 'zod';
import { indexText, matchExpression, type SaidText, type SearchTerm } from '../../core/search/index.ts';
import { SearchKind } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';
import { type IndexedRecording, toRecording, valuesOf } from './indexed-recording.ts';
import { KeptStatements } from './kept-statements.ts';

/** Lines that appeared on a screen together. */
export interface ShownLines {
  /** Unix milliseconds */
  at: number;
  /** where the recording shows the lines */
  offset: number;
  lines: string[];
}

/** A text from a conversation, with its time. */
export type SaidAt = SaidText & { at: number; seq: number | null };

export interface FoundEntry {
  session: string;
  kind: SearchKind;
  at: number;
  text: string;
  seq: number | null;
  place: { typescript: string; offset: number; elapsedMs: number | null } | null;
}

/**
 * Hooks and the transcript report a text within a second or two of each other. A person who repeats a text takes
 * longer.
 */
const SAME_SAYING_MS = 10_000;
const IDS_PER_MS = 1_024;
/** How many entries are deleted at once. A search may have to wait for one such deletion. */
const DELETED_AT_ONCE = 500;
/** The distance between the marks of a busy recording. A jump is accurate to a second or two. */
const MARK_DISTANCE_MS = 1_000;

const EntryRow = z.object({
  session: z.string(),
  scope: z.number(),
  kind: SearchKind,
  at: z.number(),
  recording: z.number().nullable(),
  offset: z.number().nullable(),
  seq: z.number().nullable(),
  text: z.string(),
});

const PlaceRow = z.object({ recording: z.number(), offset: z.number() });

/**
 * Stores what sessions showed and said, for searches. All its work is synchronous because it runs in its own thread.
 */
export class SearchStore {
  readonly #database: Database;
  readonly #sql: KeptStatements;
  #lastId = { at: 0, id: 0 };
  readonly #lastMark = new Map<number, number>();

  constructor(database: Database) {
    this.#database = database;
    this.#sql = new KeptStatements(database);
  }

  /** Runs `work` so that either all of it takes effect or none of it. */
  together<T>(work: () => T): T {
    return inTransaction(this.#database, work);
  }

  /** Returns the number of a session, which is assigned at the first call. */
  scopeOf(session: string): number {
    const known = this.#sql.get('SELECT id FROM scopes WHERE session = ?', session);
    const row = known ?? this.#sql.get('INSERT INTO scopes (session) VALUES (?) RETURNING id', session);
    return Number(row?.id);
  }

  recordingsOf(scope: number): IndexedRecording[] {
    return this.#sql.all('SELECT * FROM recordings WHERE scope = ? ORDER BY id', scope).map(toRecording);
  }

  /**
   * Records that all of this file, and of the session's older ones, is in the index. @param file as `fileState`
   * describes it
   */
  saveDone({ id }: IndexedRecording, file: string): void {
    this.#sql.run('INSERT OR REPLACE INTO done VALUES (?, ?)', id, file);
  }

  /** Reports whether a file has not changed since all of it was indexed. */
  isDone(scope: number, typescript: string, file: string): boolean {
    const found = this.#sql.get(
      'SELECT 1 FROM recordings JOIN done ON recording = id WHERE scope = ? AND typescript = ? AND file = ? AND finished = 0',
      ...[scope, typescript, file],
    );
    return found !== undefined;
  }

  unfinished(): IndexedRecording[] {
    return this.#sql.all('SELECT * FROM recordings WHERE finished = 0 ORDER BY id').map(toRecording);
  }

  /** @returns the recording's number */
  addRecording(recording: Omit<IndexedRecording, 'id'>): number {
    const row = this.#sql.get(
      'INSERT INTO recordings VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id',
      ...valuesOf(recording),
    );
    return Number(row?.id);
  }

  saveRecording(recording: IndexedRecording): void {
    this.#sql.run(
      `UPDATE recordings SET scope = ?, typescript = ?, timing = ?, head = ?, position = ?, timing_position = ?, timed_to = ?,
        elapsed_ms = ?, started_at = ?, cols = ?, rows = ?, finished = ? WHERE id = ?`,
      ...valuesOf(recording),
      recording.id,
    );
  }

  /** Records the length of the recording at this time. */
  addMark({ scope, id }: IndexedRecording, at: number, offset: number): void {
    if (at < (this.#lastMark.get(id) ?? 0) + MARK_DISTANCE_MS) return;
    this.#lastMark.set(id, at);
    this.#sql.run('INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)', scope, Math.floor(at), id, offset);
  }

  /** Adds lines, except those that this recording showed before. */
  addShown({ id: recording, scope }: IndexedRecording, { at, offset, lines }: ShownLines): void {
    const id = this.#freeId(at);
    const fresh = lines.filter((line) =>
      this.#sql.run('INSERT OR IGNORE INTO seen_lines VALUES (?, ?)', recording, hashOf(line)),
    );
    if (fresh.length === 0) return;
    this.#addEntry({ id, scope, kind: 'screen', at, recording, offset, seq: null, key: null, text: fresh.join('\n') });
  }

  /** Adds a text, unless another source has already reported it. */
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
    this.#addEntry({ id, scope, kind, at, recording: null, offset: null, seq, key: known, text });
  }

  transcriptPosition(scope: number, file: string): number {
    return Number(
      this.#sql.get('SELECT position FROM transcripts WHERE scope = ? AND file = ?', scope, file)?.position ?? 0,
    );
  }

  saveTranscriptPosition(scope: number, file: string, position: number): void {
    this.#sql.run('INSERT OR REPLACE INTO transcripts VALUES (?, ?, ?)', scope, file, position);
  }

  /** Returns the number of the last indexed event, or 0 if none is indexed. */
  lastEvent(scope: number): number {
    return Number(this.#sql.get('SELECT seq FROM events WHERE scope = ?', scope)?.seq ?? 0);
  }

  saveLastEvent(scope: number, seq: number): void {
    this.#sql.run('INSERT OR REPLACE INTO events VALUES (?, ?)', scope, seq);
  }

  /** Returns the newest entries that contain all terms. */
  search(
    terms: readonly SearchTerm[],
    only: { session: string | null; kind: SearchKind | null; limit: number },
  ): FoundEntry[] {
    if (terms.length === 0) return [];
    const filters = [`words : (${matchExpression(terms)})`];
    if (only.kind !== null) filters.push(`kind : "${only.kind}"`);
    if (only.session !== null) {
      const scope = this.#sql.get('SELECT id FROM scopes WHERE session = ?', only.session);
      if (scope === undefined) return [];
      filters.push(`scope : "s${Number(scope.id)}"`);
    }
    const rows = this.#sql.all(
      `SELECT session, scope, kind, at, recording, offset, seq, text
       FROM (SELECT rowid AS found FROM entry_words WHERE entry_words MATCH ? ORDER BY rowid DESC LIMIT ?)
       JOIN entries ON entries.id = found JOIN scopes ON scopes.id = entries.scope ORDER BY entries.id DESC`,
      filters.join(' AND '),
      only.limit,
    );
    return rows.map((row) => this.#toFound(EntryRow.parse(row)));
  }

  /** Deletes one portion of a session. @returns whether any of it is left */
  forget(session: string): boolean {
    const scope = this.#sql.get('SELECT id FROM scopes WHERE session = ?', session)?.id;
    if (scope === undefined) return false;
    return this.together(() => {
      const gone = this.#delete('SELECT * FROM entries WHERE scope = ? LIMIT ?', Number(scope), DELETED_AT_ONCE);
      if (gone === DELETED_AT_ONCE) return true;
      this.#sql.run(
        'DELETE FROM seen_lines WHERE recording IN (SELECT id FROM recordings WHERE scope = ?)',
        Number(scope),
      );
      this.#sql.run('DELETE FROM scopes WHERE id = ?', Number(scope));
      return false;
    });
  }

  /** Returns all sessions for which something is stored. */
  sessions(): string[] {
    return this.#sql.all('SELECT session FROM scopes').map((row) => String(row.session));
  }

  /** Returns how much text is stored, in characters. */
  characters(): number {
    return Number(this.#sql.get('SELECT characters FROM size')?.characters ?? 0);
  }

  /** Deletes the oldest entries. */
  dropOldest(): void {
    this.together(() => this.#delete('SELECT * FROM entries ORDER BY id LIMIT ?', DELETED_AT_ONCE));
  }

  close(): void {
    this.#database.close();
  }

  #toFound({ session, scope, kind, at, recording, offset, seq, text }: z.infer<typeof EntryRow>): FoundEntry {
    const known =
      recording === null || offset === null
        ? this.#sql.get(
            'SELECT recording, offset FROM marks WHERE scope = ? AND at <= ? ORDER BY at DESC LIMIT 1',
            scope,
            at,
          )
        : { recording, offset };
    const place = known === undefined ? null : this.#toPlace(PlaceRow.parse(known), at);
    return { session, kind, at, text, seq, place };
  }

  #toPlace({ recording, offset }: z.infer<typeof PlaceRow>, at: number): FoundEntry['place'] {
    const row = this.#sql.get('SELECT * FROM recordings WHERE id = ?', recording);
    if (row === undefined) return null;
    const { typescript, timing, startedAt } = toRecording(row);
    const elapsedMs = timing === null || startedAt === null ? null : Math.max(0, at - startedAt);
    return { typescript, offset, elapsedMs };
  }

  /**
   * Returns the first free number of this millisecond, or of a later one if this one is full (a recording without
   * times).
   */
  #freeId(at: number): number {
    const first = Math.floor(at) * IDS_PER_MS;
    let id = this.#lastId.at === first ? this.#lastId.id + 1 : first;
    while (this.#sql.get('SELECT 1 FROM entries WHERE id = ?', id) !== undefined) id += 1;
    this.#lastId = { at: first, id };
    return id;
  }

  #addEntry(entry: {
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

  /** Deletes entries. Their lines may be added again later. */
  #delete(which: string, ...values: number[]): number {
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

/** Returns a 48-bit hash, which fits a number. Among a million lines, two collide once in 500 recordings. */
function hashOf(text: string): number {
  return createHash('sha1').update(text).digest().readUIntBE(0, HASH_BYTES);
}
