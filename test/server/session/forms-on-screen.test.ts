import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_THRESHOLDS, type HookEvidence, observeScreen } from '../../../src/core/status/index.ts';
import { keepEvidence, restoreHooks } from '../../../src/server/session/kept-evidence.ts';
import { createSessionStatus } from '../../../src/server/session/session-status.ts';
import { FRAMES, frame, RULE } from '../../core/status/evidence-maker.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

const DIALOG = frame([
  ...[RULE, '  MCP server “deploy” requests your input', '', '  Where?', '', '  ❯ Accept    Decline', ''],
  '  Esc to cancel · ←/→ to switch',
]);

/** Returns the status of a session in a terminal, and what was stored of its hooks. */
function session({ clock = new ManualClock(), hooks = null as HookEvidence | null } = {}) {
  const stored: unknown[] = [];
  const status = createSessionStatus({
    clock,
    ...{ thresholds: DEFAULT_THRESHOLDS, observe: observeScreen, hooks, movedMs: 0, memory: null, json: undefined },
    onChange: () => undefined,
    onSeenForms: () => stored.push(JSON.parse(JSON.stringify(keepEvidence(status.evidence().hooks, 0, clock)))),
    onShown: () => undefined,
  });
  onTestFinished(() => status.dispose());
  const ask = (wait: string | null): void => {
    const payload = { mcp_server_name: 'deploy', message: 'Where?', mode: 'form', requested_schema: {} };
    status.seeHook({ event: 'UserPromptSubmit', at: clock.now(), payload: { prompt: 'go' } });
    status.seeHook({ event: 'Elicitation', at: clock.now(), payload, wait });
  };
  const draw = (shown: typeof DIALOG, forMs: number): void => {
    status.seeScreen(shown, clock.now());
    clock.advance(forMs);
  };
  const asked = (): string[] =>
    status.memory().questions.map(({ text, behind }) => `${text}${behind ? ' behind' : ''}`);
  return { clock, status, stored, ask, draw, asked };
}

test('a form whose dialog never came stays closed when the screen is lost, and in the next server', () => {
  const { clock, status, stored, ask, draw, asked } = session();
  ask(null);
  draw(FRAMES.thinking, 1_000);
  expect(asked()).toEqual(['Where?']);
  clock.advance(1_500);
  expect(asked()).toEqual([]);
  status.loseScreen();
  expect(asked()).toEqual([]);
  expect(stored).toHaveLength(1);
  const next = session({ clock, hooks: restoreHooks(stored[0], clock).evidence });
  expect(next.asked()).toEqual([]);
});

test.each([
  ['its hook was gone', 'w1'],
  ['its dialog did not come in time', null],
])('a form that was taken for closed because %s is open once its dialog is drawn', (_, wait) => {
  const { status, stored, ask, draw, asked } = session();
  ask(wait);
  if (wait !== null) status.forgetWait(wait, 'gone');
  draw(FRAMES.thinking, 2_500);
  expect(asked()).toEqual([]);
  draw(DIALOG, 500);
  expect(asked()).toEqual(['Where?']);
  expect(stored).not.toEqual([]);
  status.loseScreen();
  expect(asked()).toEqual(['Where?']);
});

test('a form that its server has cancelled is not opened again by the dialog of another one', () => {
  const { clock, status, ask, draw, asked } = session();
  ask('w1');
  status.forgetWait('w1', 'gone');
  const message = 'Elicitation response for server "deploy": cancel';
  const payload = { notification_type: 'elicitation_response', message };
  status.seeHook({ event: 'Notification', at: clock.now(), payload });
  draw(FRAMES.thinking, 1_000);
  draw(DIALOG, 500);
  status.loseScreen();
  expect(asked()).toEqual([]);
});

test('the dialog of a form that was just closed does not open another form whose hook is gone', () => {
  const { clock, status, ask, draw, asked } = session();
  ask('w1');
  status.forgetWait('w1', 'gone');
  clock.advance(100);
  ask(null);
  draw(DIALOG, 500);
  expect(asked()).toEqual(['Where?']);
  const payload = { mcp_server_name: 'deploy', mode: 'form', action: 'cancel' };
  status.seeHook({ event: 'ElicitationResult', at: clock.now(), payload });
  clock.advance(100);
  draw(FRAMES.thinking, 100);
  expect(asked()).toEqual([]);
});
