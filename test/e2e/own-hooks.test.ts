import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos, type Watcher } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

/**
 * What the model answers when a Stop hook has blocked the end of its turn. Up to 2.1.330 the hook's reason is a prompt.
 * 2.1.332 tells the model without one, and the stand-in then says this as well, because its scene has no more replies.
 */
const AFTER_BLOCK = 'That is done.';
const answerToBlock: ChooseScene = (prompt) =>
  prompt.includes('not complete yet')
    ? {
        name: 'after-block',
        about: 'an answer after a Stop hook has blocked',
        replies: [{ kind: 'answer', firstByteDelayMs: 300, blocks: [{ kind: 'text', text: AFTER_BLOCK }] }],
      }
    : null;

const asking: ChooseScene = (prompt) =>
  prompt.includes('ask in words')
    ? {
        name: 'ask-in-words',
        about: 'an answer that ends with a question',
        replies: [
          { kind: 'answer', firstByteDelayMs: 100, blocks: [{ kind: 'text', text: 'I did it. Shall I go on?' }] },
        ],
      }
    : null;

let world: ClaudeWorld;
let cbos: Cbos;
let watcher: Watcher;
/** contains how many more times the Stop hook blocks */
let blocksLeft: string;
/** exists while a hook stops each turn after its tool call */
let stopsTools: string;

beforeAll(async () => {
  world = await claudeWorld({ choosers: [answerToBlock, asking] });
  blocksLeft = join(world.dir, 'blocks-left');
  blockStops(0);
  stopsTools = join(world.dir, 'stops-tools');
  writeOwnHooks({
    Stop: ownHook('stop', STOP_HOOK),
    UserPromptSubmit: ownHook('prompt', PROMPT_HOOK),
    PostToolUse: ownHook('tool', TOOL_HOOK),
  });
  cbos = await startCbos(world);
  watcher = await cbos.watch();
});
afterAll(() => world.dispose());

/** Waits while a file exists. Blocks the end of a turn until another contains 0, like the loops that users build. */
const STOP_HOOK = `while [ -e "$HOME/../holds-stops" ]; do touch "$HOME/../stop-is-held"; sleep 0.1; done
[ -e "$HOME/../ends-turns" ] && echo '{"continue": false, "stopReason": "Enough.", "decision": "block", "reason": "no"}'
left=$(cat "$HOME/../blocks-left")
[ "$left" -gt 0 ] || exit 0
echo $((left - 1)) >"$HOME/../blocks-left"
echo '{"decision": "block", "reason": "not complete yet"}'`;

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Refuses prompts that contain a word, in each of the ways in which a hook can refuse a prompt. */
const PROMPT_HOOK = `case "$(cat)" in
*secret*) echo 'No secrets, please.' >&2; exit 2 ;;
*deploy*) printf 'No  deploys  today.\\nAsk  ops.' >&2; exit 2 ;;
*forbidden*) echo '{"decision": "block", "reason": "The policy forbids this."}' ;;
*halt*) echo '{"continue": false}' ;;
esac`;

/** Stops the turn after a tool call as long as the file exists. */
const TOOL_HOOK = `[ -e "$HOME/../stops-tools" ] || exit 0
echo '{"continue": false, "stopReason": "Enough for today."}'`;

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

/** Returns the prompt to which each request of a conversation belongs, in order. */
const requests = (): string[] =>
  world.apiEvents.flatMap((event) => (event.kind === 'request' && event.scene !== null ? [event.prompt] : []));

