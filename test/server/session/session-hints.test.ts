import { expect, test } from 'vitest';
import { type Delivery, DeliveryStatus, ERRORS, type Question } from '../../../src/protocol/index.ts';
import { type AskingSession, readAnswer } from '../../../src/server/session/open-question.ts';
import { deliveryLine } from '../../../src/text/delivery-text.ts';
import { asking } from '../../harness/some-sessions.ts';

test('what went wrong in a session of either type names no command that only a terminal has', () => {
  expect(ERRORS.not_confirmed.hint).not.toContain('attach');
  for (const status of DeliveryStatus.options) {
    const delivery = { session: 'CI', status, removed: 0, note: null } as Delivery;
    expect(deliveryLine(delivery)).not.toContain('attach');
  }
});

test.each([
  ['screen', /^`cbos attach CI` opens the terminal/],
  ['json', /^`cbos answer CI no` refuses it; then `cbos attach CI`/],
] as const)('the cure for a request that is too long to be allowed here works in a %s session', (type, cure) => {
  const question = { ...asking().status?.question, cut: true } as Question;
  const session = { slug: 'CI', record: { type } } as AskingSession;
  const read = () => readAnswer(session, question, { choice: 'yes' });
  expect(read).toThrow(expect.objectContaining({ code: 'not_shown_whole', hint: expect.stringMatching(cure) }));
});
