import { expect, test } from 'vitest';
import { hasBegunTurn } from '../../../src/core/delivery/seen.ts';
import { DeliveryScene, type Shown } from '../../harness/delivery-scene.ts';

const text = 'count the tables';
const begun: Partial<Shown> = { primary: 'active' };

test.each<[string, Partial<Shown>, number, boolean]>([
  ['above an empty prompt shows that a text was taken', begun, 0, true],
  ['above a prompt with another text shows it too', { ...begun, draft: 'and then' }, 0, true],
  ['above a prompt with the text does not', { ...begun, draft: text }, 0, false],
  ['above a prompt with the text and more does not', { ...begun, draft: `${text} twice` }, 0, false],
  ['below a transcript does not', { ...begun, cover: 'transcript' }, 0, false],
  ['on a screen that is being drawn does not', { ...begun, cover: 'unknown' }, 0, false],
  ['before the text was typed does not', begun, 1, false],
])('a turn that began %s', (_, shown, typedLaterMs, isTaken) => {
  const scene = new DeliveryScene();
  scene.shown = { ...scene.shown, ...shown };
  const seen = scene.see();
  expect(hasBegunTurn(seen, { text, at: seen.status.since + typedLaterMs })).toBe(isTaken);
});
