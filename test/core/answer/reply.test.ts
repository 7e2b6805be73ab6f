import { describe, expect, test } from 'vitest';
import { planAnswer } from '../../../src/core/answer/answer.ts';
import { type Reply, replyTo } from '../../../src/core/answer/reply.ts';
import { dialogKindOf } from '../../../src/core/status/asked-call.ts';
import { NO_HOOKS, observeHook, type PendingTool } from '../../../src/core/status/index.ts';
import { dialogQuestion } from '../../../src/core/status/question.ts';
import type { Answer, Question } from '../../../src/protocol/index.ts';

const DIRECTORY = { type: 'addDirectories', directories: ['/srv/data'], destination: 'session' };
const EDITS = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
const RULE = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'touch:*' }],
  behavior: 'allow',
  destination: 'localSettings',
};

/** Builds the request of a waiting hook. Such a request comes before anything is drawn. */
function ask(
  name: string,
  input: object,
  suggestions: readonly unknown[] = [],
): { question: Question; tool: PendingTool } {
  const payload = { tool_name: name, tool_input: input, permission_suggestions: suggestions };
  const { tools } = observeHook(NO_HOOKS, { at: 1, event: 'PermissionRequest', payload, wait: 'w' });
  const [tool] = tools;
  if (tool === undefined) throw new Error('the hook reports a call');
  return { tool, question: dialogQuestion({ kind: dialogKindOf(name), dialog: null, tool, openedAt: 1, movedMs: 0 }) };
}

function reply(asked: { question: Question; tool: PendingTool }, answer: Answer, endsTurn = true): Reply | string {
  const plan = planAnswer(asked.question, answer);
  if (plan.kind === 'refuse') return plan.message;
  if (plan.kind === 'prompt' || plan.kind === 'form') throw new Error('a dialog takes no prompt');
  const { input, wait } = asked.tool;
  const given = replyTo({ input, suggestions: wait?.suggestions ?? [] }, asked.question, plan, { endsTurn });
  return 'why' in given ? given.why : given;
}

const labels = ({ question }: { question: Question }) => question.options.map(({ label }) => label);
const said = (text: string) => ({
  behavior: 'deny',
  message: `The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n${text}`,
});

describe('a permission', () => {
  const input = { command: 'touch /srv/data/x' };
  const bash = ask('Bash', input, [DIRECTORY, EDITS]);

  test.each<[string, Answer, unknown]>([
    ['yes', { choice: 'yes' }, { behavior: 'allow', updatedInput: input }],
    ['its number', { choice: 1 }, { behavior: 'allow', updatedInput: input }],
    [
      'always',
      { choice: 'always' },
      { behavior: 'allow', updatedInput: input, updatedPermissions: [DIRECTORY, EDITS] },
    ],
    ['no', { choice: 'no' }, { behavior: 'deny', message: expect.any(String), interrupt: true }],
    ['no and why', { choice: 'no', text: 'use docs/' }, said('use docs/')],
    ['the number of no, and why', { choice: 3, text: 'use docs/' }, said('use docs/')],
    [
      'yes and more',
      { choice: 'yes', text: 'then stop' },
      'An answer of yes cannot include a reply; send the text as a prompt afterwards',
    ],
    ['a number that is too high', { choice: 4 }, 'Option 4 does not exist; the options are 1 to 3'],
  ])('is answered by %s', (_, answer, wanted) => {
    expect(reply(bash, answer)).toEqual(wanted);
  });

  test('names everything that its always allows', () => {
    expect(labels(bash)).toEqual([
      'Yes',
      'Yes, and allow access to /srv/data during this session and allow all edits during this session',
      'No',
    ]);
    expect(labels(ask('Bash', input, [RULE]))[1]).toBe("Yes, and don't ask again for Bash touch:*");
  });

  test.each([
    ['nothing is suggested', []],
    ['a suggestion is of a kind that CBOS cannot describe', [RULE, { type: 'removeRules' }]],
    ['a rule would deny', [{ ...RULE, behavior: 'deny' }]],
    ['all permissions would be skipped', [{ ...EDITS, mode: 'bypassPermissions' }]],
    ['the suggestions are too long to be shown', [{ ...DIRECTORY, directories: ['/srv/'.repeat(1_000)] }]],
  ])('offers no always if %s', (_, suggestions) => {
    const asked = ask('Bash', input, suggestions);
    expect(labels(asked)).toEqual(['Yes', 'No']);
    expect(reply(asked, { choice: 'always' })).toBe('This question has no option that means "always"');
  });

  test('that is refused without a reason does not end the turn of a session without a terminal', () => {
    expect(reply(bash, { choice: 'no' }, false)).toEqual({ behavior: 'deny', message: expect.any(String) });
  });
});

