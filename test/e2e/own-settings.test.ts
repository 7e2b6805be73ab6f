import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

const REASON = 'This touches production. Ask Ada first, because the whole reason must reach whoever answers.';
const ASKS = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'ask',
    permissionDecisionReason: REASON,
  },
};

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld();
  const line = join(world.home, 'line.sh');
  const ticks = join(world.home, 'ticks');
  const print = 'printf "%s esc to interrupt\\n  search prompts: none" "$(date +%T)"';
  writeFileSync(line, `#!/bin/sh\ncat >/dev/null\necho >>${ticks}\n${print}\n`, { mode: 0o755 });
  const hook = join(world.home, 'ask.sh');
  writeFileSync(hook, `#!/bin/sh\ncat >/dev/null\ncat <<'END'\n${JSON.stringify(ASKS)}\nEND\n`, { mode: 0o755 });
  const settings = join(world.home, '.claude/settings.json');
  const before = JSON.parse(readFileSync(settings, 'utf8')) as Record<string, unknown>;
  const statusLine = { type: 'command', command: line, refreshInterval: 1 };
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: hook }] }] };
  writeFileSync(settings, JSON.stringify({ ...before, statusLine, hooks }));
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

const ticks = (): number => readFileSync(join(world.home, 'ticks'), 'utf8').length;

async function start(slug: string, type: 'screen' | 'json'): Promise<void> {
  const created = await cbos.call<Session>('POST', '/sessions', { slug, type, path: world.projectDir });
  expect(created.error).toBeNull();
  await cbos.untilStatus(slug, 'idle/ready');
}

test.each(['screen', 'json'] as const)(
  "the reason for which a person's own hook asks is in the question of a %s session, and the command line shows it",
  async (type) => {
    const slug = type.toUpperCase();
    await start(slug, type);
    await cbos.call('POST', `/sessions/${slug}/send`, { text: 'scene:permission' });
    const asked = await cbos.until(slug, ({ status }) => status.question?.reason !== undefined, 'asks with a reason');
    expect(asked.status.question).toMatchObject({ kind: 'permission', reason: REASON });
    const { stdout } = await cbos.cli(['show', slug]);
    expect(stdout.replace(/\s+/g, ' ')).toContain(REASON);
    expect(stdout.split('touches production').length - 1).toBe(1);
    expect((await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 'no' })).error).toBeNull();
    await cbos.until(slug, ({ status }) => status.question === null, 'asks nothing more');
  },
);

test("a person's status line that looks like Claude Code's own line, and ticks, leaves the session idle", async () => {
  await start('TICKS', 'screen');
  await cbos.call('POST', '/sessions/TICKS/send', { text: 'scene:hello' });
  await cbos.untilStatus('TICKS', 'idle/waiting_input');
  const watcher = await cbos.watch();
  const from = ticks();
  await waitFor(() => ticks() >= from + 4, { describe: 'the status line has ticked four times' });
  expect(watcher.statuses('TICKS').filter((status) => !status.startsWith('idle'))).toEqual([]);
  expect((await cbos.session('TICKS')).status.primary).toBe('idle');
  const sent = await cbos.call<Delivery>('POST', '/sessions/TICKS/send', { text: 'scene:hello again' });
  expect(sent.body.status).toBe('delivered');
  watcher.close();
});
