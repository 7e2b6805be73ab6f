import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { advanceStatus, type Evidence, explain, NO_HOOKS, statusView } from '../../../src/core/status/index.ts';
import { redactExplanation } from '../../../src/local-misdetection.ts';
import { readEvidence } from '../../harness/evidence.ts';
import { parseMisdetection, sayOf } from '../../harness/misdetection.ts';
import { announce } from './live-evidence.ts';

const REPORTED = fileURLToPath(new URL('../../fixtures/misdetections', import.meta.url));
const LIVE = fileURLToPath(new URL('../../fixtures/evidence/2.1.329', import.meta.url));
const STUCK_MS = 15_000;

const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith(ending));

describe('a status that was wrong once stays right', () => {
  test.each(filesIn(REPORTED, '.json'))('%s', (name) => {
    const reported = parseMisdetection(readFileSync(join(REPORTED, name), 'utf8'));
    expect(sayOf(reported)).toBe(reported.should_be);
  });
});

describe('what record-misdetection keeps is enough to come to the same verdict', () => {
  test.each(filesIn(LIVE, '.jsonl'))('at every moment of %s', (name) => {
    const onEvidence = (evidence: Evidence, at: number): void => {
      const { memory } = advanceStatus(null, { evidence, now: at, stuckThresholdMs: STUCK_MS });
      const kept = redactExplanation({
        status: statusView(memory, evidence, at),
        claude_version: null,
        stuck_threshold_ms: STUCK_MS,
        ...explain(evidence, at),
      });
      const said = [memory.primary ?? 'unknown', memory.detail].filter((word) => word !== null).join('/');
      expect(sayOf(kept), `at ${at} ms`).toBe(said);
    };
    announce(readEvidence(join(LIVE, name)), { onEvidence });
  });
});

test('no word of a JSON session stays either', () => {
  const at = new Date(0).toISOString();
  const evidence: Evidence = { process: null, screen: null, hooks: NO_HOOKS, registry: null };
  const explained = explain(evidence, 0);
  const json = {
    last_at: at,
    prompt: { at, text: 'Ask Hildegard' },
    busy_since: at,
    tools: [{ name: 'mcp__hildegard__call', at }],
    questions: [{ name: 'mcp__hildegard__ask', at }],
    turn_end: { at, error: 'Hildegard is out', interrupted: false },
    background: 0,
  };
  const { memory } = advanceStatus(null, { evidence, now: 0, stuckThresholdMs: STUCK_MS });
  const kept = redactExplanation({
    ...explained,
    status: statusView(memory, evidence, 0),
    claude_version: null,
    stuck_threshold_ms: STUCK_MS,
    evidence: { ...explained.evidence, json },
  });
  expect(JSON.stringify(kept)).not.toMatch(/hildegard/i);
});
