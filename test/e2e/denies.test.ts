import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import type { AuditEntry } from '../../src/protocol/index.ts';
import { DENIED_COMMAND, EVASIONS, REFUSED } from '../core/approval/evasions.ts';
import { replyWith, runs, sceneOf, startAnswering, toolResults } from '../harness/answering.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import type { ClaudeWorld } from '../harness/claude.ts';
import { jsonSessions } from '../harness/json-session.ts';
import { waitFor } from '../harness/wait-for.ts';

/** One command in this many is tried. `CBOS_EVASIONS=1` tries all of them, which takes 20 s of processor time. */
const EACH = Number(process.env.CBOS_EVASIONS ?? 6);
const TRIED = EVASIONS.filter((_, index) => index % EACH === 0);
const TO_REFUSE = Math.ceil(REFUSED.length / EACH);
const DONE = replyWith({ kind: 'text', text: 'Done.' });
/** Long enough to kill the server before the tool is called. */
const LATER_MS = 2_000;

function choose(prompt: string): Scene | null {
  if (prompt.includes('evade')) return sceneOf('evade', replyWith(...TRIED.map(runs)), DONE);
  const [, how, action, mark] = /(run|later):(\w+):(\w+)/.exec(prompt) ?? [];
  if (mark === undefined) return null;
  const call = replyWith(runs(`depot ${action} ${mark}`));
  return sceneOf(
    mark,
    how === 'later' && call.kind === 'answer' ? { ...call, firstByteDelayMs: LATER_MS } : call,
    DONE,
  );
}

/** Makes a file for each `push`, and adds a line for each `pull`. */
const depot = (dir: string): string => `#!/bin/sh
for word in "$@"; do
  [ "$is" = push ] && : >"${dir}/$word"
  [ "$is" = pull ] && echo >>"${dir}/pulled-$word"
  is=$word
done
`;

let world: ClaudeWorld;
let cbos: Cbos;
let ran: string;
let env: Record<string, string>;

beforeAll(async () => {
  ({ world, cbos } = await startAnswering({ choosers: [choose] }));
  ran = join(world.dir, 'ran');
  mkdirSync(ran);
  const bin = join(world.dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'depot'), depot(ran), { mode: 0o755 });
  writeFileSync(join(world.projectDir, 'depot'), depot(ran), { mode: 0o755 });
  symlinkSync(join(bin, 'depot'), join(world.projectDir, 'tool'));
  // Claude Code refuses to bypass permissions for root outside of a sandbox.
  env = { PATH: `${bin}:${world.env.PATH}`, IS_SANDBOX: '1' };
}, 90_000);
afterAll(() => world.dispose());

const rules = (text: string): void => writeFileSync(join(world.cbosHome, 'rules.toml'), text);
const DENY = `[[deny]]\ncommand = "${DENIED_COMMAND}"\nnote = "I push by hand."\n`;
const guard = (): string => join(world.cbosHome, 'hooks', '.guard');
const untilGuarded = (is: boolean) => waitFor(() => existsSync(guard()) === is, { describe: `calls are shown: ${is}` });
const audit = async (): Promise<AuditEntry[]> => (await cbos.call<AuditEntry[]>('GET', '/audit?limit=1000')).body;
const made = (): string[] => readdirSync(ran).filter((name) => !name.startsWith('pulled'));
const timesPulled = (mark: string): number => {
  const file = join(ran, `pulled-${mark}`);
  return existsSync(file) ? readFileSync(file, 'utf8').length : 0;
};

test('most of the commands made to slip past a deny would run in a shell', { timeout: 120_000 }, () => {
  for (const text of TRIED) {
    const options = { cwd: world.projectDir, env: { ...world.env, ...env }, timeout: 5_000 };
    spawnSync('bash', ['-c', text], { ...options, stdio: 'ignore' });
  }
  expect(made().length).toBeGreaterThan(TRIED.length * 0.8);
  for (const name of made()) rmSync(join(ran, name));
  for (const name of ['other', 'third', 'copied', 'plain']) rmSync(join(world.projectDir, name), { force: true });
});

