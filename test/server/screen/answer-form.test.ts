import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_THRESHOLDS, observeScreen } from '../../../src/core/status/index.ts';
import { answerForm } from '../../../src/server/screen/answer-form.ts';
import type { SessionActor } from '../../../src/server/session/actor.ts';
import { createSessionStatus } from '../../../src/server/session/session-status.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

/** Answers a form whose hook no longer waits, and returns the error and the questions that are open then. */
async function answerLate({ attached }: { attached: boolean }) {
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
  const actor = {
    ...{ slug: 'FORMS', record: { adopted: true }, status, target: {} },
    isDead: () => false,
    view: () => ({ attached }),
    deps: { waits: { reply: async () => false } },
    intake: { forgetWait: status.forgetWait },
  };
  const plan = { kind: 'form', action: 'cancel' } as const;
  const answer = answerForm(actor as unknown as SessionActor, question, plan);
  await expect(answer).rejects.toMatchObject({ code: 'stale_question' });
  return status.memory().questions.map(({ form }) => form?.at_terminal);
}

test('a form whose hook was ended for a person at the terminal stays open there after a late answer', async () => {
  expect(await answerLate({ attached: true })).toEqual([true]);
});

test('a form whose hook is gone is closed after a late answer', async () => {
  expect(await answerLate({ attached: false })).toEqual([]);
});
