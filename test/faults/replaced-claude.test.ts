import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

test('a Claude Code that is replaced under its sessions: running sessions continue, new launches ask for its version, and an unknown screen is unknown, never idle', async () => {
  await using world = await claudeWorld({ agent: 'stand-in' });
  const command = join(world.dir, 'claude');
  symlinkSync(world.claude, command);
  const cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: command });
  const launch = (slug: string) =>
    cbos.call<Session>('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
  expect((await launch('OLD')).error).toBeNull();
  await cbos.untilStatus('OLD', 'idle/ready');

  // Like an update, this puts another program under the same name. It draws something that no rule knows, as a new
  // version may.
  const update = join(world.dir, 'update');
  const says = 'if [ "$1" = --version ]; then echo "9.9.9 (Claude Code)"; exit; fi';
  writeFileSync(
    update,
    `#!/bin/sh\n${says}\nprintf 'Welcome to another world\\r\\n\\r\\n  ⟩ \\r\\n'\nexec sleep 1000\n`,
    {
      mode: 0o755,
    },
  );
  renameSync(update, command);
  const sent = await cbos.call<Delivery>('POST', '/sessions/OLD/send', { text: 'scene:hello still the old one' });
  expect(sent.body.status).toBe('delivered');
  await cbos.untilStatus('OLD', 'idle/waiting_input');

  expect((await launch('NEW')).error).toBeNull();
  expect((await cbos.call('GET', '/sessions/NEW/explain')).body).toMatchObject({ claude_version: '9.9.9' });
  await waitFor(
    async () =>
      (await cbos.call<{ buffer: string }>('GET', '/sessions/NEW/buffer')).body.buffer.includes('another world'),
    { describe: 'it has drawn its screen' },
  );
  // Longer than any threshold for the screen.
  await waitFor(async () => (await cbos.session('NEW')).status.unchanged_ms > 4_000, {
    describe: 'its status has not changed for a while',
  });
  expect(await cbos.session('NEW')).toMatchObject({ state: 'unknown', status: { primary: null, detail: null } });
  expect((await cbos.call('DELETE', '/sessions/NEW')).error).toBeNull();
  expect(world.promptsReceived()).toEqual(['scene:hello still the old one']);
});