const deliveries = async (slug: string): Promise<Delivery[]> =>
  (await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body;

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

  test('a turn whose Stop hook Claude Code overrules is done, with its last answer', async () => {
    blockStops(12);
    const sent = await cbos.cli(['send', slug, 'A scene:hello', '--wait']);
    expect(sent).toEqual({ code: 0, stdout: `${AFTER_BLOCK}\n`, stderr: '' });
    expect(readFileSync(blocksLeft, 'utf8').trim()).not.toBe('0');
    blockStops(0);
    const screen = async (): Promise<string> =>
      (await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=45`)).body.buffer;
    if (type === 'screen')
      await waitFor(async () => (await screen()).includes('consecutive'), { describe: 'the note is drawn' });
    expect((await cbos.session(slug)).status).toMatchObject({ primary: 'idle', detail: 'waiting_input' });
    expect((await cbos.cli(['wait', slug])).code).toBe(0);
  });

  test('a queued prompt waits until no Stop hook blocks any more', async () => {
    blockStops(2);
    const from = requests().length;
    const prompts = (): string[] => requests().slice(from);
    await cbos.cli(['send', slug, 'B scene:hello']);
    const queued = await cbos.call('POST', `/sessions/${slug}/send`, { text: 'C scene:hello', queue: true });
    expect(queued.error).toBeNull();
    await waitFor(() => prompts().includes('C scene:hello'), { describe: 'the queued prompt is sent' });
    expect(prompts().map((text) => text === 'C scene:hello')).toEqual([false, false, false, true]);
    await cbos.untilStatus(slug, 'idle/waiting_input');
  });

  test.each([
    ['exit code 2', `the secret of ${slug}`, 'No secrets, please.'],
    ['words on several lines', `deploy ${slug}`, 'No  deploys  today.\nAsk  ops.'],
    [
      'a notice that a long prompt pushes off the screen',
      `a long secret ${'many words '.repeat(300)}of ${slug}`,
      'No secrets, please.',
    ],
    [
      'a notice that many lines push off the screen',
      `secret\n${'abc def\n'.repeat(60)}of ${slug}`,
      'No secrets, please.',
    ],
    ['a decision', `forbidden in ${slug}\nand more`, 'The policy forbids this.'],
  ])(
    'a prompt that a hook refuses with %s is reported as refused, with the words of the hook',
    async (_way, text, words) => {
      const sent = await cbos.cli(['send', slug, '--wait', text]);
      expect(sent).toMatchObject({ code: 1, stdout: '' });
      const note = `One of your own hooks refused the prompt: ${onOneLine(words)}`;
      expect(onOneLine(sent.stderr)).toContain(`${note.slice(0, -1)} — cbos show`);
      const [delivery] = await deliveries(slug);
      expect(delivery).toMatchObject({
        text,
        status: 'failed',
        note: `One of your own hooks refused the prompt: ${words}`,
      });
      await cbos.untilStatus(slug, 'idle/error');
      const waited = await cbos.cli(['wait', slug]);
      expect(waited.code).toBe(1);
      expect(onOneLine(waited.stderr)).toContain(note.slice(0, -1));
      for (const args of [['ls'], ['show', slug]]) expect((await cbos.cli(args)).stdout).toContain(note);

      const next = await cbos.cli(['send', slug, '--wait', 'D scene:hello']);
      expect(next).toEqual({ code: 0, stdout: 'Hello! I am ready when you are.\n', stderr: '' });
      expect((await deliveries(slug)).find(({ id }) => id === delivery?.id)).toMatchObject({ phase: 'refused' });
      expect(world.promptsReceived().at(-1)).toBe('D scene:hello');
    },
  );
});

test.each([2, 12])(
  'cbos invoke prints only the last answer of a turn whose Stop hook blocks %i times',
  async (times) => {
    blockStops(times);
    const invoked = await cbos.cli(['invoke', 'JSON', 'A scene:read']);
    blockStops(0);
    expect(invoked).toEqual({ code: 0, stdout: `Let me look.\n● Read: README.md\n${AFTER_BLOCK}\n`, stderr: '' });
    expect((await cbos.cli(['events', 'JSON'])).stdout).toContain('  ⎿ Stop hook: not complete yet\n');
  },
);

test.each([
  ['TERMINAL', 'Operation stopped by hook'],
  ['JSON', 'One of your own hooks refused the prompt: it gives no reason'],
])('a turn of %s that a hook stops without a reason before it begins has failed', async (slug, why) => {
  const sent = await cbos.cli(['send', slug, '--wait', 'halt here']);
  expect(sent).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`${slug} failed: ${why}`) });
  expect((await cbos.cli(['wait', slug])).code).toBe(1);
  expect((await cbos.cli(['send', slug, '--wait', 'E scene:hello'])).code).toBe(0);
});

/** Claude Code then reports a success to a JSON session, and nothing at all to the hooks of a terminal session. */
test.each(['TERMINAL', 'JSON'])('a turn of %s that a hook of a tool call stops is not done', async (slug) => {
  writeFileSync(stopsTools, '');
  const sent = await cbos.cli(['send', slug, '--wait', 'E scene:read']);
  rmSync(stopsTools);
  expect([sent.code, sent.stdout]).toEqual([1, '']);
  expect(sent.stderr).toMatch(
    slug === 'JSON'
      ? 'The turn of JSON failed: One of your own hooks stopped the turn'
      : 'The turn of TERMINAL was interrupted',
  );
  expect((await cbos.cli(['send', slug, '--wait', 'F scene:hello'])).code).toBe(0);
});

test.each(['TERMINAL', 'JSON'])(
  'a turn of %s that a Stop hook both ends and blocks prints its answer',
  async (slug) => {
    const ends = join(world.dir, 'ends-turns');
    writeFileSync(ends, '');
    const sent = await cbos.cli(['send', slug, '--wait', 'G scene:hello']);
    rmSync(ends);
    expect(sent).toEqual({ code: 0, stdout: 'Hello! I am ready when you are.\n', stderr: '' });
  },
);

test.each([
  ['TERMINAL', 'scene:hello'],
  ['TERMINAL', 'ask in words'],
  ['JSON', 'scene:hello'],
  ['JSON', 'ask in words'],
])('a turn of %s that is interrupted while a Stop hook runs is not done: %s', async (slug, prompt) => {
  const [holds, isHeld] = ['holds-stops', 'stop-is-held'].map((name) => join(world.dir, name)) as [string, string];
  rmSync(isHeld, { force: true });
  writeFileSync(holds, '');
  const sent = cbos.cli(['send', slug, '--wait', `I ${prompt}`]);
  await waitFor(() => existsSync(isHeld), { describe: 'the hook runs' });
  expect((await cbos.cli(['interrupt', slug])).code).toBe(0);
  rmSync(holds);
  expect(await sent).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('was interrupted') });
  expect((await cbos.cli(['wait', slug])).code).toBe(1);
  expect((await cbos.session(slug)).status).toMatchObject({ primary: 'idle', interrupted: true, question: null });
  expect((await cbos.cli(['send', slug, '--wait', 'J scene:hello'])).code).toBe(0);
});

describe('in a terminal', () => {
  const slug = 'TERMINAL';
  const screen = async (): Promise<string> =>
    (await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=45`)).body.buffer;

  test('a prompt that is refused during a turn leaves the box when the turn is over', async () => {
    await cbos.call('POST', `/sessions/${slug}/send`, { text: 'E scene:slow' });
    await cbos.untilStatus(slug, 'active/thinking');
    await cbos.call('POST', `/sessions/${slug}/send`, { text: 'another secret' });
    await waitFor(async () => (await deliveries(slug))[0]?.phase?.startsWith('refused'), { describe: 'it is refused' });
    await waitFor(async () => !/❯\sanother secret/.test(await screen()), { describe: 'the box is empty' });
    const next = await cbos.cli(['send', slug, '--wait', 'F scene:hello']);
    expect(next).toMatchObject({ code: 0, stderr: '' });
    expect(world.promptsReceived().slice(-2)).toEqual(['E scene:slow', 'F scene:hello']);
  });

  test('a refused prompt that a person typed is left to that person', async () => {
    await cbos.call('POST', `/sessions/${slug}/keys`, { keys: 'a secret of mine\r' });
    await cbos.untilStatus(slug, 'idle/error');
    await cbos.until(slug, ({ buffer_tail: shown }) => /❯\sa secret of mine/.test(shown ?? ''), 'shows the text');
    const refused = await cbos.cli(['send', slug, 'G scene:hello']);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('Somebody is typing');
    expect(await screen()).toMatch(/❯\sa secret of mine/);
  });
});
