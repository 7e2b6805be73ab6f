import type { ParkingRefusal } from '../protocol/index.ts';

/** Says why a session cannot be parked and what the user can do about it. `SLUG` is replaced by the session's name. */
const REFUSALS: Readonly<Record<ParkingRefusal, readonly [message: string, cure: string]>> = {
  not_launched: [
    'another program started it, so CBOS does not know how to wake it',
    'Run `cbos stop SLUG`, then `cbos restart SLUG`; after that, it can be parked',
  ],
  working: ['a turn is running, or a prompt is on its way', '`cbos wait SLUG` waits until the turn ends'],
  asking: ['it is asking something, and the question would be lost', 'Answer it first with `cbos answer SLUG`'],
  unknown: ['CBOS cannot tell what it is doing', '`cbos explain SLUG` shows why'],
  attached: ['somebody is attached to its terminal', 'Detach that terminal first (Ctrl-A d)'],
  draft: ['its prompt contains text that has not been sent', 'Send or clear that text first (`cbos attach SLUG`)'],
  covered: [
    'something covers its prompt, and may hide text that has not been sent',
    'Close the cover first (`cbos attach SLUG`)',
  ],
  unread: ['it has not read the typed text yet', '`cbos attach SLUG` shows what it is doing'],
  queued: ['prompts for it are queued and will be sent next', '`cbos queue SLUG` shows them'],
  background: [
    'it is running commands, agents or schedules in the background, which would end',
    'Wait until they end, or stop everything with `cbos stop SLUG`',
  ],
  no_conversation: [
    'Claude Code has not saved its conversation, so the session could not wake again',
    '`cbos stop SLUG` stops it',
  ],
};

export function parkingRefusalWords(why: ParkingRefusal, slug: string): { message: string; hint: string } {
  const [message, cure] = REFUSALS[why];
  return { message: `${slug} is not parked: ${message}`, hint: cure.replaceAll('SLUG', slug) };
}
