import type { ParkingRefusal } from '../protocol/index.ts';

/** Why a session is not parked, and what a person can do about it. `SLUG` is replaced by the session's name. */
const REFUSALS: Readonly<Record<ParkingRefusal, readonly [message: string, cure: string]>> = {
  not_launched: [
    'another program started it, so CBOS does not know how to bring it back',
    '`cbos stop SLUG`, then `cbos restart SLUG`: from then on it can be parked',
  ],
  working: ['a turn is running, or a text is on its way', '`cbos wait SLUG` waits for its end'],
  asking: ['it asks something, and the question would be lost', '`cbos answer SLUG` answers it first'],
  unknown: ['CBOS does not know what it is doing', '`cbos explain SLUG` says why'],
  attached: ['a person is attached to its terminal', 'Detach there first (Ctrl-A d)'],
  draft: ['an unsent text is in its prompt', 'Send or clear it there first (`cbos attach SLUG`)'],
  covered: ['something covers its prompt, and may hide a text', 'Close it there first (`cbos attach SLUG`)'],
  unread: ['it has not yet read what was typed', '`cbos attach SLUG` shows what it is doing'],
  queued: ['texts are waiting for it and are sent next', '`cbos queue SLUG` shows them'],
  background: [
    'its commands, agents or schedules run in the background and would end',
    'Let them end first, or `cbos stop SLUG` ends everything',
  ],
  no_conversation: [
    'Claude Code has not saved its conversation, so it could not come back',
    '`cbos stop SLUG` ends it',
  ],
};

export function parkingRefusalWords(why: ParkingRefusal, slug: string): { message: string; hint: string } {
  const [message, cure] = REFUSALS[why];
  return { message: `${slug} is not parked: ${message}`, hint: cure.replaceAll('SLUG', slug) };
}
