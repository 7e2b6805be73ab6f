import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';

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
