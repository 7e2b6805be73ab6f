import { expect, test } from 'vitest';
import { type EndFacts, howEnded } from '../../../src/core/restore/ended.ts';

const NOTHING: EndFacts = { isAsked: false, code: null, closedAt: null, hook: null };
const exit = { at: 900, reason: 'prompt_input_exit' };
const bySignal = { at: 900, reason: 'other' };

test.each<[string, Partial<EndFacts>, object]>([
  ['on request', { isAsked: true, code: 143, hook: bySignal }, { by: 'cbos', exit_code: 143 }],
  ['by /exit', { code: 0, closedAt: 1_000, hook: exit }, { by: 'user', exit_code: 0 }],
  [
    'by SIGINT, which it survives long enough to exit',
    { code: 0, closedAt: 1_000, hook: bySignal },
    { by: 'signal', exit_code: 0 },
  ],
  [
    'with 0 and a report that names no reason',
    { code: 0, closedAt: 1_000, hook: { at: 900, reason: null } },
    { by: 'unknown', exit_code: 0 },
  ],
  ['with 0 and without a report from the hook', { code: 0, closedAt: 1_000 }, { by: 'unknown', exit_code: 0 }],
  ['by Ctrl+C in a wrapper', { code: 130 }, { by: 'user', exit_code: 130, signal: 'SIGINT' }],
  ['by SIGTERM', { code: 143, hook: bySignal }, { by: 'signal', exit_code: 143, signal: 'SIGTERM' }],
  ['by SIGHUP', { code: 129 }, { by: 'signal', exit_code: 129, signal: 'SIGHUP' }],
  ['by SIGKILL', { code: 137 }, { by: 'killed', exit_code: 137, signal: 'SIGKILL' }],
  ['with an error', { code: 1 }, { by: 'error', exit_code: 1 }],
  ['with an error code that is no signal', { code: 255 }, { by: 'error', exit_code: 255 }],
  ['when `script` was terminated first, which writes 0', { code: 0, closedAt: 800, hook: bySignal }, { by: 'unknown' }],
  ['without a last line, after /exit', { hook: exit }, { by: 'user' }],
  ['without a last line, after /clear', { hook: { at: 900, reason: 'clear' } }, { by: 'unknown' }],
  ['without any trace', {}, { by: 'unknown' }],
])('a session that ended %s', (_, facts, ended) => {
  expect(howEnded({ ...NOTHING, ...facts })).toEqual(ended);
});
