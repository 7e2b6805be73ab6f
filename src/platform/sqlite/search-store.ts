import { createHash } from 'node:crypto';
import { z } from 'zod';
import { indexText, matchExpression, type SaidText, type SearchTerm } from '../../core/search/index.ts';
import { SearchKind } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';

/** A recording and how far it is indexed. */
export interface IndexedRecording {
  id: number;
  scope: number;
  typescript: string;
  /** null: without times */
  timing: string | null;
  /** its first bytes, by which it is known again under another name */
  head: Uint8Array;
  /** offset of the first byte that is not indexed yet */
  position: number;
  /** how far the timing file was read, up to which offset of the recording that tells, and how long that was after its start */
  timingPosition: number;
  timedTo: number;
  elapsedMs: number;
  /** Unix milliseconds; null where the recording does not say */
  startedAt: number | null;
  /** the terminal at `position` */
  cols: number;
  rows: number;
  /** nothing will be written to it any more, and all of it is indexed or gone */
  finished: boolean;
}

/** Lines that came on a screen together. */
export interface ShownLines {
  /** Unix milliseconds */
  at: number;
  /** where the recording shows them */
  offset: number;
  lines: string[];
}

/** A text that was said, at a time. */
export type SaidAt = SaidText & { at: number; seq: number | null };

export interface FoundEntry {
  session: string;
  kind: SearchKind;
  at: number;
  text: string;
  seq: number | null;
  place: { typescript: string; offset: number; elapsedMs: number | null } | null;
}

/** Hooks and the transcript tell the same within a second or two; a person who says the same again takes longer. */
const SAME_SAYING_MS = 10_000;
const IDS_PER_MS = 1_024;
/** What is deleted at once; a search may have to wait for it. */
const DELETED_AT_ONCE = 500;
/** Marks of a busy recording are so far apart: a jump is right to a second or two. */
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
type Statement = ReturnType<Database['prepare']>;
type Value = string | number | null | Uint8Array;

const PlaceRow = z.object({ recording: z.number(), offset: z.number() });

/** What sessions showed and said, to be searched. All of its work is synchronous: it lives in a thread of its own. */
export class SearchStore {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();
  #lastId = { at: 0, id: 0 };
  readonly #lastMark = new Map<number, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** All that `work` does, or nothing of it. */
  together<T>(work: () => T): T {
    return inTransaction(this.#database, work);
  }

  /** The number of a session; made when it has none. */
  scopeOf(session: string): number {
    const known = this.#get('SELECT id FROM scopes WHERE session = ?', session);
    const row = known ?? this.#get('INSERT INTO scopes (session) VALUES (?) RETURNING id', session);
    return Number(row?.id);
  }

  recordingsOf(scope: number): IndexedRecording[] {
    return this.#all('SELECT * FROM recordings WHERE scope = ? ORDER BY id', scope).map(toRecording);
  }

  /** All of this file is in the index, and of the session's older ones. @param file what the file was like, see `fileState` */
  saveDone({ id }: IndexedRecording, file: string): void {
    this.#run('INSERT OR REPLACE INTO done VALUES (?, ?)', id, file);
  }

  /** Whether a file was left like this when all of it was in the index. */
  isDone(scope: number, typescript: string, file: string): boolean {
    const found = this.#get(
      'SELECT 1 FROM recordings JOIN done ON recording = id WHERE scope = ? AND typescript = ? AND file = ? AND finished = 0',
      ...[scope, typescript, file],
    );
    return found !== undefined;
  }

  unfinished(): IndexedRecording[] {
    return this.#all('SELECT * FROM recordings WHERE finished = 0 ORDER BY id').map(toRecording);
  }

