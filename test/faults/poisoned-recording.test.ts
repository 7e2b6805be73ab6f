import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

/** Replaces Claude Code where only its output matters. Prints each file that is named on its input. */
const AGENT = `#!/bin/sh
[ "$1" = --version ] && echo '2.1.329 (Claude Code)' && exit 0
stty -echo
echo ready
while read -r file; do cat "$file"; done
`;
/**
 * No sequence is known that makes xterm.js loop forever. This test therefore plants a loop in the function that
 * xterm.js calls for the characters of a title.
 */
const PLANT = `const make = String.fromCharCode;
String.fromCharCode = (...codes) => {
  if (codes.includes(0xe123)) for (;;);
  return make(...codes);
};`;
const POISON = '\u001b]0;\ue123\u0007';

test('output that would draw forever is set aside: the server continues, starts again, and names the session', async () => {
  await using world = createWorld();
  const at = (name: string): string => join(world.dir, name);
  writeFileSync(at('agent'), AGENT, { mode: 0o700 });
  writeFileSync(at('plant.cjs'), PLANT);
  writeFileSync(at('poison'), POISON);
  writeFileSync(at('hello'), 'hello from next door\n');
  const env = { CBOS_CLAUDE_COMMAND: at('agent'), NODE_OPTIONS: `--require ${at('plant.cjs')}` };
  let cbos = await startCbos(world, env);
  const buffer = async (slug: string): Promise<string> =>
    (await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=50`)).body.buffer;
  const shows = (slug: string, text: string) =>
    waitFor(async () => (await buffer(slug)).includes(text), { describe: `${slug} shows ${text}` });
  const isAside = ({ undrawn_since: since }: Session): boolean => since !== undefined;
  const print = (slug: string, file: string) => cbos.call('POST', `/sessions/${slug}/keys`, { keys: `${at(file)}\r` });

  for (const slug of ['POISONED', 'OTHER']) {
    const { error } = await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
    expect(error).toBeNull();
    await shows(slug, 'ready');
  }
  await print('POISONED', 'poison');
  await cbos.until('POISONED', isAside, 'is set aside');
  await print('OTHER', 'hello');
  await shows('OTHER', 'hello from next door');

  await cbos.stop('SIGKILL');
  cbos = await startCbos(world, env);
  await cbos.until('POISONED', isAside, 'is set aside');
  await shows('OTHER', 'hello from next door');
  expect(isAside(await cbos.session('OTHER'))).toBe(false);
  expect((await cbos.cli(['doctor'])).stdout).toMatch(/POISONED wrote output that CBOS cannot draw quickly enough/);
  expect((await cbos.cli(['show', 'POISONED'])).stdout).toContain('not drawn since');
  expect(readLog(world.cbosHome)).toContain(
    "drawing the session's recording takes too long, so CBOS has set the recording aside",
  );
});

const readLog = (home: string): string => readFileSync(join(home, 'server.log'), 'utf8');
