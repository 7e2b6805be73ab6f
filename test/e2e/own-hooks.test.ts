import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import { type Cbos, startCbos, type Watcher } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

/** What the model answers when a Stop hook has blocked the end of its turn. */
const AFTER_BLOCK = 'Now it is complete.';
const answerToBlock: ChooseScene = (prompt) =>
  prompt.includes('not complete yet')
    ? {
        name: 'after-block',
        about: 'an answer after a Stop hook has blocked',
        replies: [{ kind: 'answer', firstByteDelayMs: 300, blocks: [{ kind: 'text', text: AFTER_BLOCK }] }],
      }
    : null;

let world: ClaudeWorld;
let cbos: Cbos;
let watcher: Watcher;
/** contains how many more times the Stop hook blocks */
let blocksLeft: string;

beforeAll(async () => {
  world = await claudeWorld({ choosers: [answerToBlock] });
  blocksLeft = join(world.dir, 'blocks-left');
  blockStops(0);
  writeOwnHooks({ Stop: ownHook('stop', STOP_HOOK) });
  cbos = await startCbos(world);
  watcher = await cbos.watch();
});
afterAll(() => world.dispose());

/** Blocks the end of a turn until the file contains 0, like the loops that users build. */
const STOP_HOOK = `left=$(cat "$HOME/../blocks-left")
[ "$left" -gt 0 ] || exit 0
echo $((left - 1)) >"$HOME/../blocks-left"
echo '{"decision": "block", "reason": "not complete yet"}'`;

const blockStops = (times: number): void => writeFileSync(blocksLeft, String(times));

function ownHook(name: string, script: string): string {
  const file = join(world.dir, `${name}.sh`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

/** Adds hooks to the user's own settings, which CBOS never changes. */
function writeOwnHooks(commands: Readonly<Record<string, string>>): void {
  const file = join(world.home, '.claude', 'settings.json');
  const settings = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const hooks = Object.fromEntries(
    Object.entries(commands).map(([event, command]) => [event, [{ hooks: [{ type: 'command', command }] }]]),
  );
  writeFileSync(file, JSON.stringify({ ...settings, hooks }));
}

async function launch(slug: string, type: 'screen' | 'json'): Promise<void> {
  const body = { slug, type, path: world.projectDir, permission_mode: 'default' };
  expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
  await cbos.untilStatus(slug, 'idle/ready');
}

/** Returns the primaries that a client received since `from`, without repetitions. */
function primariesSince(slug: string, from: number): string[] {
  return watcher.frames
    .slice(from)
    .flatMap((frame) => (frame.type === 'session_state' && frame.session === slug ? [frame.status.primary ?? '?'] : []))
    .filter((word, index, words) => word !== words[index - 1]);
}

describe.each([
  ['in a terminal', 'screen', 'TERMINAL'],
  ['as a JSON session', 'json', 'JSON'],
] as const)("the user's own hooks, %s:", (_, type, slug) => {
  beforeAll(() => launch(slug, type));

  test('a turn that a Stop hook prolongs is done once, with its last answer', async () => {
    blockStops(3);
    const from = watcher.frames.length;
    const sent = await cbos.cli(['send', slug, 'A scene:hello', '--wait']);
    expect(sent).toEqual({ code: 0, stdout: `${AFTER_BLOCK}\n`, stderr: '' });
    expect(readFileSync(blocksLeft, 'utf8').trim()).toBe('0');
    expect(primariesSince(slug, from)).toEqual(['active', 'idle']);
  });

  test('a queued prompt waits until no Stop hook blocks any more', async () => {
    blockStops(2);
    const from = world.promptsReceived().length;
    const prompts = (): string[] => world.promptsReceived().slice(from);
    await cbos.cli(['send', slug, 'B scene:hello']);
    const queued = await cbos.call('POST', `/sessions/${slug}/send`, { text: 'C scene:hello', queue: true });
    expect(queued.error).toBeNull();
    await waitFor(() => prompts().includes('C scene:hello'), { describe: 'the queued prompt is sent' });
    expect(prompts().map((text) => /^[BC] /.exec(text)?.[0] ?? 'blocked')).toEqual(['B ', 'blocked', 'blocked', 'C ']);
    await cbos.untilStatus(slug, 'idle/waiting_input');
  });
});
