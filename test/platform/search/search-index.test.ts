import {
  appendFileSync,
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type IndexHit, SearchIndex } from '../../../src/platform/search/search-index.ts';
import { openSearchDatabase } from '../../../src/platform/sqlite/search-schema.ts';
import { SearchStore } from '../../../src/platform/sqlite/search-store.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

const HEADER =
  'Script started on 2026-11-20 15:04:05+00:00 [COMMAND="claude" TERM="screen" TTY="/dev/pts/1" COLUMNS="80" LINES="6"]\n';
const STARTED = Date.parse('2026-11-20T15:04:05Z');

let dir: string;
let index: SearchIndex;
let faults: unknown[] = [];

beforeEach(() => {
  dir = makeTemporaryFolder();
  faults = [];
  index = openIndex();
});
afterEach(async () => {
  await index.close();
  rmSync(dir, { recursive: true });
  expect(faults).toEqual([]);
});

function openIndex(mostCharacters?: number): SearchIndex {
  return new SearchIndex({
    store: new SearchStore(openSearchDatabase(join(dir, 'search.db'))),
    now: () => Date.now(),
    elapsed: () => performance.now(),
    onError: (cause) => faults.push(cause),
    ...(mostCharacters === undefined ? {} : { mostCharacters }),
  });
}

/** Writes a recording as `script` does, row by row. */
class Recording {
  readonly place: { typescript: string; timing: string };
  offset = HEADER.length;

  constructor(name: string) {
    this.place = { typescript: join(dir, `${name}.typescript`), timing: join(dir, `${name}.timing`) };
    writeFileSync(this.place.typescript, HEADER);
    writeFileSync(this.place.timing, 'H 0.000000 START_TIME 2026-11-20 15:04:05+00:00\n');
    this.age();
  }

  /** @param delay seconds since the previous row */
  write(delay: number, text: string): this {
    appendFileSync(this.place.typescript, text);
    appendFileSync(this.place.timing, `O ${delay.toFixed(6)} ${Buffer.byteLength(text)}\n`);
    this.offset += Buffer.byteLength(text);
    this.age();
    return this;
  }

  /** makes the recording so old that everything in it has settled */
  age(): void {
    utimesSync(this.place.typescript, STARTED / 1_000 + 60, STARTED / 1_000 + 60);
  }
}

async function indexed(recording: Recording, session = 'id-1'): Promise<void> {
  index.follow(session, recording.place);
  await index.settled();
}

function find(query: string, only: { session?: string; limit?: number } = {}): IndexHit[] {
  return index.search({ query, session: only.session ?? null, kind: null, limit: only.limit ?? 50 }).hits;
}

describe('a recording that is indexed to its end', () => {
  /** Writes another text of the same length and with the same time. Only a reader of the file can notice the change. */
  const replaceUnseen = (recording: Recording): void => {
    const { typescript } = recording.place;
    writeFileSync(
      typescript,
      readFileSync(typescript, 'utf8').replace('first words', 'other words').replace('Script', 'sCRIPT'),
    );
    recording.age();
  };

  test('is not read again by the next server, unless its file has changed', async () => {
    const recording = new Recording('A').write(1, 'first words\r\n');
    await indexed(recording);
    await index.close();
    replaceUnseen(recording);
    index = openIndex();
    await indexed(recording);
    expect(find('other')).toEqual([]);
    recording.write(1, 'and more\r\n');
    await indexed(recording);
    expect([find('other'), find('more')].map(({ length }) => length)).toEqual([1, 1]);
  });
});