test('none of them runs, although Claude Code would ask about nothing', { timeout: 300_000 }, async () => {
  const json = jsonSessions(world, () => cbos);
  await json.create('JSON', { permission_mode: 'bypassPermissions', env });
  await json.invoke('JSON', 'run:pull:first');
  const untilComplete = () => cbos.until('JSON', ({ json_state }) => json_state === 'complete', 'is complete');
  await untilComplete();
  expect(timesPulled('first')).toBe(1);
  // The session has run without the hook. The first deny gives it one.
  rules(DENY);
  await untilGuarded(true);
  await json.invoke('JSON', 'evade');
  for (let asked: string | null = ''; asked !== null; ) {
    const next = await cbos.until(
      'JSON',
      ({ status, json_state }) =>
        json_state === 'complete' || (status.question !== null && status.question.id !== asked),
      'asks, or is done',
      60_000,
    );
    asked = next.status.question?.id ?? null;
    if (asked === null) break;
    const { error } = await cbos.call('POST', '/sessions/JSON/answer', {
      choice: 'no',
      text: 'No.',
      question_id: asked,
    });
    expect(error).toBeNull();
  }
  expect(made()).toEqual([]);
  const results = toolResults(world, 'evade');
  expect(results).toHaveLength(TRIED.length);
  expect(results.filter((text) => text.includes('I push by hand.'))).toHaveLength(TO_REFUSE);
  expect((await audit()).map(({ decision, outcome }) => `${decision} ${outcome}`)).toEqual(
    Array.from({ length: TO_REFUSE }, () => 'deny given'),
  );
});

test('a session in a terminal is denied a call that needs no dialog, once, however late its hook is', {
  timeout: 120_000,
}, async () => {
  const slow = join(world.dir, 'slow');
  mkdirSync(slow);
  // The place at which a hook waits is created 5 s late.
  writeFileSync(join(slow, 'mkfifo'), `#!/bin/sh\n[ -e ${slow}/on ]&&sleep 5\nexec /usr/bin/mkfifo "$@"\n`, {
    mode: 0o755,
  });
  const body = {
    ...{ slug: 'SCREEN', type: 'screen', path: world.projectDir, permission_mode: 'acceptEdits' },
    ...{ env: { ...env, PATH: `${slow}:${env.PATH}` }, args: ['--allowedTools', 'Bash'] },
  };
  expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
  await cbos.untilStatus('SCREEN', 'idle/ready');
  const send = (text: string) => cbos.call('POST', '/sessions/SCREEN/send', { text });
  const before = (await audit()).length;
  await send('run:pull:free');
  await cbos.until(
    'SCREEN',
    ({ status }) => status.primary === 'idle' && timesPulled('free') === 1,
    'ran what no rule denies',
  );

  writeFileSync(join(slow, 'on'), '');
  await send('run:push:late');
  await waitFor(() => toolResults(world, 'run:push:late').length === 1, {
    describe: 'the model is informed',
    timeoutMs: 60_000,
  });
  expect(toolResults(world, 'run:push:late')[0]).toContain('I push by hand.');
  await cbos.until('SCREEN', ({ status }) => status.primary === 'idle', 'is done');
  rmSync(join(slow, 'on'));
  expect(made()).toEqual([]);
  expect((await audit()).slice(before)).toMatchObject([{ session: 'SCREEN', decision: 'deny', outcome: 'given' }]);

  // While the server is away, every call that a rule covers asks, even one that the rule would not deny.
  await send('later:pull:away');
  await cbos.stop('SIGKILL');
  await waitFor(() => hookFiles().some((text) => text.includes('"PermissionRequest"')), {
    describe: 'Claude Code asks',
    timeoutMs: 60_000,
  });
  expect(timesPulled('away')).toBe(0);
  cbos = await startCbos(world, env);
  const { status } = await cbos.until('SCREEN', (one) => one.status.question !== null, 'asks');
  const answer = { choice: 'yes', question_id: status.question?.id };
  expect((await cbos.call('POST', '/sessions/SCREEN/answer', answer)).error).toBeNull();
  await cbos.until('SCREEN', (one) => one.status.primary === 'idle' && timesPulled('away') === 1, 'ran it once');

  // Without a rule, no more calls are shown.
  rules('[[allow]]\ncommand = "ls"\n');
  await untilGuarded(false);
  await send('run:push:free');
  await cbos.until('SCREEN', (one) => one.status.primary === 'idle' && made().includes('free'), 'ran it');
});

const hookFiles = (): string[] => {
  const dir = join(world.cbosHome, 'hooks');
  return readdirSync(dir).flatMap((name) =>
    name.endsWith('.json') && !name.startsWith('.') ? [readFileSync(join(dir, name), 'utf8')] : [],
  );
};