  /** @returns its number */
  addRecording(recording: Omit<IndexedRecording, 'id'>): number {
    const row = this.#get(
      'INSERT INTO recordings VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id',
      ...valuesOf(recording),
    );
    return Number(row?.id);
  }

  saveRecording(recording: IndexedRecording): void {
    this.#run(
      `UPDATE recordings SET scope = ?, typescript = ?, timing = ?, head = ?, position = ?, timing_position = ?, timed_to = ?,
        elapsed_ms = ?, started_at = ?, cols = ?, rows = ?, finished = ? WHERE id = ?`,
      ...valuesOf(recording),
      recording.id,
    );
  }

  /** At this time the recording was as long. */
  addMark({ scope, id }: IndexedRecording, at: number, offset: number): void {
    if (at < (this.#lastMark.get(id) ?? 0) + MARK_DISTANCE_MS) return;
    this.#lastMark.set(id, at);
    this.#run('INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)', scope, Math.floor(at), id, offset);
  }

  /** Lines that this recording has shown before are left out. */
  addShown({ id: recording, scope }: IndexedRecording, { at, offset, lines }: ShownLines): void {
    const id = this.#freeId(at);
    const fresh = lines.filter((line) =>
      this.#run('INSERT OR IGNORE INTO seen_lines VALUES (?, ?)', recording, hashOf(line)),
    );
    if (fresh.length === 0) return;
    this.#addEntry({ id, scope, kind: 'screen', at, recording, offset, seq: null, key: null, text: fresh.join('\n') });
  }

  /** What is known already, from another source, is left out. */
  addSaid(scope: number, { kind, text, key, at, seq }: SaidAt): void {
    const known = key ?? `${kind} ${hashOf(text)}`;
    const isKnown =
      key === null
        ? this.#get(
            'SELECT 1 FROM entries WHERE scope = ? AND key = ? AND at BETWEEN ? AND ?',
            ...[scope, known, at - SAME_SAYING_MS, at + SAME_SAYING_MS],
          )
        : this.#get('SELECT 1 FROM entries WHERE scope = ? AND key = ?', scope, known);
    if (isKnown !== undefined) return;
    const id = this.#freeId(at);
    this.#addEntry({ id, scope, kind, at, recording: null, offset: null, seq, key: known, text });
  }

  transcriptPosition(scope: number, file: string): number {
    return Number(
      this.#get('SELECT position FROM transcripts WHERE scope = ? AND file = ?', scope, file)?.position ?? 0,
    );
  }

  saveTranscriptPosition(scope: number, file: string, position: number): void {
    this.#run('INSERT OR REPLACE INTO transcripts VALUES (?, ?, ?)', scope, file, position);
  }

  /** The number of the last event that is indexed; 0: none. */
  lastEvent(scope: number): number {
    return Number(this.#get('SELECT seq FROM events WHERE scope = ?', scope)?.seq ?? 0);
  }

  saveLastEvent(scope: number, seq: number): void {
    this.#run('INSERT OR REPLACE INTO events VALUES (?, ?)', scope, seq);
  }

  /** The newest entries that have all terms. */
  search(
    terms: readonly SearchTerm[],
    only: { session: string | null; kind: SearchKind | null; limit: number },
  ): FoundEntry[] {
    if (terms.length === 0) return [];
    const filters = [`words : (${matchExpression(terms)})`];
    if (only.kind !== null) filters.push(`kind : "${only.kind}"`);
    if (only.session !== null) {
      const scope = this.#get('SELECT id FROM scopes WHERE session = ?', only.session);
      if (scope === undefined) return [];
      filters.push(`scope : "s${Number(scope.id)}"`);
    }
    const rows = this.#all(
      `SELECT session, scope, kind, at, recording, offset, seq, text
       FROM (SELECT rowid AS found FROM entry_words WHERE entry_words MATCH ? ORDER BY rowid DESC LIMIT ?)
       JOIN entries ON entries.id = found JOIN scopes ON scopes.id = entries.scope ORDER BY entries.id DESC`,
      filters.join(' AND '),
      only.limit,
    );
    return rows.map((row) => this.#toFound(EntryRow.parse(row)));
  }

  /** Takes out a session, a piece at a time. @returns whether there is more of it */
  forget(session: string): boolean {
    const scope = this.#get('SELECT id FROM scopes WHERE session = ?', session)?.id;
    if (scope === undefined) return false;
    return this.together(() => {
      const gone = this.#delete('SELECT * FROM entries WHERE scope = ? LIMIT ?', Number(scope), DELETED_AT_ONCE);
      if (gone === DELETED_AT_ONCE) return true;
      this.#run('DELETE FROM seen_lines WHERE recording IN (SELECT id FROM recordings WHERE scope = ?)', Number(scope));
      this.#run('DELETE FROM scopes WHERE id = ?', Number(scope));
      return false;
    });
  }

  /** All sessions that something is kept of. */
  sessions(): string[] {
    return this.#all('SELECT session FROM scopes').map((row) => String(row.session));
  }

  /** How much text is kept, in characters. */
  characters(): number {
    return Number(this.#get('SELECT characters FROM size')?.characters ?? 0);
  }

  /** Takes out the oldest entries. */
  dropOldest(): void {
    this.together(() => this.#delete('SELECT * FROM entries ORDER BY id LIMIT ?', DELETED_AT_ONCE));
  }

  close(): void {
    this.#database.close();
  }

  #toFound({ session, scope, kind, at, recording, offset, seq, text }: z.infer<typeof EntryRow>): FoundEntry {
    const known =
      recording === null || offset === null
        ? this.#get(
            'SELECT recording, offset FROM marks WHERE scope = ? AND at <= ? ORDER BY at DESC LIMIT 1',
            scope,
            at,
          )
        : { recording, offset };
    const place = known === undefined ? null : this.#toPlace(PlaceRow.parse(known), at);
    return { session, kind, at, text, seq, place };
  }

  #toPlace({ recording, offset }: z.infer<typeof PlaceRow>, at: number): FoundEntry['place'] {
    const row = this.#get('SELECT * FROM recordings WHERE id = ?', recording);
    if (row === undefined) return null;
    const { typescript, timing, startedAt } = toRecording(row);
    const elapsedMs = timing === null || startedAt === null ? null : Math.max(0, at - startedAt);
    return { typescript, offset, elapsedMs };
  }

  /** The first number of this millisecond that no entry has; where there are many (a recording without times), of one of the next. */
  #freeId(at: number): number {
    const first = Math.floor(at) * IDS_PER_MS;
    let id = this.#lastId.at === first ? this.#lastId.id + 1 : first;
    while (this.#get('SELECT 1 FROM entries WHERE id = ?', id) !== undefined) id += 1;
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
    this.#run(
      'INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[id, scope, kind, Math.floor(at), recording, offset, seq, key, text],
    );
    this.#run(
      'INSERT INTO entry_words (rowid, scope, kind, words) VALUES (?, ?, ?, ?)',
      ...[id, `s${scope}`, kind, indexText(text)],
    );
    this.#run('UPDATE size SET characters = characters + ?', text.length);
  }

  /** The lines of what goes may come again. */
  #delete(which: string, ...values: number[]): number {
    const rows = this.#all(which, ...values);
    for (const { id, recording, text } of rows) {
      this.#run('DELETE FROM entry_words WHERE rowid = ?', Number(id));
      this.#run('DELETE FROM entries WHERE id = ?', Number(id));
      this.#run('UPDATE size SET characters = characters - ?', String(text).length);
      if (recording === null) continue;
      for (const line of String(text).split('\n')) {
        this.#run('DELETE FROM seen_lines WHERE recording = ? AND line = ?', Number(recording), hashOf(line));
      }
    }
    return rows.length;
  }

  /** @returns whether anything changed */
  #run(sql: string, ...values: Value[]): boolean {
    return Number(this.#statement(sql).run(...values).changes) > 0;
  }

  #get(sql: string, ...values: Value[]): Record<string, unknown> | undefined {
    return this.#statement(sql).get(...values);
  }

  #all(sql: string, ...values: Value[]): Record<string, unknown>[] {
    return this.#statement(sql).all(...values);
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

