import { describe, expect, test } from 'vitest';
import { derive, type HookEvidence, NO_HOOKS, observeHook } from '../../../src/core/status/index.ts';
import { readFormDialog } from '../../../src/core/status/screen/form-dialog.ts';
import { frame } from './evidence-maker.ts';

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
