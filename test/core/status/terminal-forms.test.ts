import { describe, expect, test } from 'vitest';
import {
  advanceStatus,
  DEFAULT_THRESHOLDS,
  derive,
  forgetWait,
  type HookEvidence,
  moveEvidence,
  NO_HOOKS,
  observeHook,
  type StatusMemory,
  seeForms,
} from '../../../src/core/status/index.ts';
import { readFormDialog } from '../../../src/core/status/screen/form-dialog.ts';
import { evidenceOf, FRAMES, frame, screenOf } from './evidence-maker.ts';

const RULE = '─'.repeat(80);
const hook = (event: string, at: number, payload: object = {}, wait: string | null = null) => ({
  ...{ event, at, payload: { ...payload }, wait },
});
const elicitation = (at: number, wait: string | null) =>
  hook('Elicitation', at, { mcp_server_name: 'deploy', message: 'Where?', mode: 'form', requested_schema: {} }, wait);
const address = (at: number, wait: string | null, server = 'deploy') =>
  hook(
    'Elicitation',
    at,
    { mcp_server_name: server, message: 'Where?', mode: 'url', url: 'https://example.com' },
    wait,
  );
/** What Claude Code reports when the dialog of a form is closed. */
const result = (at: number, action: string, mode = 'form', server = 'deploy') =>
  hook('ElicitationResult', at, { mcp_server_name: server, mode, action });
/** What Claude Code reports after the end of a form. */
const ended = (at: number, server = 'deploy') => {
  const message = `Elicitation response for server "${server}": cancel`;
  return hook('Notification', at, { notification_type: 'elicitation_response', message });
};
const hooksOf = (...events: ReturnType<typeof hook>[]): HookEvidence => events.reduce(observeHook, NO_HOOKS);
const verdict = (hooks: HookEvidence) =>
  derive({ process: null, screen: null, hooks, registry: null }, (hooks.lastAt ?? 0) + 1);
const PROMPT = hook('UserPromptSubmit', 1, { prompt: 'go' });

const dialog = (head: string, buttons: string) =>
  frame([
    RULE,
    `  MCP server “deploy” ${head}`,
    '',
    '  Where?',
    '',
    `  ❯ ${buttons}`,
    '',
    '  Esc to cancel · ←/→ to switch',
  ]);
const ACCEPTED = dialog('— waiting for completion', 'Reopen URL    Skip confirmation');
const ASKING = dialog('requests your input', 'Accept    Decline');

describe('the dialog of a form', () => {
  test('is read as a form: its fields are no options', () => {
    const lines = [
      ...['● Calling deploy…', RULE, '  MCP server “deploy” requests your input', ''],
      ...['  Where should it go,', '  and when?', '', '  ❯ * Environment: ▸ not set', '', '    Accept    Decline', ''],
      '  Esc to cancel · ↑/↓ to navigate · Backspace to unset · → to expand',
    ];
    expect(readFormDialog(frame(lines))).toMatchObject({
      kind: 'form',
      form: { mode: 'form', server: 'deploy' },
      parts: [{ text: 'Where should it go, and when?', options: [] }],
    });
  });

  test('with an address is one as well', () => {
    const lines = [RULE, '  MCP server “el” wants to open a URL', '', '  Sign in', '', '  https://example.com', ''];
    const keys = ['  ❯ Accept    Decline', '', '  Esc to cancel · ←/→ to switch'];
    expect(readFormDialog(frame([...lines, ...keys]))?.form).toEqual({ mode: 'url', server: 'el' });
  });

  test('whose address was accepted waits for its server', () => {
    expect(readFormDialog(ACCEPTED)?.form).toEqual({ mode: 'url', server: 'deploy', accepted: true });
  });

  test('that is taller than the window is recognized by its keys', () => {
    const lines = [
      '    count: 2',
      '',
      '  ❯ note: not set',
      '',
      '  Esc to cancel · ↑/↓ to navigate · Backspace to unset',
    ];
    expect(readFormDialog(frame(lines))).toMatchObject({ kind: 'form', form: { server: null } });
  });

  test('is not seen in a permission dialog that quotes it', () => {
    const lines = [
      RULE,
      ' Bash command',
      '',
      '   echo "MCP server “el” requests your input"',
      '',
      ' ❯ 1. Yes',
      '   2. No',
    ];
    expect(readFormDialog(frame([...lines, '', ' Esc to cancel']))).toBeNull();
  });
});

