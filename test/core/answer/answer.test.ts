import { describe, expect, test } from 'vitest';
import { type AnswerPlan, optionFor, planAnswer } from '../../../src/core/answer/answer.ts';
import { meaningOfAnswer, meaningOfDecision } from '../../../src/core/status/option-meaning.ts';
import type { Answer, Question, QuestionOption, QuestionPart } from '../../../src/protocol/index.ts';

function options(kind: Question['kind'], labels: readonly string[]): QuestionOption[] {
  const meaningOf = kind === 'question' ? meaningOfAnswer : meaningOfDecision;
  return labels.map((label, index) => ({ key: String(index + 1), label, description: null, means: meaningOf(label) }));
}

interface Asked {
  text: string;
  labels: readonly string[];
  multi: boolean;
}

const part = (text: string, labels: readonly string[], multi = false): Asked => ({ text, labels, multi });

function question(kind: Question['kind'], ...asked: Asked[]): Question {
  const parts: QuestionPart[] = asked.map(({ text, labels, multi }) => ({
    header: text.split(' ', 1)[0] ?? null,
    text,
    options: options(kind, labels),
    multi,
  }));
  const [first] = parts;
  return {
    id: 'q1',
    kind,
    text: first?.text ?? '',
    tool: null,
    options: first?.options ?? [],
    multi: first?.multi ?? false,
    questions: parts,
    asked_at: '2026-11-21T10:00:00.000Z',
  };
}

/** The options of permissions, plans, and set-up dialogs, as each version words them. */
const DIALOGS = {
  '1.0.128': [
    'Yes',
    'Yes, and always allow access to lab/ from this project',
    'No, and tell Claude what to do differently (esc)',
  ],
  '2.0.77': [
    'Yes',
    'Yes, allow all edits during this session (shift+tab)',
    'Type here to tell Claude what to do differently',
  ],
  '2.1.150': ['Yes', "Yes, and don't ask again for similar commands in /home/user/projects/atlas", 'No'],
  '2.1.329': ['Yes', 'Yes, and switch to accept edits (auto-approve file edits) for this session (shift+tab)', 'No'],
  '2.1.329 plan': ['Yes, auto-accept edits', 'Yes, manually approve edits', 'Tell Claude what to change'],
  '2.1.329 empty plan': ['Yes, and switch to default (ask each time) for this session', 'No'],
  '2.1.329 trust': ['No, exit', 'Yes, I trust this folder'],
  '1.0.128 trust': ['Yes, proceed', 'No, exit'],
  'bypass on offer': ['Yes, and bypass permissions', 'Yes, manually approve edits', 'No, keep planning'],
} as const;

describe('yes, no and always', () => {
  test.each<[keyof typeof DIALOGS, number, number, number]>([
    ['1.0.128', 0, 2, 1],
    ['2.0.77', 0, 2, 1],
    ['2.1.150', 0, 2, 1],
    ['2.1.329', 0, 2, 1],
    ['2.1.329 plan', 1, 2, 0],
    ['2.1.329 empty plan', 0, 1, -1],
    ['2.1.329 trust', 1, 0, -1],
    ['1.0.128 trust', 0, 1, -1],
    ['bypass on offer', 1, 2, -1],
  ])('are found by label in %s, and yes never grants more than once', (name, yes, no, always) => {
    const listed = options('permission', DIALOGS[name]);
    const found = (['yes', 'no', 'always'] as const).map((word) => optionFor('permission', listed, word));
    expect(found).toEqual([yes, no, always]);
  });
});

const PERMISSION = question('permission', part('Do you want to proceed?', DIALOGS['2.1.329']));
const OLD_PERMISSION = question('permission', part('Do you want to proceed?', DIALOGS['2.0.77']));
const PLAN = question('plan', part('Would you like to proceed?', DIALOGS['2.1.329 plan']));
const ONE = question('question', part('Which database?', ['SQLite', 'Yes', 'Type something.', 'Chat about this']));
const BOXES = question(
  'question',
  part('Which platforms?', ['Linux', 'macOS', 'Type something', 'Chat about this'], true),
);
const SEVERAL = question(
  'question',
  part('Language now?', ['Go', 'Rust', 'Type something.', 'Chat about this']),
  part('Platforms then?', ['Linux', 'macOS'], true),
);
const CLOSING = question('closing');

const select = (choice: readonly number[], text: string | null = null, remark: string | null = null): AnswerPlan => ({
  kind: 'select',
  parts: [{ options: choice, text }],
  remark,
});
const refuse = (message: unknown) => ({ kind: 'refuse', code: 'no_such_option', message });

describe('a question that is longer than CBOS carries', () => {
  test.each<[string, Question, Answer]>([
    ['a permission', PERMISSION, { choice: 'yes' }],
    ['a permission for more than this call', PERMISSION, { choice: 'always' }],
    ['a plan', PLAN, { choice: 'yes' }],
  ])('cannot be allowed: %s', (_, asked, answer) => {
    expect(planAnswer({ ...asked, cut: true }, answer)).toMatchObject({ kind: 'refuse', code: 'not_shown_whole' });
  });

  test('can be refused', () => {
    expect(planAnswer({ ...PERMISSION, cut: true }, { choice: 'no' })).toEqual(select([2]));
    expect(planAnswer({ ...PLAN, cut: true }, { choice: 'no' })).toEqual({ kind: 'dismiss' });
  });
});

