import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readEvidence } from '../../harness/evidence.ts';
import { type AnnouncedStatus, announce } from './live-evidence.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/evidence/2.1.329', import.meta.url));

/**
 * The statuses of each scene, with active as one word, because the time for drawing an answer differs between
 * recordings.
 */
const WAYS: Readonly<Record<string, string>> = {
  'alternate-screen': 'idle/ready active waiting/permission active idle/waiting_input',
  ask: 'idle/ready active waiting/question active idle/waiting_input',
  'ask-escape': 'idle/ready active waiting/question idle/waiting_input',
  'ask-multi': 'idle/ready active waiting/question active idle/waiting_input',
  compact: 'idle/ready active idle/waiting_input active idle/waiting_input',
  credit: 'idle/ready active idle/error',
  draft: 'idle/ready',
  errtext: 'idle/ready active idle/waiting_input',
  exit: 'idle/ready dead',
  fail: 'idle/ready active idle/error',
  hello: 'idle/ready active idle/waiting_input',
  'interrupt-early': 'idle/ready active idle/waiting_input',
  'interrupt-late': 'idle/ready active idle/waiting_input',
  'interrupt-tool': 'idle/ready active idle/waiting_input',
  killed: 'idle/ready active dead',
  'model-picker': 'idle/ready waiting/setup idle/ready',
  overloaded: 'idle/ready active idle/waiting_input',
  'permission-escape': 'idle/ready active waiting/permission idle/waiting_input',
  'permission-no': 'idle/ready active waiting/permission idle/waiting_input',
  'permission-twice': 'idle/ready active waiting/permission active waiting/permission active idle/waiting_input',
  'permission-waits': 'idle/ready active waiting/permission',
  'permission-yes': 'idle/ready active waiting/permission active idle/waiting_input',
  plan: 'idle/ready active waiting/plan active idle/waiting_input',
  'plan-empty': 'idle/ready active waiting/plan idle/waiting_input',
  query: 'idle/ready active waiting/question',
  queued: 'idle/ready active idle/waiting_input',
  read: 'idle/ready active idle/waiting_input',
  slow: 'idle/ready active idle/waiting_input',
  think: 'idle/ready active idle/waiting_input',
  tools: 'idle/ready active idle/waiting_input',
  treacherous: 'idle/ready active idle/waiting_input',
  'trust-no': 'waiting/setup dead',
  'trust-yes': 'waiting/setup idle/ready',
  write: 'idle/ready active waiting/permission active idle/waiting_input',
};

const recorded = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.slice(0, -'.jsonl'.length));
const play = (scene: string): AnnouncedStatus[] => announce(readEvidence(join(FOLDER, `${scene}.jsonl`)));
const wayOf = (announced: readonly AnnouncedStatus[]): string =>
  announced
    .map(({ word }) => (word.startsWith('active') ? 'active' : word))
    .filter((word, index, words) => word !== 'unknown' && word !== words[index - 1])
    .join(' ');

describe('with everything that a live 2.1.329 reports', () => {
  test('every recorded scene has an expected course', () => {
    expect(Object.keys(WAYS).sort()).toEqual(recorded.sort());
  });

  test.each(recorded)('%s takes this course and no other', (scene) => {
    expect(wayOf(play(scene))).toBe(WAYS[scene]);
  });

  test.each(recorded)('%s from the screen and the process alone takes the same course', (scene) => {
    const steps = readEvidence(join(FOLDER, `${scene}.jsonl`));
    const way = wayOf(announce(steps, { sources: ['screen', 'process'] }));
    // Without hooks, nothing shows that an early interrupt took back a prompt, because the screen looks as fresh as
    // before. Also, a request that is refused within 100 ms shows its spinner too briefly to distinguish it from one
    // without an effect.
    const alone: Readonly<Record<string, string>> = {
      'interrupt-early': 'idle/ready active idle/ready',
      credit: 'idle/ready idle/error',
    };
    const expected = alone[scene] ?? WAYS[scene];
    expect(way).toBe(expected);
  });

  test.each(recorded)('%s reports the change of every hook at once', (scene) => {
    const steps = readEvidence(join(FOLDER, `${scene}.jsonl`));
    const announced = announce(steps);
    for (const step of steps) {
      if (step.source !== 'hook') continue;
      const expected = { UserPromptSubmit: 'active', PermissionRequest: 'waiting', StopFailure: 'idle' }[step.event];
      if (expected === undefined) continue;
      const then = announced.findLast((status) => status.at <= step.t + 20);
      expect(then?.word, `${step.event} at ${step.t}`).toMatch(new RegExp(`^${expected}`));
    }
  });

  test('an interrupt, which no hook reports, is idle within 600 ms', () => {
    for (const scene of ['interrupt-early', 'interrupt-late', 'interrupt-tool', 'permission-escape', 'ask-escape']) {
      const steps = readEvidence(join(FOLDER, `${scene}.jsonl`));
      const pressed = steps.find((step) => step.source === 'key' && step.keys === '\x1b');
      const idle = play(scene).findLast((status) => status.word.startsWith('idle'));
      expect(idle && pressed && idle.at - pressed.t, scene).toBeLessThan(600);
    }
  });

  test('an answer that quotes dialogs, errors and spinners is none of them', () => {
    expect(existsSync(join(FOLDER, 'treacherous.jsonl'))).toBe(true);
    const words = play('treacherous').map((status) => status.word);
    expect(words.filter((word) => word.startsWith('waiting') || word === 'idle/error')).toEqual([]);
  });

  test('a permission keeps its identity from the hook to the drawn options, and names tool and input', () => {
    const asked = play('permission-yes').filter((status) => status.question !== null);
    expect(new Set(asked.map((status) => status.question?.id)).size).toBe(1);
    expect(asked[0]?.question).toMatchObject({ kind: 'permission', options: [] });
    expect(asked.at(-1)?.question).toMatchObject({
      kind: 'permission',
      tool: { name: 'Bash', input: { command: 'touch ../marker.txt' } },
      options: [{ key: '1', label: 'Yes' }, { key: '2' }, { key: '3', label: 'No' }],
    });
  });

  test('two permissions in a row are two questions', () => {
    const ids = new Set(play('permission-twice').flatMap((status) => status.question?.id ?? []));
    expect(ids.size).toBe(2);
  });

  test('a question with several tabs reports all of them, whichever is drawn', () => {
    const asked = play('ask-multi').flatMap((status) => status.question ?? []);
    expect(new Set(asked.map((question) => question.id)).size).toBe(1);
    for (const question of asked.slice(1)) {
      expect(question.questions.map((part) => [part.header, part.multi])).toEqual([
        ['Language', false],
        ['Platforms', true],
      ]);
      expect(question.text).toBe('Which language shall the client be in?');
    }
  });

  test('a turn that ended with a question asks it in words', () => {
    expect(play('query').at(-1)?.question).toMatchObject({
      kind: 'closing',
      text: 'Should I also add a test for it?',
      options: [],
    });
  });
});
