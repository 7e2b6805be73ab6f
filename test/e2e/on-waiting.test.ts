import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

describe('on_waiting', () => {
  test('runs when a session starts to wait, with slug, state and question in its environment', async () => {
    await using world = await claudeWorld({ agent: 'stand-in' });
    const told = join(world.dir, 'told');
    mkdirSync(world.cbosHome, { mode: 0o700 });
    const command = `printf '%s|%s|%s|%s\\n' "$CBOS_SLUG" "$CBOS_STATE" "$CBOS_DETAIL" "$CBOS_QUESTION" >> ${told}`;
    writeFileSync(join(world.cbosHome, 'config.toml'), `on_waiting = ${JSON.stringify(command)}\n`);
    const cbos = await startCbos(world);
    await cbos.call('POST', '/sessions', {
      slug: 'ASKS',
      type: 'screen',
      path: world.projectDir,
      prompt: 'scene:ask please',
    });
    await cbos.untilStatus('ASKS', 'waiting/question');
    const said = await waitFor(() => existsSync(told) && readFileSync(told, 'utf8'), {
      describe: 'the command has run',
    });
    expect(said).toBe('ASKS|waiting|waiting/question|Which database shall the service use?\n');
  });
});
