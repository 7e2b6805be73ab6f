import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runOnWaiting } from '../../../src/platform/notify/on-waiting.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld } from '../../harness/world.ts';

test.each([
  ['a NUL and escape sequences', 'Allow\u0000 it\u001b]52;c;eA==\u0007?\r', 'Allow it?\n'],
  ['more than a variable can hold', 'x'.repeat(300_000), 'x'.repeat(4_000)],
  ['nothing', '', ''],
])('the command runs for a question with %s', async (_what, question, given) => {
  await using world = createWorld();
  const told = join(world.dir, 'told');
  const faults: string[] = [];
  runOnWaiting({
    command: `printf %s "$CBOS_QUESTION" > ${told}.new && mv ${told}.new ${told}`,
    environment: world.env,
    notice: { slug: 'ASKS', state: 'waiting', detail: 'waiting/question', question },
    onFault: (message) => faults.push(message),
  });
  await waitFor(() => existsSync(told), { describe: 'the command has run', actual: () => faults });
  expect(readFileSync(told, 'utf8')).toBe(given);
  expect(faults).toEqual([]);
});

test('a command that cannot be started is reported, and does no other harm', () => {
  const faults: string[] = [];
  runOnWaiting({
    command: 'true',
    environment: { BROKEN: 'a\u0000b' },
    notice: { slug: 'ASKS', state: 'waiting', detail: 'waiting/question', question: '' },
    onFault: (message) => faults.push(message),
  });
  expect(faults).toEqual([expect.stringMatching(/^the on_waiting command did not start: /)]);
});