describe('the hook of a form', () => {
  test('asks while it waits, whatever else looks as if the turn ran', () => {
    const { primary, detail, question, because } = verdict(hooksOf(PROMPT, elicitation(2, 'w1')));
    expect({ primary, detail }).toEqual({ primary: 'waiting', detail: 'question' });
    expect(question).toMatchObject({ kind: 'form', text: 'Where?', form: { server: 'deploy' } });
    expect(question?.form).not.toHaveProperty('left');
    expect(because).toMatchObject({ source: 'hook', rule: 'hook.Elicitation', evidence: 'MCP server deploy: Where?' });
  });

  test('asks after the turn as well, and the form says so', () => {
    const { question } = verdict(hooksOf(PROMPT, elicitation(2, 'w1'), hook('Stop', 3)));
    expect(question).toMatchObject({ kind: 'form', form: { left: true } });
  });

  test('knows when the calls of its server have ended, also while the turn runs', () => {
    const call = (event: string, at: number, id: string, tool = 'mcp__deploy__ask') =>
      hook(event, at, { tool_name: tool, tool_input: {}, tool_use_id: id });
    const asked = [PROMPT, call('PreToolUse', 2, 't1'), call('PreToolUse', 2, 't2'), elicitation(3, 'w1')];
    const isOver = (...more: ReturnType<typeof hook>[]) =>
      verdict(hooksOf(...asked, ...more)).question?.form?.call_over;
    expect(isOver()).toBeUndefined();
    expect(isOver(call('PostToolUse', 4, 't0'), call('PostToolUse', 4, 't1'))).toBeUndefined();
    expect(isOver(call('PostToolUse', 4, 't1'), call('PostToolUseFailure', 5, 't2'))).toBe(true);
    expect(verdict(hooksOf(PROMPT, elicitation(3, 'w1'), call('PostToolUse', 4, 't1'))).question?.form).toEqual(
      expect.not.objectContaining({ call_over: true }),
    );
  });

  test('asks beside a permission request of an agent', () => {
    const permission = hook('PermissionRequest', 3, { tool_name: 'Bash', tool_input: {}, agent_id: 'a1' });
    const { questions } = verdict(hooksOf(PROMPT, elicitation(2, 'w1'), permission));
    expect(questions.map(({ kind }) => kind)).toEqual(['permission', 'form']);
  });

  test('asks once if it is reported twice, and each of two hooks asks', () => {
    const { questions } = verdict(hooksOf(PROMPT, elicitation(2, 'w1'), elicitation(2, 'w1'), elicitation(3, 'w2')));
    expect(new Set(questions.map(({ id }) => id)).size).toBe(2);
    expect(questions).toHaveLength(2);
  });

  test('asks in the terminal if it does not wait', () => {
    const { primary, question } = verdict(hooksOf(PROMPT, elicitation(2, null)));
    expect({ primary, question }).toMatchObject({ primary: 'waiting', question: { form: { at_terminal: true } } });
  });
});

describe('a form that its server cancels while its hook waits', () => {
  const questionsOf = (hooks: HookEvidence): number => verdict(hooks).questions.length;

  test('is closed when a person attaches, because no dialog follows', () => {
    const told = hooksOf(PROMPT, elicitation(2, 'w1'), ended(3));
    expect(questionsOf(told)).toBe(1);
    expect(questionsOf(forgetWait(told, 'w1', { to: 'terminal', at: 4 }))).toBe(0);
  });

  test('is the one whose hook is gone, and the other form of its server stays open in the terminal', () => {
    const told = hooksOf(PROMPT, elicitation(2, 'w1'), elicitation(3, 'w2'), ended(4));
    const gone = forgetWait(told, 'w2', { to: 'gone', at: 5 });
    const left = verdict(forgetWait(gone, 'w1', { to: 'terminal', at: 6 })).questions;
    expect(left.map(({ form }) => form?.at_terminal)).toEqual([true]);
  });
});

