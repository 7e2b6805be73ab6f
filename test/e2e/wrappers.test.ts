import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { argvOf, processNow } from '../../src/platform/process/index.ts';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { typeAtTerminal } from '../harness/claude-in-screen.ts';
import { waitFor } from '../harness/wait-for.ts';

// A user's own program that starts Claude Code, as `claude_command` names it. WRAPPED_BY in the
// environment of a session names the kind of wrapper. Each wrapper writes the exit code of Claude Code into a file.
const hasPython = spawnSync('python3', ['--version']).status === 0;
const WRAPPERS = (claude: string): Record<string, string> => ({
  claude: `#!/bin/sh
[ "$1" = --version ] && exec '${claude}' "$@"
case "$WRAPPED_BY" in
node) exec '${process.execPath}' "$0.mjs" "$@" ;;
python) exec python3 "$0.py" "$@" ;;
loop) while :; do '${claude}' "$@"; echo $? >>"$ENDS"; set --; echo 'It starts again.'; done ;;
shell) '${claude}' "$@"; echo $? >>"$ENDS"
  until [ -e "$ENDS.seen" ]; do sleep 0.1; done
  PS1='by hand> ' exec sh -i ;;
*) '${claude}' "$@"; echo $? >>"$ENDS" ;;
esac
`,
  'claude.mjs': `import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
const child = spawn('${claude}', process.argv.slice(2), { stdio: 'inherit' });
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => child.kill(name));
child.on('exit', (code) => appendFileSync(process.env.ENDS, \`\${code}\\n\`));
`,
  'claude.py': `import os, subprocess, sys
code = subprocess.call(['${claude}'] + sys.argv[1:])
open(os.environ['ENDS'], 'a').write(f'{code}\\n')
`,
});

let world: ClaudeWorld;
let cbos: Cbos;
let command: string;

beforeAll(async () => {
  world = await claudeWorld();
  command = join(world.dir, 'claude');
  for (const [name, text] of Object.entries(WRAPPERS(world.claude))) {
    writeFileSync(join(world.dir, name), text, { mode: 0o755 });
  }
  cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: command });
});
afterAll(() => world.dispose());

const endsOf = (slug: string): string => join(world.dir, `ends-of-${slug}`);
/** Returns the exit codes of the Claude Code processes that a session's wrapper has started. */
const codesOf = (slug: string): string[] =>
  existsSync(endsOf(slug)) ? readFileSync(endsOf(slug), 'utf8').trim().split('\n') : [];
const create = async (slug: string, wrappedBy: string, type = 'screen'): Promise<void> => {
  const env = { WRAPPED_BY: wrappedBy, ENDS: endsOf(slug) };
  const created = await cbos.call('POST', '/sessions', { slug, type, path: world.projectDir, env });
  expect(created.error).toBeNull();
};
const send = (slug: string, text: string, queue = false) =>
  cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text, ...(queue ? { queue } : {}) });
const isClaude = ({ pid }: Session): boolean => argvOf(pid ?? 0)[0] === world.claude;
const untilReceived = (text: string) =>
  waitFor(() => world.promptsReceived().includes(text), {
    describe: `Claude Code has got "${text}"`,
    actual: async () =>
      (await cbos.call<Session[]>('GET', '/sessions')).body.map((one) => [one.slug, one.status, one.buffer_tail]),
    timeoutMs: 90_000,
  });

describe.each(['sh', 'node', ...(hasPython ? ['python'] : [])])('a wrapper in %s that does not exec', (kind) => {
  const slug = kind.toUpperCase();

  test('every prompt arrives, also a queued one, and the session is the process of Claude Code', async () => {
    await create(slug, kind);
    await cbos.untilStatus(slug, 'idle/ready');
    for (const number of [1, 2]) {
      const sent = await send(slug, `scene:hello ${kind} ${number}`);
      expect([sent.error, sent.body.status]).toEqual([null, 'delivered']);
      await cbos.untilStatus(slug, 'idle/waiting_input');
    }
    expect((await send(slug, `scene:hello ${kind} queued`, true)).error).toBeNull();
    await untilReceived(`scene:hello ${kind} queued`);
    await cbos.until(slug, isClaude, 'names the process of Claude Code');
  });

  test('Claude Code itself is asked to end, before its wrapper', async () => {
    expect((await cbos.call('POST', `/sessions/${slug}/kill`)).error).toBeNull();
    expect((await cbos.session(slug)).state).toBe('dead');
    expect(codesOf(slug)).toEqual(['143']);
  });
});

test('a wrapper that starts Claude Code again: the session continues with the new process, and its prompts arrive', async () => {
  await create('LOOP', 'loop');
  await cbos.untilStatus('LOOP', 'idle/ready');
  expect((await send('LOOP', 'scene:hello before')).body.status).toBe('delivered');
  const first = await cbos.until('LOOP', isClaude, 'names the process of Claude Code');
  process.kill(first.pid ?? 0, 'SIGKILL');
  const next = await cbos.until('LOOP', ({ pid }) => pid !== first.pid, 'names the next process');
  expect(isClaude(next)).toBe(true);
  await cbos.until('LOOP', ({ status }) => status.primary === 'idle', 'is idle');
  expect((await send('LOOP', 'scene:hello after')).error).toBeNull();
  await untilReceived('scene:hello after');
  expect((await cbos.call('POST', '/sessions/LOOP/kill')).error).toBeNull();
  expect(codesOf('LOOP').slice(0, 1)).toEqual(['137']);
  expect([undefined, 'Z']).toContain(processNow(next.pid ?? 0)?.state);
});

test('a shell that is left after Claude Code gets no prompt; once a person starts Claude Code in it, the held prompt arrives', async () => {
  const seen = `${endsOf('SHELL')}.seen`;
  rmSync(seen, { force: true });
  await create('SHELL', 'shell');
  await cbos.untilStatus('SHELL', 'idle/ready');
  expect((await send('SHELL', '/exit')).error?.code).toBe('command_prefix');
  await cbos.call('POST', '/sessions/SHELL/send', { text: '/exit', command: true });
  const isLeftTo =
    (program: string) =>
    ({ status: { because } }: Session): boolean =>
      because.rule === 'process.absent' && because.evidence.includes(`(${program}, process`);
  await cbos.until('SHELL', isLeftTo('claude'), 'has no Claude Code, but its wrapper');
  // The wrapper now replaces itself with a shell.
  writeFileSync(seen, '');
  const left = await cbos.until('SHELL', isLeftTo('sh'), 'has no Claude Code, but a shell');
  expect(left.state).toBe('unknown');
  const held = await send('SHELL', 'scene:hello by hand');
  expect(held.body.status).toBe('queued');
  await typeAtTerminal(world.env, left.screen_id ?? '', `'${world.claude}'\r`);
  await untilReceived('scene:hello by hand');
  await cbos.until('SHELL', isClaude, 'names the process of Claude Code');
  expect((await cbos.session('SHELL')).buffer_tail).not.toContain('by hand> scene:hello');
});

test('a JSON session: Claude Code itself is asked to end, before its wrapper', async () => {
  await create('JSON', 'sh', 'json');
  await send('JSON', 'scene:hello in events');
  await untilReceived('scene:hello in events');
  await cbos.until('JSON', ({ json_state }) => json_state === 'complete', 'has answered');
  expect((await cbos.call('POST', '/sessions/JSON/kill')).error).toBeNull();
  expect(codesOf('JSON')).toEqual(['143']);
});
