import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  advanceStatus,
  DEFAULT_THRESHOLDS,
  type Evidence,
  explain,
  type JsonEvidence,
  NO_EVENTS,
  NO_HOOKS,
  observeEvent,
  observePrompt,
  statusView,
} from '../../../src/core/status/index.ts';
import { redactExplanation } from '../../../src/local/misdetection.ts';
import { StoredEvent } from '../../../src/protocol/index.ts';
import { readEvidence } from '../../harness/evidence.ts';
import { type Misdetection, parseMisdetection, sayOf } from '../../harness/misdetection.ts';
import { announce } from './live-evidence.ts';

const fixtures = (folder: string): string => fileURLToPath(new URL(`../../fixtures/${folder}`, import.meta.url));
const REPORTED = fixtures('misdetections');
const LIVE = fixtures('evidence/2.1.329');
const EVENTS = fixtures('json-events/2.1.329');

const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith(ending));

/** Writes a misdetection to a file and reads it back. */
function keep(evidence: Evidence, at: number): { said: string; kept: Misdetection; text: string } {
  const { memory } = advanceStatus(null, { evidence, now: at, thresholds: DEFAULT_THRESHOLDS });
  const said = [memory.primary ?? 'unknown', memory.detail].filter((word) => word !== null).join('/');
  const text = JSON.stringify({
    cbos: '0',
    should_be: said,
    said,
    ...redactExplanation({
      status: statusView(memory, evidence, at),
      claude_version: null,
      ...explain(evidence, at, DEFAULT_THRESHOLDS),
    }),
  });
  return { said, kept: parseMisdetection(text), text };
}

const ofEvents = (json: Evidence['json']): Evidence => ({
  process: null,
  screen: null,
  hooks: NO_HOOKS,
  registry: null,
  ...(json === undefined ? {} : { json }),
});

/** An answer that broke off and is requested again. */
const RETRIES: JsonEvidence = {
  ...observePrompt(NO_EVENTS, { id: 'p1', at: 0, text: 'do it' }),
  phase: { kind: 'responding', at: 1 },
  retry: { at: 5, nextAt: 30_000, reason: 'the API is overloaded' },
};

describe('a status that was wrong once stays right', () => {
  test.each(filesIn(REPORTED, '.json'))('%s', (name) => {
    const reported = parseMisdetection(readFileSync(join(REPORTED, name), 'utf8'));
    expect(sayOf(reported)).toBe(reported.should_be);
  });
});

describe('the data that record-misdetection keeps is enough to reach the same verdict', () => {
  test.each(filesIn(LIVE, '.jsonl'))('at every moment of %s', (name) => {
    const onEvidence = (evidence: Evidence, at: number): void => {
      const { said, kept } = keep(evidence, at);
      expect(sayOf(kept), `at ${at} ms`).toBe(said);
    };
    announce(readEvidence(join(LIVE, name)), { onEvidence });
  });

  test.each(filesIn(EVENTS, '.jsonl'))('after every event of a JSON session: %s', (name) => {
    const lines = readFileSync(join(EVENTS, name), 'utf8').trim().split('\n');
    let json = observePrompt(NO_EVENTS, { id: 'p1', at: 0, text: 'do it' });
    const words = new Set<string>();
    for (const line of lines) {
      const { event, timestamp, seq } = StoredEvent.parse(JSON.parse(line));
      const at = timestamp * 1_000;
      json = observeEvent(json, event, at);
      const { said, kept } = keep(ofEvents(json), at);
      expect(sayOf(kept), `after event ${seq}`).toBe(said);
      words.add(said);
    }
    expect(words.size).toBeGreaterThan(1);
  });

  test.each([
    ['idle/ready', NO_EVENTS],
    ['active/compacting', { ...observePrompt(NO_EVENTS, { id: 'p1', at: 0, text: 'do it' }), compactingSince: 5 }],
    ['active/thinking', RETRIES],
  ])('of a JSON session, %s', (said, json) => {
    expect(sayOf(keep(ofEvents(json), 10).kept)).toBe(said);
  });

  test('of a JSON session without any event: stuck after its threshold, counted from the next attempt', () => {
    expect(sayOf(keep(ofEvents(RETRIES), 44_999).kept)).toBe('active/thinking');
    expect(sayOf(keep(ofEvents(RETRIES), 45_000).kept)).toBe('stuck');
  });
});

test('no word of a JSON session is kept', () => {
  const call = {
    id: '1',
    name: 'mcp__hildegard__call',
    input: { to: 'Hildegard' },
    at: 0,
    requestedAt: 0,
    agent: null,
  };
  const { text } = keep(
    ofEvents({
      ...observePrompt(NO_EVENTS, { id: 'p1', at: 0, text: 'Ask Hildegard' }),
      tools: [call],
      requests: [{ ...call, requestId: '1', suggestions: ['Hildegard'] }],
      turnEnd: { at: 0, error: 'Hildegard is out', message: 'Shall I write to Hildegard?', interrupted: false },
    }),
    0,
  );
  expect(text).not.toMatch(/hildegard/i);
});