describe('a form in the terminal beside which the turn runs on', () => {
  const CALL = { tool_name: 'mcp__deploy__ask', tool_use_id: 'ask', tool_input: {} };
  const READ = { tool_name: 'Read', tool_use_id: 'read', tool_input: {} };
  const asked = [PROMPT, hook('PreToolUse', 2, CALL), elicitation(3, null)];
  /** The dialog is drawn at 1,000, and the last hook is newer: what it reports is not drawn yet. */
  const accepted = [PROMPT, hook('PreToolUse', 2, CALL), address(3, null), result(1_050, 'accept', 'url')];
  const seen = (shown: typeof ACCEPTED, ...hooks: ReturnType<typeof hook>[]) => {
    const before = shown === ACCEPTED ? accepted : asked;
    const evidence = evidenceOf({ hooks: hooksOf(...before, ...hooks), screen: screenOf([1_000, shown]) });
    const { primary, detail, question } = derive(evidence, 1_300);
    return `${primary}/${detail} ${question?.kind ?? null} ${question?.form?.accepted ?? false}`;
  };
  const answered = hook('PostToolUse', 1_100, CALL);

  test.each([
    ['the call of the server ends', [answered]],
    ['another call begins', [answered, hook('PreToolUse', 1_200, READ)]],
    ['another call ends', [answered, hook('PreToolUse', 1_150, READ), hook('PostToolUse', 1_200, READ)]],
    ['the turn ends', [answered, hook('Stop', 1_200)]],
  ])('waits for the server after its address was accepted, also while %s', (_, hooks) => {
    expect(seen(ACCEPTED, ...hooks)).toBe('waiting/question form true');
  });

  test('stays open if another call begins', () => {
    expect(seen(ASKING, hook('PreToolUse', 1_100, READ))).toBe('waiting/question form false');
  });

  test('is answered if its own call ends, although its dialog is still drawn', () => {
    expect(seen(ASKING, result(1_050, 'accept'), answered)).toBe('active/thinking null false');
  });
});

describe('an agent that asks for permission beside a form in the terminal', () => {
  const BASH = { tool_name: 'Bash', tool_input: { command: 'make' }, agent_id: 'a1', agent_type: 'general-purpose' };
  const CALL = { tool_name: 'mcp__deploy__ask', tool_use_id: 'ask', tool_input: {} };
  const permission = frame([
    '❯ go',
    RULE,
    ' Bash command',
    ' make',
    ' Do you want to proceed?',
    ' ❯ 1. Yes',
    '   2. No',
  ]);
  const asks = (shown: typeof ACCEPTED, ...hooks: ReturnType<typeof hook>[]): string[] => {
    const evidence = evidenceOf({ hooks: hooksOf(PROMPT, ...hooks), screen: screenOf([1_000, shown]) });
    return derive(evidence, 3_000).questions.map(({ kind, behind = false }) => `${kind}${behind ? ' behind' : ''}`);
  };

  test.each([
    ['is open', ASKING, [elicitation(900, null)]],
    ['was accepted', ACCEPTED, [address(900, null), result(1_000, 'accept', 'url')]],
  ])('is an open question behind the form, which %s', (_, shown, form) => {
    expect(asks(shown, ...form, hook('PermissionRequest', 2_000, BASH))).toEqual(['form', 'permission behind']);
    // The dialogs of the two requests race for the screen.
    expect(asks(shown, ...form, hook('PermissionRequest', 950, BASH))).toEqual(['form', 'permission behind']);
  });

  test('has been answered if its dialog was shown before the form, and else waits behind the form', () => {
    const asked = hook('PermissionRequest', 400, BASH);
    const form = [address(900, null), result(1_000, 'accept', 'url')];
    expect(asks(ACCEPTED, asked, ...form)).toEqual(['form', 'permission behind']);
    const step = (before: StatusMemory | null, now: number, shown: typeof ACCEPTED, ...hooks: (typeof asked)[]) => {
      const evidence = evidenceOf({ hooks: hooksOf(PROMPT, ...hooks), screen: screenOf([now - 100, shown]) });
      return advanceStatus(before, { evidence, now, thresholds: DEFAULT_THRESHOLDS }).memory;
    };
    const before = step(null, 800, permission, asked);
    expect(before.questions.map(({ kind }) => kind)).toEqual(['permission']);
    expect(step(before, 1_200, ACCEPTED, asked, ...form).questions.map(({ kind }) => kind)).toEqual(['form']);
  });

  test('hides a form whose server asks after it, and which the terminal shows next', () => {
    const asked = [hook('PermissionRequest', 900, BASH), hook('PreToolUse', 1_900, CALL), elicitation(2_000, null)];
    expect(asks(permission, ...asked)).toEqual(['permission', 'form behind']);
    // Claude Code shows the dialog also after a call that its server has ended without a word (2.1.330).
    expect(asks(permission, ...asked, hook('PostToolUse', 2_500, CALL))).toEqual(['permission', 'form behind']);
    expect(asks(permission, ...asked, ended(2_500))).toEqual(['permission']);
  });

  test('hides no form that was closed before its dialog opened, although its server still works', () => {
    const asked = [hook('PermissionRequest', 900, BASH), hook('PreToolUse', 1_900, CALL), elicitation(2_000, 'w1')];
    const waiting = hooksOf(PROMPT, ...asked);
    const kinds = (hooks: HookEvidence): string[] => {
      const evidence = evidenceOf({ hooks, screen: screenOf([1_000, permission]) });
      return derive(evidence, 3_000).questions.map(({ kind, behind = false }) => `${kind}${behind ? ' behind' : ''}`);
    };
    expect(kinds(waiting)).toEqual(['permission', 'form']);
    expect(kinds(forgetWait(waiting, 'w1', { to: 'terminal', at: 2_100 }))).toEqual(['permission', 'form behind']);
    const closed = forgetWait(waiting, 'w1', { to: 'gone', at: 2_100 });
    expect(kinds(closed)).toEqual(['permission']);
    expect(kinds(observeHook(closed, elicitation(2_000, 'w1')))).toEqual(['permission']);
  });
});

