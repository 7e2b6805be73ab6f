import { expect, test } from 'vitest';
import { readOutcome } from '../../src/cli/turn-outcome.ts';
import type { Caller } from '../../src/client/index.ts';
import type { Delivery, Explanation, Status } from '../../src/protocol/index.ts';
import { explanationOf } from '../harness/memory-past.ts';
import { SINCE, someSession } from '../harness/some-session.ts';

const session = someSession('AUTH');
const sent: Delivery = {
  id: 'd1',
  session: 'AUTH',
  text: 'go on',
  status: 'delivered',
  created_at: SINCE,
  updated_at: SINCE,
  removed: 0,
  note: null,
};
const ready: Status = { ...session.status, primary: 'idle', detail: 'waiting_input' };
const because = {
  source: 'screen',
  rule: 'screen.prompt.error-colour',
  evidence: 'Operation stopped by hook',
} as const;

/** Explains a session whose hooks reported the prompt, and nothing after it. */
function afterPrompt(status: Status): Explanation {
  const explanation = explanationOf({ ...session, status });
  const prompt = { at: SINCE, text: sent.text };
  const hooks = { last_at: SINCE, started: null, prompt, tools: [], tool_ended_at: null, turn_end: null };
  return { ...explanation, evidence: { ...explanation.evidence, hooks: { ...hooks, compacting_since: null } } };
}

test('a turn that CBOS is interrupting has not answered, although a hook reported its end before the Esc', async () => {
  const deliveries: Delivery[] = [
    { ...sent, phase: 'interrupting' },
    { ...sent, phase: 'interrupting' },
  ];
  const seen = afterPrompt(ready);
  const turn_end = { at: SINCE, event: 'Stop', error: null, message: 'Hello!' };
  const explained = {
    ...seen,
    evidence: { ...seen.evidence, hooks: seen.evidence.hooks && { ...seen.evidence.hooks, turn_end } },
  };
  const call = async (name: string): Promise<unknown> =>
    name === 'getDelivery' ? (deliveries.shift() ?? { ...sent, phase: 'interrupted' }) : explained;
  const ended = { before: null, session: { ...session, status: ready }, sent, delivery: sent };
  expect(await readOutcome({ call } as unknown as Caller, ended)).toMatchObject({
    kind: 'failed',
    why: 'The turn of AUTH was interrupted',
  });
});

test('a session that looked ready before it showed an error has not answered', async () => {
  const statuses: Status[] = [ready, { ...ready, primary: 'active', detail: 'thinking' }];
  const call = async (name: string): Promise<unknown> =>
    name === 'getDelivery' ? sent : afterPrompt(statuses.shift() ?? { ...ready, detail: 'error', because });
  const ended = { before: null, session: { ...session, status: ready }, sent, delivery: sent };
  expect(await readOutcome({ call } as unknown as Caller, ended)).toEqual({
    kind: 'failed',
    text: '',
    why: 'The turn of AUTH failed: Operation stopped by hook',
  });
});