describe('text that was on the screen', () => {
  test('is found with its time and the place in the recording', async () => {
    const recording = new Recording('A').write(1, 'hello wonderful world\r\n');
    const before = recording.offset;
    recording.write(5, 'then something else\r\n');
    await indexed(recording);
    expect(find('wonder')).toMatchObject([
      {
        session: 'id-1',
        kind: 'screen',
        snippet: 'hello wonderful world',
        at: STARTED + 1_000,
        t: 1,
        offset: before,
        recording: 'A',
      },
    ]);
    expect(find('something')).toMatchObject([{ at: STARTED + 6_000, t: 6, offset: recording.offset }]);
  });

  test('on a redrawn screen is indexed once', async () => {
    const recording = new Recording('A');
    for (let count = 0; count < 200; count++) {
      recording.write(
        2,
        `\u001b[2J\u001b[H the steady line\r\n✻ Garnishing… (${count}s · ↓ 20 tokens)\r\n│ boxed words │`,
      );
    }
    await indexed(recording);
    expect(find('steady')).toHaveLength(1);
    expect(find('boxed')).toHaveLength(1);
    expect(find('Garnishing')).toEqual([]);
  });

  test('in lines that scroll off at once is indexed, even beyond every scrollback', async () => {
    const lines = Array.from({ length: 20_000 }, (_, number) => `row${number}x`).join('\r\n');
    await indexed(new Recording('A').write(1, lines));
    for (const number of [0, 1, 777, 12_345, 19_993, 19_999]) expect(find(`"row${number}x"`)).toHaveLength(1);
  });

  test('that moved up and off the alternate screen is indexed', async () => {
    const recording = new Recording('A').write(1, '\u001b[?1049h');
    for (let top = 0; top < 30; top++) {
      const rows = Array.from({ length: 6 }, (_, row) => `\u001b[${row + 1};1H\u001b[Kentry number${top + row}`);
      recording.write(0.4, rows.join(''));
    }
    await indexed(recording);
    for (const number of [0, 7, 20, 34]) expect(find(`"number${number}"`)).toHaveLength(1);
  });

  test('in a line that wraps is one line', async () => {
    await indexed(new Recording('A').write(1, `${'x'.repeat(70)} breakableword here\r\nnext`));
    expect(find('breakableword')).toHaveLength(1);
  });

  test('that was only drawn for a moment is not indexed', async () => {
    await indexed(new Recording('A').write(1, 'I am gone soon').write(0.1, '\r\u001b[Kand this stays'));
    expect(find('gone')).toEqual([]);
    expect(find('stays')).toHaveLength(1);
  });

  test('with words of one and two ideographs, and emoji, is found', async () => {
    await indexed(new Recording('A').write(1, '把数据库迁移到新服务器 🚀 完了しました 데이터베이스\r\n'));
    for (const query of ['数', '数据', '据库', '迁移到新', '服务器', '🚀', '完了', '이터', 'しま', '"数据库"']) {
      expect(find(query), query).toHaveLength(1);
    }
    expect(find('据数')).toEqual([]);
  });

  test('is indexed after a resize', async () => {
    const recording = new Recording('A').write(1, 'narrow');
    appendFileSync(recording.place.timing, 'S 0.100000 SIGWINCH ROWS=10 COLS=200\n');
    recording.write(0.1, `\r\n${'y'.repeat(100)} ${'z'.repeat(80)} wideword`);
    await indexed(recording);
    expect(find('wideword')).toHaveLength(1);
  });

  test('without timing is found as well, without a time', async () => {
    const recording = new Recording('A').write(1, 'untimed text\r\n');
    index.follow('id-1', { ...recording.place, timing: null });
    await index.settled();
    expect(find('untimed')).toMatchObject([{ t: null, recording: 'A' }]);
  });

  test('in bytes that a cut timing does not count is found', async () => {
    const recording = new Recording('A').write(1, 'told of\r\n');
    appendFileSync(recording.place.typescript, 'nottold of\r\n');
    recording.age();
    await indexed(recording);
    expect(find('nottold')).toHaveLength(1);
  });

  test('of a real session is found as it was read', async () => {
    const fixture = (ending: string): string =>
      fileURLToPath(new URL(`../../fixtures/recordings/2.1.329/read.${ending}`, import.meta.url));
    const place = { typescript: join(dir, 'R.typescript'), timing: join(dir, 'R.timing') };
    copyFileSync(fixture('typescript'), place.typescript);
    copyFileSync(fixture('timing'), place.timing);
    utimesSync(place.typescript, STARTED / 1_000, STARTED / 1_000);
    index.follow('id-1', place);
    await index.settled();
    expect(find('"Claude Code"').length).toBeGreaterThanOrEqual(1);
    expect(find('Welcome Garnishing')).toEqual([]);
  });
});