describe('a plan', () => {
  const input = { plan: '# Plan' };
  const plan = ask('ExitPlanMode', input);
  const mode = (name: string) => [{ type: 'setMode', mode: name, destination: 'session' }];

  test.each<[string, Answer, unknown]>([
    ['yes', { choice: 'yes' }, { behavior: 'allow', updatedInput: input, updatedPermissions: mode('default') }],
    [
      'always',
      { choice: 'always' },
      { behavior: 'allow', updatedInput: input, updatedPermissions: mode('acceptEdits') },
    ],
    ['no', { choice: 'no' }, { behavior: 'deny', message: expect.any(String), interrupt: true }],
    ['no and why', { choice: 'no', text: 'shorter' }, said('shorter')],
    ['words', { text: 'shorter' }, said('shorter')],
  ])('is answered by %s', (_, answer, wanted) => {
    expect(reply(plan, answer)).toEqual(wanted);
  });
});

describe('questions of the model', () => {
  const part = (question: string, header: string, multiSelect: boolean, ...names: string[]) => ({
    ...{ question, header, multiSelect },
    options: names.map((label) => ({ label, description: '' })),
  });
  const one = ask('AskUserQuestion', { questions: [part('Which one?', 'One', false, 'A', 'B')] });
  const some = ask('AskUserQuestion', { questions: [part('Which ones?', 'Some', true, 'A', 'B', 'C')] });
  const both = ask('AskUserQuestion', {
    questions: [part('Which one?', 'One', false, 'A', 'B'), part('Which ones?', 'Some', true, 'A', 'B', 'C')],
  });
  const answers = (asked: typeof one, given: Record<string, string>) => ({
    behavior: 'allow',
    updatedInput: { ...(asked.tool.input as object), answers: given },
  });

  test('have all their options from the beginning', () => {
    expect(labels(one)).toEqual(['A', 'B', 'Type something.', 'Chat about this']);
    // The labels are those of the dialog that is drawn later. There, "Type something" has no full stop if several
    // options may be chosen.
    expect(labels(some)).toEqual(['A', 'B', 'C', 'Type something', 'Chat about this']);
    expect(both.question.questions.map(({ options }) => options.length)).toEqual([4, 5]);
  });

  test.each<[string, typeof one, Answer, unknown]>([
    ['a number', one, { choice: 2 }, answers(one, { 'Which one?': 'B' })],
    ['a label', one, { text: 'b' }, answers(one, { 'Which one?': 'B' })],
    ['words', one, { text: 'neither' }, answers(one, { 'Which one?': 'neither' })],
    ['the number of the words', one, { choice: 3, text: 'neither' }, answers(one, { 'Which one?': 'neither' })],
    ['several numbers', some, { choice: [1, 3] }, answers(some, { 'Which ones?': 'A, C' })],
    ['a number and words', some, { choice: [2], text: 'D' }, answers(some, { 'Which ones?': 'B, D' })],
    [
      'their texts and headers',
      both,
      { answers: { 'Which one?': 'A', Some: ['B', 'D'] } },
      answers(both, { 'Which one?': 'A', 'Which ones?': 'B, D' }),
    ],
    ['leaving them', one, { choice: 4 }, { behavior: 'deny', message: expect.stringContaining('wants to clarify') }],
  ])('are answered by %s', (_, asked, answer, wanted) => {
    expect(reply(asked, answer)).toEqual(wanted);
  });
});