describe('an answer', () => {
  test.each<[string, Question, Answer, unknown]>([
    ['yes', PERMISSION, { choice: 'yes' }, select([0])],
    ['no with a remark', PERMISSION, { choice: 'no', text: 'use docs/' }, select([2], null, 'use docs/')],
    ['no with a remark where its option is a text field', OLD_PERMISSION, { choice: 'no', text: 'x' }, select([], 'x')],
    ['no without a remark where its option is a text field', OLD_PERMISSION, { choice: 'no' }, { kind: 'dismiss' }],
    ['no to a plan', PLAN, { choice: 'no' }, { kind: 'dismiss' }],
    ['no to a plan with a remark', PLAN, { choice: 'no', text: 'shorter' }, select([], 'shorter')],
    ['a text to a plan', PLAN, { text: 'shorter' }, select([], 'shorter')],
    [
      'the text field by number without a text',
      PLAN,
      { choice: 3 },
      refuse('"Tell Claude what to change" requires text'),
    ],
    [
      'a text to a permission without a text field',
      PERMISSION,
      { text: 'hm' },
      refuse(expect.stringContaining('"hm"')),
    ],
    ['a number', ONE, { choice: 1 }, select([0])],
    ['a number that is not there', ONE, { choice: 5 }, refuse('Option 5 does not exist; the options are 1 to 4')],
    ['numbers where only one may be chosen', ONE, { choice: [1, 2] }, refuse('This question takes only one answer')],
    ['a list of one number', ONE, { choice: [2] }, select([1])],
    ['a label, whatever its case', ONE, { text: ' sqlite ' }, select([0])],
    ['an answer in words', ONE, { text: 'MySQL' }, select([], 'MySQL')],
    ['yes to a question that has it', ONE, { choice: 'yes' }, select([1])],
    ['no to a question that lacks it', ONE, { choice: 'no' }, refuse('This question has no option that means "no"')],
    [
      'a remark on an option of a question',
      ONE,
      { choice: 1, text: 'x' },
      refuse(expect.stringContaining('either one of its options or a text')),
    ],
    ['the text field by number and a text', ONE, { choice: 3, text: 'MySQL' }, select([], 'MySQL')],
    ['numbers for boxes, doubled', BOXES, { choice: [2, 1, 2] }, select([1, 0])],
    ['numbers for boxes and a text', BOXES, { choice: [1], text: 'BSD' }, select([0], 'BSD')],
    ['labels for boxes and a text', BOXES, { answers: { Which: ['macOS', 'BSD'] } }, select([1], 'BSD')],
    [
      'two labels that do not exist',
      BOXES,
      { answers: { Which: ['A', 'B'] } },
      refuse(expect.stringContaining('"A" nor "B"')),
    ],
    ['no label at all', BOXES, { answers: { Which: [] } }, refuse('"Which platforms?" has no answer')],
    ['one answer to several questions', SEVERAL, { choice: 1 }, refuse(expect.stringContaining('asks 2 questions'))],
    [
      'no answer to a question whose text is the name of a part of every object',
      question('question', part('constructor', ['A', 'B'])),
      { answers: {} },
      refuse('The question "constructor" has no answer'),
    ],
    [
      'answers to some of several questions',
      SEVERAL,
      { answers: { Language: 'Go' } },
      refuse('The question "Platforms then?" has no answer'),
    ],
    [
      "an answer to another tool's question",
      SEVERAL,
      { answers: { Colour: 'red' } },
      refuse('The dialog has no question with the text "Colour"'),
    ],
    [
      'answers to several questions, by header and by text, words on a tab that is not drawn yet',
      SEVERAL,
      { answers: { 'Language now?': 'rust', Platforms: ['Linux', 'BSD'] } },
      {
        kind: 'select',
        parts: [
          { options: [1], text: null },
          { options: [0], text: 'BSD' },
        ],
        remark: null,
      },
    ],
    ['a text to a question in words', CLOSING, { text: 'Go on' }, { kind: 'prompt', text: 'Go on' }],
    [
      'no with a remark to a question in words',
      CLOSING,
      { choice: 'no', text: 'later' },
      { kind: 'prompt', text: 'No, later' },
    ],
    ['a number to a question in words', CLOSING, { choice: 1 }, refuse(expect.stringContaining('no options'))],
  ])('%s', (_, asked, answer, plan) => {
    expect(planAnswer(asked, answer)).toEqual(plan);
  });
});

test('an option of the model that begins like the text field is not a text field', () => {
  const asked = question('question', part('Which?', ['Other databases', 'None', 'Type something.']));
  expect(planAnswer(asked, { text: 'Other databases' })).toEqual(select([0]));
  expect(planAnswer(asked, { text: 'MySQL' })).toEqual(select([], 'MySQL'));
});