describe('the position of the index', () => {
  test('stays the same after the index was closed in the middle, with nothing twice and nothing lost', async () => {
    const recording = new Recording('A');
    for (let number = 0; number < 100; number++) recording.write(0.3, `first${number}x\r\n`);
    await indexed(recording);
    for (let round = 0; round < 3; round++) {
      await index.close();
      index = openIndex();
      for (let number = 0; number < 50; number++) recording.write(0.3, `round${round}n${number}x\r\n`);
      await indexed(recording);
    }
    for (const word of ['first0x', 'first99x', 'round0n0x', 'round1n25x', 'round2n49x']) {
      expect(find(`"${word}"`), word).toHaveLength(1);
    }
  });

  test('advances over output that is written during indexing, after a notification', async () => {
    const recording = new Recording('A').write(1, 'one\r\n');
    await indexed(recording);
    recording.write(1, 'latecomer\r\n');
    expect(find('latecomer')).toEqual([]);
    index.nudge('id-1');
    await index.settled();
    expect(find('latecomer')).toHaveLength(1);
  });

  test('waits for a recording to which nothing has been written yet', async () => {
    const place = { typescript: join(dir, 'A.typescript'), timing: join(dir, 'A.timing') };
    index.follow('id-1', place);
    await index.settled();
    new Recording('A').write(1, 'there now\r\n');
    index.nudge('id-1');
    await index.settled();
    expect(find('there')).toHaveLength(1);
  });

  test('reaches the end of a recording that a restart moved aside, under its new name', async () => {
    const old = new Recording('A').write(1, 'indexed before\r\n');
    await indexed(old);
    old.write(1, 'unread rest\r\n');
    renameSync(old.place.typescript, join(dir, 'A.1.typescript'));
    renameSync(old.place.timing, join(dir, 'A.1.timing'));
    const next = new Recording('A');
    writeFileSync(next.place.typescript, HEADER.replace('15:04:05', '16:00:00'));
    next.write(1, 'of the second\r\n');
    await indexed(next);
    expect(find('unread')).toMatchObject([{ recording: 'A.1', t: 2 }]);
    expect(find('before')).toMatchObject([{ recording: 'A.1' }]);
    expect(find('second')).toMatchObject([{ recording: 'A' }]);
  });

  test('is kept for a renamed recording', async () => {
    const recording = new Recording('A').write(1, 'some words\r\n');
    await indexed(recording);
    const place = { typescript: join(dir, 'B.typescript'), timing: join(dir, 'B.timing') };
    renameSync(recording.place.typescript, place.typescript);
    renameSync(recording.place.timing, place.timing);
    index.follow('id-1', place);
    await index.settled();
    expect(find('some')).toMatchObject([{ recording: 'B' }]);
  });

  test('begins again for a recording that was cut off', async () => {
    const recording = new Recording('A').write(1, 'long ago and far away\r\n');
    await indexed(recording);
    truncateSync(recording.place.typescript, HEADER.length);
    appendFileSync(recording.place.typescript, 'anew\r\n');
    recording.age();
    index.nudge('id-1');
    await index.settled();
    expect(find('anew')).toHaveLength(1);
  });

  test('is kept for a recording whose beginning was dropped', async () => {
    const recording = new Recording('A').write(1, `${'x'.repeat(1_000)}\r\nkept words\r\n`);
    await indexed(recording);
    const file = openSync(recording.place.typescript, 'r+');
    writeSync(file, Buffer.alloc(1_000), 0, 1_000, 0);
    closeSync(file);
    recording.write(1, 'after that\r\n');
    for (let round = 0; round < 2; round++) {
      await index.close();
      index = openIndex();
      await indexed(recording);
    }
    expect(find('kept')).toHaveLength(1);
    expect(find('after')).toMatchObject([{ t: 2 }]);
  });

  test('an index that is damaged or has another format is built again', async () => {
    const recording = new Recording('A').write(1, 'still there\r\n');
    await indexed(recording);
    await index.close();
    writeFileSync(join(dir, 'search.db'), 'this is no database, whatever its name says'.repeat(200));
    index = openIndex();
    await indexed(recording);
    expect(find('still')).toHaveLength(1);
  });
});

describe('text that was said', () => {
  const said = (kind: 'prompt' | 'answer' | 'tool', text: string, at: number, key: string | null = null) => ({
    kind,
    text,
    at,
    key,
    seq: null,
  });

  test('is found with the place in the recording at that time', async () => {
    const recording = new Recording('A').write(1, 'x\r\n').write(4, 'later\r\n');
    await indexed(recording);
    index.addSaid('id-1', [said('prompt', 'please refactor the login', STARTED + 7_000)]);
    expect(find('refactor')).toMatchObject([
      { kind: 'prompt', at: STARTED + 7_000, recording: 'A', t: 7, offset: recording.offset },
    ]);
  });

  test('is found without a recording', () => {
    index.addSaid('id-2', [said('answer', 'done as told', 5)]);
    expect(find('told')).toMatchObject([{ session: 'id-2', recording: null, offset: null, t: null }]);
  });

  test('is indexed once, although hooks and the transcript both report it; a later repetition is indexed again', async () => {
    index.addSaid('id-1', [
      said('prompt', 'continue', STARTED),
      said('tool', 'Bash\nnpm test', STARTED + 500, 'toolu_1'),
    ]);
    const file = join(dir, 'transcript.jsonl');
    const line = (type: string, content: unknown, at: number): string =>
      `${JSON.stringify({ type, timestamp: new Date(at).toISOString(), message: { role: type, content } })}\n`;
    writeFileSync(
      file,
      [
        line('user', 'continue', STARTED + 1_000),
        line(
          'assistant',
          [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'npm test' } }],
          STARTED + 700,
        ),
        line('assistant', [{ type: 'text', text: 'All tests are green.' }], STARTED + 3_000),
        'no json at all\n',
        line('user', [{ type: 'text', text: 'continue' }], STARTED + 60_000),
      ].join(''),
    );
    appendFileSync(file, '{"type":"user","timestamp":"2026');
    index.readTranscript('id-1', file);
    await index.settled();
    index.readTranscript('id-1', file);
    await index.settled();
    expect(find('continue').map(({ at }) => at)).toEqual([STARTED + 60_000, STARTED]);
    expect(find('npm test')).toHaveLength(1);
    expect(find('green')).toMatchObject([{ kind: 'answer' }]);
  });

  test('as events of a JSON session is indexed once, with their number', async () => {
    const events = [
      { seq: 1, at: 10, event: { type: 'user', message: { content: 'list the files' }, parent_tool_use_id: null } },
      {
        seq: 2,
        at: 20,
        event: {
          type: 'assistant',
          message: { content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }] },
        },
      },
      {
        seq: 3,
        at: 30,
        event: {
          type: 'user',
          message: {
            content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'README.md' }] }],
          },
        },
      },
      { seq: 4, at: 40, event: { type: 'result', result: 'ignored' } },
    ];
    index.addEvents('id-1', events.slice(0, 2));
    expect(index.lastEvent('id-1')).toBe(2);
    index.addEvents('id-1', events);
    expect(index.lastEvent('id-1')).toBe(4);
    expect(find('files')).toMatchObject([{ kind: 'prompt', seq: 1 }]);
    expect(find('Bash')).toHaveLength(1);
    expect(find('README')).toMatchObject([{ kind: 'tool', seq: 3 }]);
  });
});

