import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { socketTransport } from '../../../src/cli/socket-transport.ts';
import { AUDIT_PAGE, createAuditReader, createClient } from '../../../src/client/index.ts';
import type { AuditEntry, AuditRecord } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { addDecision } from '../../harness/memory-rules.ts';
import { waitFor } from '../../harness/wait-for.ts';

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces();
});
afterEach(() => server[Symbol.asyncDispose]());

const decide = (session: string, input: unknown = { command: 'npm test' }, offset = 0): number =>
  addDecision(server.approvals, { sessionId: session, session, input, place: { epoch: 0, offset } });
const audit = async (query: string): Promise<AuditEntry[]> =>
  (await server.call(`/audit?${query}`)).json() as AuditEntry[];
const ids = (entries: readonly AuditEntry[]): number[] => entries.map(({ id }) => id);

describe('the audit', () => {
  test('is read in pages, each before the last one, of one session or of all', async () => {
    const all = Array.from({ length: 25 }, (_, index) => decide(index % 5 === 0 ? 'B' : 'A'));
    expect(ids(await audit('limit=10'))).toEqual(all.slice(15));
    expect(ids(await audit(`limit=10&before=${all[15]}`))).toEqual(all.slice(5, 15));
    expect(ids(await audit(`limit=10&before=${all[0]}`))).toEqual([]);
    expect(ids(await audit(`session=B&limit=2&before=${all[20]}`))).toEqual([all[10], all[15]]);
  });

  test('cuts long inputs for a list, marks them, and returns each in full on request', async () => {
    const content = 'x'.repeat(100_000);
    const id = decide('A', { file_path: '/a', content, edits: [{ a: content }], mode: 7 });
    const short = decide('A', { command: 'ls' });
    const [long, other] = await audit('brief=true');
    expect(long).toMatchObject({ id, cut: true, input: { file_path: '/a', edits: '…', mode: 7 } });
    expect(JSON.stringify(long).length).toBeLessThan(2_000);
    expect(other).toMatchObject({ id: short, input: { command: 'ls' } });
    expect(other).not.toHaveProperty('cut');
    expect((await audit('limit=1'))[0]?.input).toEqual({ command: 'ls' });
    const whole = (await server.call(`/audit/${id}`)).json() as AuditRecord;
    expect(whole.input).toMatchObject({ content, edits: [{ a: content }] });
    expect((await server.call('/audit/999')).code()).toBe('no_such_decision');
    expect((await server.call('/audit/none')).code()).toBe('invalid_request');
  });

  test("leads to the recording of that time, under the session's current name", async () => {
    server.sessions.add('A');
    const id = decide('A', undefined, 7);
    const now = async (): Promise<AuditRecord> => (await server.call(`/audit/${id}`)).json() as AuditRecord;
    expect(await now()).toMatchObject({ listed: 'A', recording: 'A', offset: 7 });
    // A restart has moved the recording aside. Its file was last written after the decision.
    const { at } = await now();
    writeFileSync(
      join(server.world.streamDir, 'A.1.typescript'),
      `Script started on ${at.replace('T', ' ').slice(0, 19)}+00:00 [TERM="xterm" TTY="/dev/pts/1" COLUMNS="80" LINES="24"]\n`,
    );
    expect(await now()).toMatchObject({ listed: 'A', recording: 'A.1' });
    await server.call('/sessions/A', { method: 'DELETE' });
    expect(await now()).toMatchObject({ session: 'A', listed: null, recording: null });
  });

  test('reports to every client a decision and its outcome, and changed rules', async () => {
    const stream = await server.connectStream();
    const id = decide('A');
    expect(await stream.next('rule_decided')).toEqual({ type: 'rule_decided', id });
    server.approvals.conclude(id, 'given');
    expect(await stream.next('rule_decided')).toEqual({ type: 'rule_decided', id });
    await server.call('/rules', { body: { effect: 'deny', tool: 'WebSearch' } });
    await stream.next('rules_changed');
  });
});

describe('a reader of the audit', () => {
  test('reads page by page, including decisions made in that time, without gaps or duplicates', async () => {
    const first = Array.from({ length: AUDIT_PAGE + 10 }, () => decide('A'));
    let changes = 0;
    const due: (() => void)[] = [];
    const reader = createAuditReader({
      client: createClient({ transport: socketTransport(server.faces.address.socket) }),
      session: null,
      startTimer: (callback) => {
        due.push(callback);
        return () => undefined;
      },
      onChange: () => void changes++,
      onError: (error) => {
        throw error;
      },
    });
    const until = (length: number) =>
      waitFor(() => reader.view().entries.length === length, {
        describe: `${length} decisions`,
        actual: () => reader.view().entries.length,
      });
    // The first page is still being read, and the next one is read after it.
    reader.older();
    await until(AUDIT_PAGE + 10);
    expect(reader.view().hasMore).toBe(false);
    const more = [decide('A'), decide('A')];
    for (let times = 0; times < 100; times++) reader.note();
    expect(due).toHaveLength(1);
    due.pop()?.();
    await until(AUDIT_PAGE + 12);
    expect(ids(reader.view().entries)).toEqual([...first, ...more].reverse());
    // The burst is larger than a page. Older decisions are read again on request.
    const burst = Array.from({ length: 3 * AUDIT_PAGE }, () => decide('A'));
    reader.note();
    due.pop()?.();
    await until(AUDIT_PAGE);
    expect(reader.view().hasMore).toBe(true);
    while (reader.view().hasMore) {
      const { length } = reader.view().entries;
      reader.older();
      await waitFor(() => reader.view().entries.length > length || !reader.view().hasMore, { describe: 'a page more' });
    }
    expect(ids(reader.view().entries)).toEqual([...first, ...more, ...burst].reverse());
    reader.dispose();
    expect(changes).toBeGreaterThan(4);
  });
});
