import { expect, test } from 'vitest';
import { enterDoes } from '../../../src/core/delivery/enter-key.ts';

const file = (...contexts: object[]): string => JSON.stringify({ $schema: 'x', bindings: contexts });

test.each([
  ['no binding of Enter', file({ context: 'Chat', bindings: { 'meta+enter': 'chat:newline' } }), null],
  ['Enter bound to its own action', file({ context: 'Chat', bindings: { enter: 'chat:submit' } }), null],
  ['Enter in another context', file({ context: 'Confirmation', bindings: { enter: 'confirm:no' } }), null],
  ['Enter for a new line', file({ context: 'Chat', bindings: { enter: 'chat:newline' } }), 'chat:newline'],
  [
    'Enter for another key of Claude Code everywhere',
    file({ context: 'Global', bindings: { enter: 'app:toggleTranscript' } }, { context: 'Chat', bindings: {} }),
    'app:toggleTranscript',
  ],
  ['another name of the key', file({ context: 'Chat', bindings: { Return: 'chat:newline' } }), 'chat:newline'],
  ['Enter unbound', file({ context: 'Chat', bindings: { enter: null } }), 'nothing'],
  [
    'a later binding that wins',
    file(
      { context: 'Chat', bindings: { enter: 'chat:newline' } },
      { context: 'Chat', bindings: { enter: 'chat:submit' } },
    ),
    null,
  ],
  ['a file that is not JSON', '{ // keys', null],
  ['a file of another form', '[]', null],
])('%s', (_, text, does) => {
  expect(enterDoes(text)).toBe(does);
});
