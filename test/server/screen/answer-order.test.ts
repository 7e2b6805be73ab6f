import { expect, test } from 'vitest';
import { NO_HOOKS, type StatusMemory } from '../../../src/core/status/index.ts';
import type { Question } from '../../../src/protocol/index.ts';
import { answerByKeys } from '../../../src/server/screen/answer-by-keys.ts';
import { answerByReply } from '../../../src/server/screen/answer-by-reply.ts';
import type { SessionActor } from '../../../src/server/session/actor.ts';
import { asking, someCommand } from '../../harness/some-sessions.ts';

const question = (some: Partial<Question>): Question => asking(some).status?.question as Question;
const DRAWN = question(someCommand('drawn', 'touch two'));
const asked = (first: Question, second: Question): Partial<StatusMemory> => ({
  question: first,
  questions: [first, { ...second, options: [], behind: true }],
  shown: [],
  wait: 'hook of the first question',
});

/** A session whose hooks have reported one dialog first, and in which Claude Code then draws another one. */
function drawsAnother() {
  const named = { ...question(someCommand('named', 'touch one')), options: [] };
  let memory = asked(named, DRAWN);
  const replies: unknown[] = [];
  const status = {
    memory: () => memory,
    evidence: () => ({ hooks: { ...NO_HOOKS, lastAt: 1 }, screen: { readingSince: 0, reading: { dialog: {} } } }),
    until: async (isMet: () => boolean) => {
      memory = asked(DRAWN, named);
      return isMet();
    },
  };
  const actor = {
    ...{ slug: 'AUTH', record: { adopted: true, launchId: 'l', claudeVersion: '2.1.330' }, status },
    isDead: () => false,
    deps: { clock: { now: () => 10_000 }, waits: { asked: async (wait: unknown) => replies.push(wait) } },
  };
  return { actor: actor as unknown as SessionActor, replies };
}

test.each([
  ['is typed into', answerByKeys],
  ['is given to the hook of', answerByReply],
])('no answer %s another dialog than the one it is meant for', async (_, answer) => {
  const { actor, replies } = drawsAnother();
  await expect(answer(actor, 'named', { choice: 'yes' })).rejects.toMatchObject({
    code: 'question_behind',
    hint: expect.stringContaining('--question drawn'),
  });
  expect(replies).toEqual([]);
});