const RecordingRow = z.object({
  id: z.number(),
  scope: z.number(),
  typescript: z.string(),
  timing: z.string().nullable(),
  head: z.instanceof(Uint8Array),
  position: z.number(),
  timing_position: z.number(),
  timed_to: z.number(),
  elapsed_ms: z.number(),
  started_at: z.number().nullable(),
  cols: z.number(),
  rows: z.number(),
  finished: z.number(),
});

function toRecording(value: Record<string, unknown>): IndexedRecording {
  const { timing_position, timed_to, elapsed_ms, started_at, finished, ...row } = RecordingRow.parse(value);
  return {
    ...row,
    timingPosition: timing_position,
    timedTo: timed_to,
    elapsedMs: elapsed_ms,
    startedAt: started_at,
    finished: finished === 1,
  };
}

function valuesOf(recording: Omit<IndexedRecording, 'id'>): Value[] {
  const { scope, typescript, timing, head, position, timingPosition, timedTo, elapsedMs, startedAt } = recording;
  const start = startedAt === null ? null : Math.floor(startedAt);
  const about = [scope, typescript, timing, head, position, timingPosition, timedTo, elapsedMs, start];
  return [...about, recording.cols, recording.rows, recording.finished ? 1 : 0];
}

const HASH_BYTES = 6;

/** 48 bits, which a number holds: of a million lines two are taken for one once in 500 recordings. */
function hashOf(text: string): number {
  return createHash('sha1').update(text).digest().readUIntBE(0, HASH_BYTES);
}
