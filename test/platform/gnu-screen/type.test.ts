import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cleanText, encodePaste } from '../../../src/core/delivery/paste.ts';
import { Emitter } from '../../../src/emitter/emitter.ts';
import { pasteText, pressEnter, pressEscape, typeKeys } from '../../../src/platform/gnu-screen/index.ts';
import { stopProcess } from '../../harness/stop-process.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { openScreenWorld, type ScreenWorld, startForeign } from './screen-world.ts';

let world: ScreenWorld;
beforeEach(async () => {
  world = await openScreenWorld();
});
afterEach(() => world.dispose());

/** A receiver in raw mode with bracketed paste. It writes each byte that it gets to a file. */
const RECEIVER = String.raw`stty raw -echo; printf '\033[?2004hready'; exec cat > "$GOT"`;
/** A receiver that begins to read when a file appears, and then reads slowly. */
const SLOW_RECEIVER = `stty raw -echo; : > ready; while [ ! -e go ]; do sleep 0.02; done
while :; do dd bs=1000 count=1 status=none; sleep 0.01; done > "$0"`;

interface Receiver {
  target: { id: string };
  daemon: { pid: number };
  /** waits for that many bytes and compares them; a failure shows the first difference instead of 200 kB */
  expectGot(wanted: string): Promise<void>;
}

async function startReceiver(name: string, env: Record<string, string> = {}): Promise<Receiver> {
  const got = join(world.dir, `${name}.got`);
  writeFileSync(got, '');
  const { screenId, daemon } = await world.launch({ name, command: ['sh', '-c', RECEIVER], env: { GOT: got, ...env } });
  await waitFor(() => world.output(name).includes('ready'), { describe: 'the receiver is ready' });
  return { target: { id: screenId }, daemon, expectGot: (wanted) => expectBytes(got, wanted) };
}

/**
 * The session has no recording, because `script` would read everything and keep it for a slow program. Screen does not.
 */
async function startSlowReceiver(name: string): Promise<Pick<Receiver, 'target' | 'expectGot'>> {
  const got = join(world.dir, `${name}.got`);
  writeFileSync(got, '');
  const id = await startForeign(world, { name, command: ['sh', '-c', SLOW_RECEIVER, got] });
  await waitFor(() => existsSync(join(world.projectDir, 'ready')), { describe: 'the receiver is ready' });
  return { target: { id }, expectGot: (wanted) => expectBytes(got, wanted) };
}

async function expectBytes(file: string, wanted: string): Promise<void> {
  const sizeBytes = Buffer.byteLength(wanted);
  await waitFor(() => statSync(file).size >= sizeBytes, {
    describe: `${sizeBytes} bytes arrive`,
    actual: () => statSync(file).size,
  });
  expect(firstDifference(readFileSync(file, 'utf8'), wanted)).toBeNull();
}

function firstDifference(text: string, wanted: string) {
  let at = 0;
  while (at < wanted.length && text[at] === wanted[at]) at++;
  if (at === wanted.length && text.length === at) return null;
  return { at, got: text.slice(at, at + 40), wanted: wanted.slice(at, at + 40) };
}

/** Everything that a layer between CBOS and the program might interpret. */
const NASTY = '^C $HOME `id` $(id) \\ \\n "double" \'single\' %n ~ ! # \t日本語 한국어 🤷🏽‍♀️ é e\u0301 ❯\n';

/** Terminals paste a line end as a carriage return. */
const typed = (text: string): string => text.replaceAll('\n', '\r');

test.each([
  ['UTF-8', {}],
  ['POSIX', { LC_ALL: 'POSIX', LANG: 'POSIX' }],
])('20 kB of everything arrive byte for byte in a %s locale, in brackets', async (_locale, env) => {
  const { target, expectGot } = await startReceiver('Paste', env);
  const text = NASTY.repeat(Math.ceil(20_000 / Buffer.byteLength(NASTY)));
  await pasteText(world.host, target, text, { chunked: true });
  await expectGot(typed(encodePaste(text, { chunked: true })));
  expect(readdirSync(world.host.exchangeDir)).toEqual([]);
});

test('200 kB arrive byte for byte in one bracket', async () => {
  const { target, expectGot } = await startReceiver('Huge');
  const text = NASTY.repeat(Math.ceil(200_000 / Buffer.byteLength(NASTY)));
  await pasteText(world.host, target, text, { chunked: false });
  await expectGot(typed(`\x1b[200~${text}\x1b[201~`));
});

test('the end of a paste inside a text does not end the paste', async () => {
  const { target, expectGot } = await startReceiver('Forged');
  const { text, removed } = cleanText('before\x1b[201~\rrm -rf /\x03\nafter');
  await pasteText(world.host, target, text, { chunked: false });
  await expectGot('\x1b[200~before\rrm -rf /\rafter\x1b[201~');
  expect(removed).toBe(2);
});

test('keys arrive raw and in order: Ctrl+J stays Ctrl+J, Enter is Enter, Esc is Esc', async () => {
  const { target, expectGot } = await startReceiver('Keys');
  await typeKeys(world.host, target, '\x1b[A\x1b[B\x01\x03^M$HOME\\\x7f\none\n\ntwo\n');
  await pressEnter(world.host, target);
  await pressEscape(world.host, target);
  await typeKeys(world.host, target, '');
  await typeKeys(world.host, target, '\rend');
  await expectGot('\x1b[A\x1b[B\x01\x03^M$HOME\\\x7f\none\n\ntwo\n\r\x1b\rend');
});

