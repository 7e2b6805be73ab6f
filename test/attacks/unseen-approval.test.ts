import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Block, Scene } from '../../src/demo/scenes/scene.ts';
import type { Question } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';

let world: ClaudeWorld;
let cbos: Cbos;

const END = 'touch evil';
/** Harmless over many pages of lines and one very long line. Only its end does something. */
const LONG = `${'echo "all is well"\n'.repeat(600)}: ${'x'.repeat(12_000)}; ${END}`;
/**
 * A terminal takes everything after the escape for a title, but a program that reads the file does not. Claude Code
 * accepts no such character in a command.
 */
const HIDDEN = `all is well \u001b]0; ${END}`;
/** Longer than any card. */
const HUGE = 'y'.repeat(400_000);

const CALLS: Record<string, Block> = {
  long: { kind: 'tool', name: 'Bash', input: { command: LONG, description: 'Say that all is well' } },
  hidden: { kind: 'tool', name: 'Write', input: { file_path: 'run.sh', content: HIDDEN } },
  huge: { kind: 'tool', name: 'Write', input: { file_path: 'huge.txt', content: `${HUGE}evil` } },
};

function choose(prompt: string): Scene | null {
  const name = /\bcall:([a-z]+)/.exec(prompt)?.[1] ?? '';
  const call = CALLS[name];
  if (call === undefined) return null;
  const replies = [call, { kind: 'text', text: 'Done.' } as const].map((block) => ({
    kind: 'answer' as const,
    blocks: [block],
  }));
  return { name, about: name, replies };
}

/** Makes a session ask for a call. */
async function ask(slug: string, call: string): Promise<Question> {
  const sent = await cbos.call('POST', `/sessions/${slug}/send`, { text: `call:${call}` });
  expect(sent.error).toBeNull();
  const { status } = await cbos.until(
    slug,
    ({ status: { question } }) => question?.tool != null && question.options.length > 0,
    'asks',
    60_000,
  );
  if (status.question === null) throw new Error('it asks nothing');
  return status.question;
}

async function refuse(slug: string): Promise<void> {
  expect((await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 'no' })).error).toBeNull();
  await cbos.until(slug, ({ status }) => status.question === null, 'asks nothing');
}

beforeAll(async () => {
  world = await claudeWorld({ choosers: [choose] });
  cbos = await startCbos(world);
  for (const type of ['screen', 'json']) {
    const created = await cbos.call('POST', '/sessions', { slug: type.toUpperCase(), type, path: world.projectDir });
    expect(created.error).toBeNull();
  }
  await cbos.untilStatus('SCREEN', 'idle/ready');
}, 60_000);
afterAll(() => world.dispose());

test.each(['SCREEN', 'JSON'])(
  'a long command is shown in full before it can be allowed: %s',
  async (slug) => {
    const question = await ask(slug, 'long');
    expect(question.tool?.input).toMatchObject({ command: LONG });
    expect(question.cut).toBeUndefined();
    const shown = await cbos.cli(['show', slug]);
    const start = shown.stdout.indexOf('all is well');
    expect(shown.stdout.slice(start)).toContain(END);
    await refuse(slug);
  },
  120_000,
);

test.each(['SCREEN', 'JSON'])(
  'no control character hides a part of a file that is to be written: %s',
  async (slug) => {
    await ask(slug, 'hidden');
    const { stdout } = await cbos.cli(['show', slug]);
    expect(stdout).toContain(`all is well \\u001b]0; ${END}`);
    await refuse(slug);
  },
  120_000,
);

test('a call longer than CBOS carries can be allowed only in the terminal; a no counts everywhere', async () => {
  const question = await ask('SCREEN', 'huge');
  expect(question.cut).toBe(true);
  expect(JSON.stringify(question).length).toBeLessThan(HUGE.length);
  const { stdout } = await cbos.cli(['show', 'SCREEN']);
  expect(stdout).toMatch(/longer than .* here[\s\S]*cbos attach SCREEN/);
  const yes = question.options.findIndex(({ means }) => means === 'yes') + 1;
  for (const answer of [{ choice: 'yes' }, { choice: yes }, { text: 'Yes' }]) {
    const { status, error } = await cbos.call('POST', '/sessions/SCREEN/answer', answer);
    expect([status, error?.code, error?.hint]).toEqual([409, 'not_shown_whole', expect.stringContaining('attach')]);
  }
  const said = await cbos.cli(['answer', 'SCREEN', 'yes']);
  expect([said.code, said.stderr]).toEqual([4, expect.stringContaining('cbos attach SCREEN')]);
  await refuse('SCREEN');
  expect(existsSync(join(world.projectDir, 'huge.txt'))).toBe(false);
  expect(existsSync(join(world.projectDir, 'evil'))).toBe(false);
}, 120_000);
