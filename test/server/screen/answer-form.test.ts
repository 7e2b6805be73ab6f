import { expect, onTestFinished, test } from 'vitest';
import type { FormPlan } from '../../../src/core/answer/form-answer.ts';
import { DEFAULT_THRESHOLDS, observeScreen } from '../../../src/core/status/index.ts';
import { Emitter } from '../../../src/emitter/emitter.ts';
import { answerForm } from '../../../src/server/screen/answer-form.ts';
import type { ArrivedHook, SessionActor } from '../../../src/server/session/actor.ts';
import { createSessionStatus } from '../../../src/server/session/session-status.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

/** Answers a form whose hook no longer waits, and returns the error and the questions that are open then. */
async function answerLate({ attached }: { attached: boolean }) {
  const { answer, status } = openForm({ attached, isTold: false });
  await expect(answer({ kind: 'form', action: 'cancel' })).rejects.toMatchObject({ code: 'stale_question' });
  return status.memory().questions.map(({ form }) => form?.at_terminal);
}

/** Opens a form whose hook takes an answer or not. `report` reports a hook, and `clock` passes the time. */
function openForm({ attached, isTold }: { attached: boolean; isTold: boolean }) {
  const clock = new ManualClock();
  const status = createSessionStatus({
    clock,
    ...{
      thresholds: DEFAULT_THRESHOLDS,
      observe: observeScreen,
      hooks: null,
      movedMs: 0,
      memory: null,
      json: undefined,
    },
    onChange: () => undefined,
    onSeenForms: () => undefined,
    onShown: () => undefined,
  });
  onTestFinished(() => status.dispose());
  const payload = { mcp_server_name: 'deploy', message: 'Where?', mode: 'form', requested_schema: {} };
  status.seeHook({ event: 'UserPromptSubmit', at: clock.now(), payload: { prompt: 'go' } });
  status.seeHook({ event: 'Elicitation', at: clock.now(), payload, wait: 'w1' });
  const [question] = status.memory().questions;
  if (question === undefined) throw new Error('the form is not open');
  const hooks = new Emitter<[ArrivedHook]>();
  const actor = {
    ...{ slug: 'FORMS', record: { adopted: true }, status, target: {} },
    isDead: () => false,
    view: () => ({ attached }),
    onHook: hooks.on,
    deps: { clock, waits: { reply: async () => isTold } },
    intake: { forgetWait: status.forgetWait },
  };
  const report = (event: string, told: ArrivedHook['payload']): void =>
    hooks.tell({ event, at: clock.now(), payload: told } as ArrivedHook);
  const answer = (plan: FormPlan): Promise<void> => answerForm(actor as unknown as SessionActor, question, plan);
  return { answer, clock, report, status };
}

test.each([
  ['deploy', 'form_left'],
  ['another', null],
])('an answer that a hook takes while %s cancels its request: %s', async (server, expected) => {
  const { answer, clock, report } = openForm({ attached: false, isTold: true });
  const given = answer({ kind: 'form', action: 'accept', content: {} }).then(
    () => null,
    (error: { code: string }) => error.code,
  );
  // The answer is written, and the form is no longer open.
  await new Promise(setImmediate);
  report('Notification', { message: `Elicitation response for server "${server}": cancel` });
  clock.advance(1_000);
  expect(await given).toBe(expected);
});

test('a form whose hook was ended for a person at the terminal stays open there after a late answer', async () => {
  expect(await answerLate({ attached: true })).toEqual([true]);
});

test('a form whose hook is gone is closed after a late answer', async () => {
  expect(await answerLate({ attached: false })).toEqual([]);
});