describe('a search', () => {
  test('returns the newest first, only from one session if requested, and no more than requested', async () => {
    for (let number = 0; number < 10; number++) {
      index.addSaid(`id-${number % 2}`, [
        { kind: 'prompt', text: `common ${number}`, at: 1_000 * number, key: null, seq: null },
      ]);
    }
    expect(find('common', { limit: 3 }).map(({ snippet }) => snippet)).toEqual(['common 9', 'common 8', 'common 7']);
    expect(find('common', { session: 'id-0', limit: 2 }).map(({ snippet }) => snippet)).toEqual([
      'common 8',
      'common 6',
    ]);
    expect(find('common', { session: 'nobody' })).toEqual([]);
    expect(find('s1')).toEqual([]);
    expect(find('prompt')).toEqual([]);
  });

  test('accepts any text', () => {
    index.addSaid('id-1', [{ kind: 'prompt', text: 'plain', at: 1, key: null, seq: null }]);
    for (const query of [
      '"',
      "'",
      '*',
      'a OR',
      'NEAR(',
      '{words}:x',
      '\u0000',
      'x\u0000y',
      '-plain',
      '(',
      '\ud800',
      '😀',
      '%',
      '\\',
      'plain"',
    ]) {
      expect(() => find(query), query).not.toThrow();
    }
    expect(find('plain"')).toHaveLength(1);
  });
});

describe('the index stays small', () => {
  test('a deleted session is no longer found, and nothing of it is kept', async () => {
    const recording = new Recording('A').write(1, 'secret words\r\n');
    await indexed(recording);
    index.addSaid(
      'id-1',
      Array.from({ length: 1_200 }, (_, at) => ({
        kind: 'prompt' as const,
        text: `secret ${at}`,
        at: at * 20_000,
        key: null,
        seq: null,
      })),
    );
    index.addSaid('id-2', [{ kind: 'prompt', text: 'secret of another', at: 1, key: null, seq: null }]);
    index.forget('id-1');
    index.addSaid('id-1', [{ kind: 'prompt', text: 'secret come late', at: 1, key: null, seq: null }]);
    await index.settled();
    expect(find('secret').map(({ session }) => session)).toEqual(['id-2']);
    const database = openSearchDatabase(join(dir, 'search.db'));
    for (const table of ['entries', 'scopes']) {
      expect(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()).toEqual({ count: 1 });
    }
    for (const table of ['seen_lines', 'recordings', 'marks']) {
      expect(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()).toEqual({ count: 0 });
    }
    database.close();
  });

  test('sessions that were deleted while nothing was listening are removed at the next start', async () => {
    index.addSaid('id-1', [{ kind: 'prompt', text: 'kept', at: 1, key: null, seq: null }]);
    index.addSaid('id-2', [{ kind: 'prompt', text: 'kept', at: 1, key: null, seq: null }]);
    index.keepOnly(['id-2']);
    await index.settled();
    expect(find('kept').map(({ session }) => session)).toEqual(['id-2']);
  });

  test('beyond the limit the oldest text is removed', async () => {
    await index.close();
    index = openIndex(100_000);
    const recording = new Recording('A');
    for (let number = 0; number < 3_000; number++) recording.write(2, `line${number}x ${'words '.repeat(12)}\r\n`);
    await indexed(recording);
    expect(find('"line0x"')).toEqual([]);
    expect(find('"line2999x"')).toHaveLength(1);
  });
});
