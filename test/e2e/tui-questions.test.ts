import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import { openQuestions, type Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let terminal: Terminal;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [choose] });
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1' });
  terminal = await openTerminal(world, { cols: 120, rows: 36, env: { CBOS_PORT: new URL(cbos.url).port } });
});
afterAll(() => world.dispose());

const sceneOf = (name: string, ...replies: Reply[]): Scene => ({ name, about: name, replies });
const answer = (...blocks: Block[]): Reply => ({ kind: 'answer', blocks });
const tool = (name: string, input: Record<string, unknown>): Block => ({ kind: 'tool', name, input });
const say = (text: string): Reply => answer({ kind: 'text', text });
const NAMES = ['one', 'two', 'three'];

/** Three agents, each of which wants to create a file. */
function choose(prompt: string): Scene | null {
  const name = NAMES.find((one) => prompt.includes(`part-${one}`));
  if (name !== undefined) return sceneOf(name, answer(tool('Bash', { command: `touch made-by-${name}` })), say('done'));
  if (!prompt.includes('scene:all')) return null;
  const agents = NAMES.map((one) =>
    tool('Agent', { description: `write ${one}`, prompt: `part-${one}`, subagent_type: 'general-purpose' }),
  );
  return sceneOf('all', answer(...agents), say('They are at it.'));
}

const made = (name: string): boolean => existsSync(join(world.projectDir, `made-by-${name}`));
const commands = ({ status }: Session): unknown[] =>
  openQuestions(status).map((one) => (one.tool?.input as { command?: string } | undefined)?.command);

test('the open questions of a session are shown one at a time, and a key answers the one that is shown', async () => {
  await cbos.call('POST', '/sessions', { slug: 'ALL', type: 'json', path: world.projectDir });
  await cbos.cli(['send', 'ALL', 'scene:all', '--wait']);
  const asking = await cbos.until('ALL', (one) => commands(one).length === 3, 'all agents ask');
  const [first, second, third] = commands(asking).map((command) => String(command).replace('touch made-by-', ''));
  const shown = await terminal.until(/asks for permission \(question 1 of 3\)/, 'the oldest question');
  expect(shown).toContain(`agent general-purpose (write ${first})`);
  await terminal.keys(']');
  await terminal.until(new RegExp(`\\(write ${second}\\) asks for permission \\(question 2 of 3\\)`), 'the second one');
  await terminal.keys('n');
  await cbos.until('ALL', (one) => commands(one).length === 2, 'it is answered');
  await terminal.until(
    new RegExp(`\\(write ${first}\\) asks for permission \\(question 1 of 2\\)`),
    'the oldest one again',
  );
  await terminal.keys('[');
  await terminal.until(new RegExp(`\\(write ${third}\\) asks for permission \\(question 2 of 2\\)`), 'the third one');

  // Somebody else answers the question that is shown. The next key was meant for it, and answers nothing.
  const { id } = openQuestions((await cbos.session('ALL')).status)[1] ?? { id: '' };
  await cbos.cli(['answer', 'ALL', 'no', '--question', id]);
  await terminal.until(new RegExp(`\\(write ${first}\\) asks for permission ─`), 'the only one that is left');
  await terminal.until(/y yes {2}n no/, 'the keys that answer it');
  await terminal.keys('y');
  await waitFor(() => made(String(first)), { describe: 'the agent goes on' });
  await cbos.until('ALL', ({ json_state: state }) => state === 'complete', 'is done');
  expect([made(String(second)), made(String(third))]).toEqual([false, false]);
  await cbos.call('DELETE', '/sessions/ALL');
});
