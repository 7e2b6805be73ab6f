import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let kept: KeptConversations;
beforeAll(async () => {
  world = await claudeWorld();
  const refuses = 'if grep -q secret; then echo "No secrets." >&2; exit 2; fi';
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: refuses }] }] };
  mkdirSync(join(world.projectDir, '.claude'), { recursive: true });
  writeFileSync(join(world.projectDir, '.claude', 'settings.json'), JSON.stringify({ hooks }));
  cbos = await startCbos(world);
  kept = keptConversations(world, () => cbos);
});
afterAll(() => world.dispose());

/** Ends Claude Code as SIGKILL does right after an answer, when it has not yet noted where the conversation ends. */
async function killRightAfterAnswer(slug: string): Promise<void> {
  const transcript = await kept.transcriptOf(slug);
  process.kill((await cbos.session(slug)).pid ?? 0, 'SIGKILL');
  await kept.untilQuiet(slug);
  const lines = readFileSync(transcript, 'utf8').split('\n');
  const answer = lines.findLastIndex((line) => line.includes('"type":"assistant"'));
  writeFileSync(transcript, `${lines.slice(0, answer + 1).join('\n')}\n`);
}

async function restart(slug: string): Promise<void> {
  expect((await cbos.cli(['restart', slug])).code).toBe(0);
  await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is idle');
}

test.each(['screen', 'json'])(
  'the model knows the last turn of a killed %s session, although an interrupted and a refused prompt came before it',
  async (type) => {
    const slug = `FORGETS-${type.toUpperCase()}`;
    const created = await cbos.call('POST', '/sessions', { slug, path: world.projectDir, type });
    expect(created.error).toBeNull();
    await cbos.call('POST', `/sessions/${slug}/send`, { text: 'one scene:silent' });
    await cbos.untilStatus(slug, 'active/thinking');
    expect((await cbos.call('POST', `/sessions/${slug}/interrupt`)).error).toBeNull();
    expect((await cbos.cli(['send', slug, '--wait', 'a secret'])).code).toBe(1);
    // Only in another process, the next turn follows the line above the note about the refused prompt.
    expect((await cbos.cli(['stop', slug])).code).toBe(0);
    await restart(slug);
    await kept.ask(slug, `scene:hello remember ${slug}`);
    await killRightAfterAnswer(slug);
    // The next process of a JSON session starts with the next prompt.
    if (type === 'screen') await restart(slug);
    await kept.ask(slug, 'four scene:hello');
    expect(kept.remembers(slug)).toBe(true);
  },
);

/** Rewinds the conversation of a session to before its last prompt, as a person does at the terminal. */
async function rewindLast(slug: string): Promise<void> {
  const shows = (what: RegExp): Promise<unknown> =>
    waitFor(
      async () => {
        const { body } = await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=45`);
        return what.test(body.buffer);
      },
      { describe: `${slug} shows ${what}` },
    );
  const press = (keys: string): Promise<unknown> => cbos.call('POST', `/sessions/${slug}/keys`, { keys });
  expect((await cbos.cli(['send', slug, '--command', '/rewind'])).code).toBe(0);
  await shows(/❯ \(current\)/);
  await press('\u001b[A');
  await shows(/❯ scene:hello .*\n +No code changes/);
  await press('\r');
  await shows(/❯ 1\. Restore conversation/);
  await press('\r');
  await shows(/^❯\sscene:hello .*\n─+\n.*manual mode/m);
  await press('\u0015');
  await shows(/^❯\s*\n─+\n.*manual mode/m);
}

/** Reports whether the model was told about a prompt with the last one. */
const isTold = (prompt: string): boolean =>
  JSON.stringify(world.apiEvents.findLast((event) => event.kind === 'request' && event.scene !== null)).includes(
    prompt,
  );

test('what a person has rewound comes back with the next process, unless a prompt was sent in between', async () => {
  const slug = 'REWINDS';
  expect((await cbos.call('POST', '/sessions', { slug, path: world.projectDir, type: 'screen' })).error).toBeNull();
  const parkAndAsk = async (prompt: string): Promise<void> => {
    expect((await cbos.cli(['park', slug])).stderr).toBe('');
    await kept.ask(slug, prompt);
  };
  await kept.ask(slug, 'scene:hello the first');
  await kept.ask(slug, 'scene:hello the second');
  await rewindLast(slug);
  // Claude Code has not saved the rewind, so `claude --resume` continues the whole conversation (2.1.330).
  await parkAndAsk('scene:hello the third');
  expect([isTold('the first'), isTold('the second')]).toEqual([true, true]);

  await rewindLast(slug);
  await kept.ask(slug, 'scene:hello the fourth');
  expect([isTold('the second'), isTold('the third')]).toEqual([true, false]);
  await parkAndAsk('scene:hello the fifth');
  expect([isTold('the second'), isTold('the third'), isTold('the fourth')]).toEqual([true, false, true]);
});
