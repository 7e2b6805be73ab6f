import { z } from 'zod';
import { matchExpression, type SearchTerm } from '../../core/search/index.ts';
import { SearchKind } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';
import { IndexedRecording } from './indexed-recording.ts';
import { KeptStatements } from './kept-statements.ts';
import { type SaidAt, SearchEntries, type ShownLines } from './search-entries.ts';
import { Table } from './table.ts';

export interface FoundEntry {
  session: string;
  kind: SearchKind;
  at: number;
  text: string;
  seq: number | null;
  place: { typescript: string; offset: number; elapsedMs: number | null } | null;
}

/** How many entries are deleted at once. A search may have to wait until one such deletion is complete. */
const DELETED_AT_ONCE = 500;
/** The distance between the marks in a busy recording. It makes jumps accurate to a second or two. */
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
 * Stores what sessions showed and said, so that it can be searched. All methods are synchronous, because this runs in a
 * thread of its own.
 */
export class SearchStore {
  readonly #database: Database;
  readonly #sql: KeptStatements;
  readonly #recordings: Table<typeof IndexedRecording>;
  readonly #entries: SearchEntries;
  readonly #lastMark = new Map<number, number>();

  constructor(database: Database) {
    this.#database = database;
    this.#sql = new KeptStatements(database);
    this.#recordings = new Table(this.#sql, 'recordings', IndexedRecording);
    this.#entries = new SearchEntries(this.#sql);
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
    return this.#recordings.all('WHERE scope = ? ORDER BY id', scope);
  }

  /**
   * Records that the whole of this file, and of the session's older files, is in the index. @param file the state of
   * the file, as returned by `fileState`
   */
  saveDone({ id }: IndexedRecording, file: string): void {
    this.#sql.run('INSERT OR REPLACE INTO done VALUES (?, ?)', id, file);
  }

  /** Reports whether a file has not changed since the whole of it was indexed. */
  isDone(scope: number, typescript: string, file: string): boolean {
    const found = this.#sql.get(
      'SELECT 1 FROM recordings JOIN done ON recording = id WHERE scope = ? AND typescript = ? AND file = ? AND finished = 0',
      ...[scope, typescript, file],
    );
    return found !== undefined;
  }

  unfinished(): IndexedRecording[] {
    return this.#recordings.all('WHERE finished = 0 ORDER BY id');
  }

  /** @returns the recording's number */
  addRecording(recording: Omit<IndexedRecording, 'id'>): number {
    this.#recordings.insert(inWholeMs(recording));
    return Number(this.#sql.get('SELECT last_insert_rowid() AS id')?.id);
  }

  saveRecording(recording: IndexedRecording): void {
    this.#recordings.update(recording.id, inWholeMs(recording));
  }

  /** Records the length of the recording at this time. */
  addMark({ scope, id }: IndexedRecording, at: number, offset: number): void {
    if (at < (this.#lastMark.get(id) ?? 0) + MARK_DISTANCE_MS) return;
    this.#lastMark.set(id, at);
    this.#sql.run('INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)', scope, Math.floor(at), id, offset);
  }

  /** Adds lines, except those that this recording has already shown. */
  addShown({ id, scope }: IndexedRecording, shown: ShownLines): void {
    this.#entries.addShown(scope, id, shown);
  }

  /** Adds a prompt or an answer, unless another source has already reported it. */
  addSaid(scope: number, said: SaidAt): void {
    this.#entries.addSaid(scope, said);
  }

  transcriptPosition(scope: number, file: string): number {
    return Number(
      this.#sql.get('SELECT position FROM transcripts WHERE scope = ? AND file = ?', scope, file)?.position ?? 0,
    );
  }

  saveTranscriptPosition(scope: number, file: string, position: number): void {
    this.#sql.run('INSERT OR REPLACE INTO transcripts VALUES (?, ?, ?)', scope, file, position);
  }

  /** Returns the number of the last event that has been indexed, or 0 if none has. */
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

  /** Deletes a limited number of a session's entries. @returns whether any are left */
  forget(session: string): boolean {
    const scope = this.#sql.get('SELECT id FROM scopes WHERE session = ?', session)?.id;
    if (scope === undefined) return false;
    return this.together(() => {
      const gone = this.#entries.delete(
        'SELECT * FROM entries WHERE scope = ? LIMIT ?',
        Number(scope),
        DELETED_AT_ONCE,
      );
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
    this.together(() => this.#entries.delete('SELECT * FROM entries ORDER BY id LIMIT ?', DELETED_AT_ONCE));
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
    const known = this.#recordings.get('WHERE id = ?', recording);
    if (known === null) return null;
    const { typescript, timing, startedAt } = known;
    const elapsedMs = timing === null || startedAt === null ? null : Math.max(0, at - startedAt);
    return { typescript, offset, elapsedMs };
  }
}

const inWholeMs = <T extends Pick<IndexedRecording, 'startedAt'>>(recording: T): T => ({
  ...recording,
  startedAt: recording.startedAt === null ? null : Math.floor(recording.startedAt),
});
