import { expect, test } from 'vitest';
import { type ParkingSeen, whyNotParked } from '../../../src/core/parking/refusal.ts';
import { PARKING_REFUSALS, type ParkingRefusal } from '../../../src/protocol/index.ts';
import { parkingRefusalWords } from '../../../src/text/parking-words.ts';
import { DeliveryScene, type Shown } from '../../harness/delivery-scene.ts';

/** Returns a session that may be parked, except for the given differences. */
function seen(shown: Partial<Shown> = {}, more: Partial<ParkingSeen> = {}, queued = false): ParkingSeen {
  const scene = new DeliveryScene();
  scene.shown = { ...scene.shown, ...shown };
  if (queued) scene.add('a');
  return { prompt: scene.see(), attached: false, hasTools: false, hasConversation: true, registry: 'idle', ...more };
}

const withPrompt = (more: Partial<ParkingSeen['prompt']>): ParkingSeen => ({
  ...seen(),
  prompt: { ...seen().prompt, ...more },
});

test('a session that is done, with nothing in its prompt, may be parked', () => {
  expect(whyNotParked(seen())).toBeNull();
  // A closing question is no reason, because the conversation keeps it.
  expect(whyNotParked(seen({ primary: 'waiting' }))).toBeNull();
  // Texts in a paused queue wait for a person anyway, so they are no reason either.
  expect(whyNotParked(seen({ isQueueStopped: true }, {}, true))).toBeNull();
});

const CASES: readonly (readonly [ParkingRefusal, ParkingSeen])[] = [
  ['not_launched', withPrompt({ isLaunched: false })],
  ['not_launched', withPrompt({ isAdopted: false })],
  ['working', seen({ primary: 'active' })],
  ['asking', withPrompt({ status: { ...seen().prompt.status, primary: 'waiting', question: null } })],
  ['unknown', withPrompt({ status: { ...seen().prompt.status, primary: null } })],
  ['attached', seen({}, { attached: true })],
  ['unread', seen({ isUnread: true })],
  ['covered', seen({ cover: 'transcript' })],
  ['covered', withPrompt({ screen: null })],
  ['draft', seen({ draft: 'half a text' })],
  ['queued', seen({}, {}, true)],
  ['background', seen({}, { hasTools: true })],
  ['background', seen({}, { registry: 'shell' })],
  ['background', withPrompt({ hooks: { ...seen().prompt.hooks, background: 1 } })],
  ['no_conversation', seen({}, { hasConversation: false })],
];

test.each(CASES)('refused as %s', (why, refused) => {
  expect(whyNotParked(refused)).toBe(why);
});

test('each refusal is tested above, and has its own words and cure', () => {
  expect(new Set(CASES.map(([why]) => why))).toEqual(new Set(PARKING_REFUSALS));
  const words = PARKING_REFUSALS.map((why) => parkingRefusalWords(why, 'AUTH'));
  expect(new Set(words.map(({ message }) => message)).size).toBe(PARKING_REFUSALS.length);
  for (const { message, hint } of words) expect(`${message} ${hint}`).not.toContain('SLUG');
});