test('a key that may no longer be pressed when Screen is ready for it is not pressed, and blocks no later one', async () => {
  const { target, expectGot } = await startReceiver('Withheld');
  const asked: string[] = [];
  const say = (answer: boolean) => (): boolean => asked.push(String(answer)) > 0 && answer;
  expect(await pressEnter(world.host, target, say(false))).toBe(false);
  expect(await pressEscape(world.host, target, say(false))).toBe(false);
  const changed = (): never => {
    throw new Error('the dialog has changed');
  };
  await expect(pressEnter(world.host, target, changed)).rejects.toThrow('the dialog has changed');
  expect(await pressEnter(world.host, target, say(true))).toBe(true);
  await typeKeys(world.host, target, 'end');
  await expectGot('\rend');
  expect(asked).toEqual(['false', 'false', 'true']);
});

/** A Screen for which the file with the keys is gone, as after the server that wrote the file was killed. */
const LATE_SCREEN = `#!/bin/sh
for word; do case $word in *"readreg p "*) rm -f "\${word##*readreg p }";; esac; done
PATH=\${PATH#*:} exec screen "$@"`;

test('a late call types nothing, and above all not what was typed before', async () => {
  const { target, expectGot } = await startReceiver('Late');
  await typeKeys(world.host, target, 'once');
  const bin = join(world.dir, 'late');
  mkdirSync(bin);
  writeFileSync(join(bin, 'screen'), LATE_SCREEN, { mode: 0o755 });
  const late = {
    ...world.host,
    gates: new Map(),
    windows: new Map(),
    prompts: new Emitter<[{ daemonPid: number; isOpen: boolean }]>(),
    env: { ...world.host.env, PATH: `${bin}:${world.host.env.PATH}` },
  };
  // It does not matter whether the call fails.
  await typeKeys(late, target, 'never').catch(() => undefined);
  await typeKeys(world.host, target, ' end');
  await expectGot('once end');
});

test('the keys of one call stay together, in the order of the calls', async () => {
  const { target, expectGot } = await startReceiver('Order');
  const calls = ['1\n1\n1', '2', '3\n3', '4'];
  await Promise.all([...calls.map((keys) => typeKeys(world.host, target, keys)), pressEnter(world.host, target)]);
  await expectGot(`${calls.join('')}\r`);
});

test('texts sent at once to one session and to several arrive whole, one after another', async () => {
  const receivers = await Promise.all(['A', 'B', 'C'].map((name) => startReceiver(name)));
  const texts = ['x', 'y', 'z'].map((letter) => letter.repeat(30_000));
  await Promise.all(
    receivers.flatMap(({ target }) => texts.map((text) => pasteText(world.host, target, text, { chunked: false }))),
  );
  const whole = texts.map((text) => `\x1b[200~${text}\x1b[201~`).join('');
  await Promise.all(receivers.map(({ expectGot }) => expectGot(whole)));
});

test('a large paste to a program that reads slowly arrives completely before the Enter that follows', async () => {
  const { target, expectGot } = await startSlowReceiver('Slow');
  const text = 'x'.repeat(60_000);
  const pasted = pasteText(world.host, target, text, { chunked: false });
  const entered = pressEnter(world.host, target);
  world.write('project/go', '');
  await Promise.all([pasted, entered]);
  await expectGot(`\x1b[200~${text}\x1b[201~\r`);
});

test('nothing more is typed to a program that does not read, and when it reads again nothing was lost', async () => {
  const { target, expectGot } = await startSlowReceiver('Hung');
  const text = 'x'.repeat(40_000);
  await expect(pasteText(world.host, target, text, { chunked: false })).rejects.toMatchObject({
    code: 'screen_unresponsive',
    message: expect.stringContaining("isn't reading its input"),
  });
  await expect(pressEnter(world.host, target)).rejects.toMatchObject({ code: 'screen_unresponsive' });
  world.write('project/go', '');
  await pressEnter(world.host, target);
  await expectGot(`\x1b[200~${text}\x1b[201~\r`);
});

test('typing into a stopped daemon or a session that is gone is refused, and nothing stays in the exchange directory', async () => {
  const { target, daemon, expectGot } = await startReceiver('Stopped');
  await stopProcess(daemon.pid);
  for (const type of [() => typeKeys(world.host, target, 'x'), () => pressEnter(world.host, target)]) {
    await expect(type()).rejects.toMatchObject({
      code: 'screen_unresponsive',
      hint: `Resume it: \`kill -CONT ${daemon.pid}\``,
    });
  }
  process.kill(daemon.pid, 'SIGCONT');
  await typeKeys(world.host, target, 'awake');
  await expectGot('awake');
  await expect(typeKeys(world.host, { id: '999999.None' }, 'x')).rejects.toMatchObject({ code: 'no_such_screen' });
  await expect(pressEnter(world.host, { id: 'no id' })).rejects.toMatchObject({ code: 'no_such_screen' });
  expect(readdirSync(world.host.exchangeDir)).toEqual([]);
});