describe('several forms in the terminal', () => {
  const asked = (at: number, message: string, server = 'deploy') =>
    hook('Elicitation', at, { mcp_server_name: server, message, mode: 'form', requested_schema: {} });
  const shows = (message: string, server = 'deploy') =>
    frame([
      ...[RULE, `  MCP server “${server}” requests your input`, '', `  ${message}`, '', '  ❯ Accept    Decline', ''],
      '  Esc to cancel · ←/→ to switch',
    ]);
  type Frames = readonly [at: number, shown: ReturnType<typeof frame>][];
  const open = (frames: Frames, events: ReturnType<typeof hook>[], now = 5_000): string[] => {
    const evidence = evidenceOf({ hooks: hooksOf(PROMPT, ...events), screen: screenOf(...frames) });
    return derive(evidence, now).questions.map(({ text, behind = false }) => `${text}${behind ? ' behind' : ''}`);
  };
  const A = asked(900, 'First?');
  const B = asked(1_100, 'Second?', 'other');

  test('are all open, and the terminal shows the first of them', () => {
    expect(open([[1_000, shows('First?')]], [A, B])).toEqual(['First?', 'Second? behind']);
    expect(open([[1_000, shows('First?')]], [A, B, asked(1_200, 'Third?')])).toEqual([
      ...['First?', 'Second? behind', 'Third? behind'],
    ]);
  });

  test('are open before a dialog is drawn and between two dialogs, until the prompt has been visible for a while', () => {
    const { thinking } = FRAMES;
    expect(open([[800, thinking]], [A, B], 1_200)).toEqual(['First?', 'Second? behind']);
    const closed = [A, B, result(2_000, 'cancel'), ended(2_100)];
    const frames: Frames = [
      [1_000, shows('First?')],
      [2_000, thinking],
    ];
    expect(open(frames, closed, 2_200)).toEqual(['Second?']);
    expect(open(frames, closed, 4_100)).toEqual([]);
    // Another dialog that opens later does not bring the form back.
    expect(open([...frames, [4_500, shows('Other?')]], closed, 5_000)).toEqual(['Other?']);
    // A dialog that opens sooner may have come first.
    expect(open([...frames, [3_000, shows('Other?')]], closed, 5_000)).toEqual(['Other?', 'Second? behind']);
  });

  test.each([
    ['the one that is shown', [result(2_000, 'cancel'), ended(2_100)], 'Second?', ['Second?']],
    ['one behind, by its server', [ended(2_000, 'other')], 'First?', ['First?']],
    ['both, by their servers', [ended(2_000), ended(2_100, 'other')], null, []],
    ['one that a late report names', [ended(1_050, 'other')], 'First?', ['First?', 'Second? behind']],
  ])('of different servers are closed one by one: %s', (_, ends, shown, left) => {
    const next = shown === null ? FRAMES.thinking : shows(shown, shown === 'First?' ? 'deploy' : 'other');
    expect(
      open(
        [
          [1_000, shows('First?')],
          [2_200, next],
        ],
        [A, B, ...ends],
      ),
    ).toEqual(left);
  });

  test.each([
    ['is answered', [result(2_000, 'cancel'), ended(2_100)]],
    ['is cancelled by its server', [ended(2_000)]],
  ])('of one server are as many as are open after the first of them %s', (_, ends) => {
    const both = [asked(900, 'First?'), asked(1_100, 'Second?')];
    expect(
      open(
        [
          [1_000, shows('First?')],
          [2_200, shows('Second?')],
        ],
        [...both, ...ends],
      ),
    ).toEqual(['Second?']);
    const three = [...both, asked(1_200, 'Third?')];
    expect(
      open(
        [
          [1_000, shows('First?')],
          [2_200, shows('Second?')],
        ],
        [...three, ...ends],
      ),
    ).toHaveLength(2);
  });

  test('of one server whose dialogs come in another order than their hooks are as many as are open', () => {
    const both = [asked(900, 'First?'), asked(1_100, 'Second?')];
    const ends = [result(2_000, 'cancel'), ended(2_100)];
    expect(
      open(
        [
          [1_000, shows('Second?')],
          [2_200, shows('First?')],
        ],
        [...both, ...ends],
      ),
    ).toEqual(['First?']);
  });

  test('are not confused by a form that a reply has closed, for which no notification comes', () => {
    const waiting = hooksOf(PROMPT, elicitation(900, 'w1'));
    const answered = forgetWait(waiting, 'w1', { to: 'answered', at: 1_000 });
    const hooks = [asked(1_100, 'Second?'), asked(1_200, 'Third?'), ended(2_000)].reduce(observeHook, answered);
    const evidence = evidenceOf({ hooks, screen: screenOf([1_300, shows('Second?')]) });
    expect(derive(evidence, 5_000).questions.map(({ text }) => text)).toEqual(['Second?']);
    const gone = forgetWait(waiting, 'w1', { to: 'gone', at: 1_000 });
    const told = [asked(1_100, 'Second?'), asked(1_200, 'Third?'), ended(2_000)].reduce(observeHook, gone);
    expect(derive({ ...evidence, hooks: told }, 5_000).questions).toHaveLength(2);
  });

  test('are not confused by a form whose end was lost: the notification is about one that is open', () => {
    const screen = screenOf([1_000, FRAMES.thinking]);
    const unshown = seeForms(hooksOf(PROMPT, A), screen, 4_000);
    expect(seeForms(unshown, screen, 4_100)).toBe(unshown);
    const hooks = [asked(4_200, 'Second?'), ended(4_300)].reduce(observeHook, unshown);
    expect(verdict(hooks).questions).toEqual([]);
  });

  test('are closed by the report about a dialog that no screen has shown', () => {
    const gone = forgetWait(hooksOf(PROMPT, elicitation(900, 'w1')), 'w1', { to: 'gone', at: 1_000 });
    const hooks = observeHook(gone, result(1_100, 'cancel'));
    const dialogOpen = screenOf([1_050, frame(ASKING.lines)]);
    expect(seeForms(hooks, dialogOpen, 1_200)).toBe(hooks);
  });

  test('keep their order when the clock is set', () => {
    const evidence = evidenceOf({ hooks: hooksOf(PROMPT, A, B), screen: screenOf([1_000, shows('First?')]) });
    const { questions } = derive(moveEvidence(evidence, 60_000), 65_000);
    expect(questions.map(({ text }) => text)).toEqual(['First?', 'Second?']);
  });
});
