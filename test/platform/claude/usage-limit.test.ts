import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitUsageLimit, isContinueCancelled, readUsageLimit } from '../../../src/platform/claude/usage-limit.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

/** A transcript of 2.1.330: a limit, a person's Esc, another prompt, and the limit again. */
const RECORDED = readFileSync(new URL('../../fixtures/transcripts/limit-2.1.330.jsonl', import.meta.url), 'utf8');
const SAID = "You've hit your 5-hour limit · resets 3:09am (UTC)";
const FIVE_HOURS = {
  status: 'rejected',
  kind: 'five_hour',
  resets_at: '2026-11-24T03:09:51.000Z',
  utilization: null,
};

let dir: string;
let written = 0;
beforeAll(() => {
  dir = makeTemporaryFolder();
});
afterAll(() => rmSync(dir, { recursive: true }));

const write = (text: string): string => {
  written += 1;
  const file = join(dir, `${written}.jsonl`);
  writeFileSync(file, text);
  return file;
};
const failed = (transcript: string, message: unknown = SAID, error = 'rate_limit', event = 'StopFailure') => ({
  event,
  payload: { error, last_assistant_message: message, transcript_path: transcript },
});

test('the transcript of 2.1.330 shows which limit it was, and when it ends', async () => {
  expect(await readUsageLimit(failed(write(RECORDED)))).toEqual(FIVE_HOURS);
});

test.each<[string, (text: string) => string]>([
  ['was refused for another reason', (text) => text.replaceAll('usage_limit_reached', 'rate_limit')],
  ['has no usage limits', (text) => text.replaceAll('"quotaLimits"', '"other"')],
  ['was allowed', (text) => text.replaceAll('"status":"rejected"', '"status":"allowed"')],
])('a request that %s reached none', async (_, change) => {
  expect(await readUsageLimit(failed(write(change(RECORDED))))).toBeNull();
});

test('an end that is not a time is unknown', async () => {
  for (const end of ['"soon"', '1e300', '-5', 'null']) {
    const odd = RECORDED.replaceAll(/"resetsAt":\d+/g, `"resetsAt":${end}`);
    expect(await readUsageLimit(failed(write(odd)))).toEqual({ ...FIVE_HOURS, resets_at: null });
  }
});

test('other hooks, and messages of other turns, report no limit', async () => {
  const file = write(RECORDED);
  expect(await readUsageLimit(failed(file, 'Overloaded'))).toBeUndefined();
  expect(await readUsageLimit(failed(file, SAID, 'server_error'))).toBeNull();
  expect(await readUsageLimit(failed(file, SAID, 'rate_limit', 'Stop'))).toBeNull();
  expect(await readUsageLimit(failed(join(dir, 'none.jsonl')))).toBeUndefined();
  expect(await readUsageLimit(failed(write(RECORDED.replaceAll('{"parentUuid"', '{{'))))).toBeUndefined();
  expect(await readUsageLimit(failed(file, 7))).toBeNull();
});

test('a message that is written a moment after its hook is found', async () => {
  const lines = RECORDED.trimEnd().split('\n');
  const file = write(`${lines.slice(0, 1).join('\n')}\n`);
  expect(await readUsageLimit(failed(file))).toBeUndefined();
  const reading = awaitUsageLimit(failed(file));
  appendFileSync(file, `${lines.slice(1).join('\n')}\n`);
  expect(await reading).toEqual(FIVE_HOURS);
});

test("a person's Esc makes Claude Code not continue, for this limit", async () => {
  const file = write(RECORDED);
  expect(await isContinueCancelled(file, Date.parse('2026-11-23T22:09:52.000Z'))).toBe(true);
  expect(await isContinueCancelled(file, Date.parse('2026-11-23T22:10:01.000Z'))).toBe(false);
  const said = JSON.stringify({ type: 'user', message: { content: 'Automatic continue cancelled' } });
  expect(await isContinueCancelled(write(`${said}\n`), 0)).toBe(false);
});
