import { describe, expect, test } from 'vitest';
import type { DeliveryRecord } from '../../../src/core/delivery/record.ts';
import { refusalOnScreen } from '../../../src/core/delivery/refusal.ts';
import { NOTHING_TOLD, type ToldTexts } from '../../../src/core/delivery/seen.ts';
import { AT_REST, advanceWatch } from '../../../src/core/delivery/watch.ts';
import { type DeliveryPhase, hookNoteOf, readPromptRefusal, refusalOf } from '../../../src/protocol/index.ts';
import { DeliveryScene, type Shown } from '../../harness/delivery-scene.ts';
import { frame, RULE } from '../status/evidence-maker.ts';

const NOW = new DeliveryScene().see().now.wall;
const NOTICE =
  'UserPromptSubmit operation blocked by hook:\n[/home/user/check.sh]: No secrets, please.\n\n\nOriginal prompt: go';

describe('the words of a hook that refused a prompt', () => {
  test.each([
    ['standard error', NOTICE, { words: 'No secrets, please.', prompt: 'go' }],
    [
      'a decision of several lines',
      'UserPromptSubmit operation blocked by hook:\nPolicy says no.\nSecond line.\n\nOriginal prompt: go\non',
      { words: 'Policy says no.\nSecond line.', prompt: 'go\non' },
    ],
    [
      'no words',
      'UserPromptSubmit operation blocked by hook:\n\nOriginal prompt: go',
      { words: 'it gives no reason', prompt: 'go' },
    ],
    ['another notice', 'Conversation compacted', null],
  ])('from %s', (_, notice, expected) => expect(readPromptRefusal(notice)).toEqual(expected));

  test('on the screen, as a message', () => {
    const shown = frame([
      '● UserPromptSubmit operation blocked by hook:',
      '  [/home/user/check.sh]: No',
      '  secrets, please.',
      '',
      '  Original prompt: go',
      RULE,
      '❯ go',
      RULE,
    ]);
    expect(refusalOnScreen(shown)).toEqual({ words: 'No secrets, please.', prompt: 'go' });
  });

  test('on the screen, below the prompt during a turn', () => {
    const shown = frame([
      RULE,
      '❯ go',
      RULE,
      '  ⏸ manual mode on                 UserPromptSubmit operation blocked by hook:',
      '                                   [check.sh]: No secrets, please.',
      '                                   Original prompt: go',
    ]);
    expect(refusalOnScreen(shown)).toEqual({ words: 'No secrets, please.', prompt: 'go' });
  });

  test('a result without turns is a refusal only if a hook refused the prompt', () => {
    const result = { type: 'result', subtype: 'success', is_error: false, num_turns: 0 };
    expect(refusalOf({ ...result, result: NOTICE })).toBe('No secrets, please.');
    expect(refusalOf({ ...result, result: 'Operation stopped by hook: Halt now.' })).toBe('Halt now.');
    expect(refusalOf({ ...result, result: 'Operation stopped by hook' })).toBe('it gives no reason');
    expect(refusalOf({ ...result, result: 'Total cost: $0.00' })).toBeNull();
    expect(refusalOf({ ...result, num_turns: 1, result: NOTICE })).toBeNull();
  });

  test('a result that a hook of a tool call brought about is no success', () => {
    const result = { type: 'result', subtype: 'success', is_error: false, num_turns: 2, result: '' };
    expect(hookNoteOf({ ...result, terminal_reason: 'hook_stopped' })).toBe('One of your own hooks stopped the turn');
    expect(hookNoteOf({ ...result, terminal_reason: 'completed' })).toBeNull();
  });
});

interface Row {
  name: string;
  record?: Partial<DeliveryRecord>;
  shown: Partial<Shown>;
  phase: DeliveryPhase;
}

const REFUSED: ToldTexts = { ...NOTHING_TOLD, refused: new Map([['text of a', { at: NOW + 10, words: 'No.' }]]) };
const taken = { phase: 'taken', createdAt: NOW - 500, updatedAt: NOW - 100 } as const;

describe('a message that a hook refused', () => {
  test.each<Row>([
    { name: 'is back in the box', shown: { draft: 'text of a', told: REFUSED }, phase: 'refused_back' },
    {
      name: 'stands beside what a person typed, and belongs to that person then',
      shown: { draft: 'text of a and more', told: REFUSED },
      phase: 'refused',
    },
    {
      name: 'was accepted later: the refusal was of an earlier one',
      record: { ...taken, createdAt: NOW + 5_000 },
      shown: { draft: 'text of a', told: REFUSED },
      phase: 'taken',
    },
    {
      name: 'was accepted, and a person has typed the same text since then',
      shown: { draft: 'text of a', told: { ...REFUSED, taken: new Map([['text of a', NOW - 50]]) } },
      phase: 'taken',
    },
    { name: 'has left the box', record: { phase: 'refused_back' }, shown: { draft: null }, phase: 'refused' },
    {
      name: 'may be hidden by a view',
      record: { phase: 'refused_back' },
      shown: { draft: null, cover: 'view' },
      phase: 'refused_back',
    },
  ])('$name', ({ record = taken, shown, phase }) => {
    const scene = new DeliveryScene();
    scene.add('a', record);
    scene.shown = { ...scene.shown, ...shown };
    scene.play(advanceWatch, AT_REST, []);
    expect(scene.phase('a')).toBe(phase);
    expect(scene.log.filter((entry) => entry === 'type' || entry === 'enter' || entry === 'clear')).toEqual([]);
  });
});

test('the transcript is read also for a prompt that a person typed, once the session is ready without an end of its turn', () => {
  const scene = new DeliveryScene();
  scene.shown = { ...scene.shown, draft: 'typed', prompt: 'typed' };
  scene.play(advanceWatch, AT_REST, []);
  expect(scene.log).toContain('read_transcript');
});
