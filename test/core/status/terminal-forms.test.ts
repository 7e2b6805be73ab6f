import { describe, expect, test } from 'vitest';
import { derive, forgetWait, type HookEvidence, NO_HOOKS, observeHook } from '../../../src/core/status/index.ts';
import { readFormDialog } from '../../../src/core/status/screen/form-dialog.ts';
import { evidenceOf, frame, screenOf } from './evidence-maker.ts';

const RULE = '─'.repeat(80);
const hook = (event: string, at: number, payload: object = {}, wait: string | null = null) => ({
  ...{ event, at, payload: { ...payload }, wait },
});
const elicitation = (at: number, wait: string | null) =>
  hook('Elicitation', at, { mcp_server_name: 'deploy', message: 'Where?', mode: 'form', requested_schema: {} }, wait);
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

  test('asks nothing if it does not wait', () => {
    expect(verdict(hooksOf(PROMPT, elicitation(2, null)))).toMatchObject({ primary: 'active', question: null });
  });
});

describe('a form in the terminal beside which the turn runs on', () => {
  const CALL = { tool_name: 'mcp__deploy__ask', tool_use_id: 'ask', tool_input: {} };
  const READ = { tool_name: 'Read', tool_use_id: 'read', tool_input: {} };
  const asked = [PROMPT, hook('PreToolUse', 2, CALL), elicitation(3, null)];
  /** The dialog is drawn at 1,000, and the last hook is newer: what it reports is not drawn yet. */
  const seen = (shown: typeof ACCEPTED, ...hooks: ReturnType<typeof hook>[]) => {
    const evidence = evidenceOf({ hooks: hooksOf(...asked, ...hooks), screen: screenOf([1_000, shown]) });
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
    expect(seen(ASKING, answered)).toBe('active/thinking null false');
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
    ['is open', ASKING],
    ['was accepted', ACCEPTED],
  ])('is an open question behind the form, which %s', (_, shown) => {
    const form = elicitation(900, null);
    expect(asks(shown, form, hook('PermissionRequest', 2_000, BASH))).toEqual(['form', 'permission behind']);
    // The dialogs of the two requests race for the screen.
    expect(asks(shown, form, hook('PermissionRequest', 950, BASH))).toEqual(['form', 'permission behind']);
  });

  test('has been answered if it asked before the form was shown', () => {
    expect(asks(ACCEPTED, hook('PermissionRequest', 400, BASH), elicitation(900, null))).toEqual(['form']);
  });

  test('hides a form whose server asks after it, and which the terminal shows next', () => {
    const asked = [hook('PermissionRequest', 900, BASH), hook('PreToolUse', 1_900, CALL), elicitation(2_000, null)];
    expect(asks(permission, ...asked)).toEqual(['permission', 'form behind']);
    expect(asks(permission, ...asked, hook('PostToolUse', 2_500, CALL))).toEqual(['permission']);
  });

  test('hides no form that was closed before its dialog opened, although its server still works', () => {
    const asked = [hook('PermissionRequest', 900, BASH), hook('PreToolUse', 1_900, CALL), elicitation(2_000, 'w1')];
    const waiting = hooksOf(PROMPT, ...asked);
    const kinds = (hooks: HookEvidence): string[] => {
      const evidence = evidenceOf({ hooks, screen: screenOf([1_000, permission]) });
      return derive(evidence, 3_000).questions.map(({ kind, behind = false }) => `${kind}${behind ? ' behind' : ''}`);
    };
    expect(kinds(waiting)).toEqual(['permission', 'form']);
    expect(kinds(forgetWait(waiting, 'w1', 'terminal'))).toEqual(['permission', 'form behind']);
    expect(kinds(forgetWait(waiting, 'w1'))).toEqual(['permission']);
    expect(kinds(observeHook(forgetWait(waiting, 'w1'), elicitation(2_000, 'w1')))).toEqual(['permission']);
  });
});
