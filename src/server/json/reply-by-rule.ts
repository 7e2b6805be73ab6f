import type { JsonRequest } from '../../core/status/index.ts';
import { answerArriving, type RuledQuestion } from '../approval/answer-by-rule.ts';
import type { Approvals } from '../approval/approvals.ts';
import type { SessionActor } from '../session/actor.ts';
import type { Dispose } from '../sessions.ts';
import type { JsonDriver } from './driver.ts';

/** Answers a JSON session's permission requests by the user's approval rules, each request as soon as it arrives. */
export function createJsonRuleReplies(actor: SessionActor, driver: JsonDriver, approvals: Approvals): Dispose {
  let known = new Set<string>();
  return answerArriving(actor, approvals, (arrival) => {
    if (arrival.kind !== 'events') return [];
    const { requests } = arrival.json;
    const added = requests.filter(({ requestId }) => !known.has(requestId));
    known = new Set(requests.map(({ requestId }) => requestId));
    return added.map((request) => questionOf(actor, driver, request));
  });
}

function questionOf(actor: SessionActor, driver: JsonDriver, { requestId }: JsonRequest): RuledQuestion {
  const open = (): JsonRequest | undefined => driver.evidence.requests.find((one) => one.requestId === requestId);
  return {
    id: requestId,
    asked: async () => {
      const request = open();
      if (request === undefined) return null;
      return { tool: request.name, input: request.input, isWhole: request.cut !== true, cwd: null };
    },
    seq: () => actor.deps.events.state(actor.record.id)?.lastSeq ?? null,
    give: async (reply) => {
      if (open() === undefined) return null;
      await driver.answer(requestId, reply);
      return { gone: Promise.resolve(), outcome: async () => 'given' };
    },
  };
}
