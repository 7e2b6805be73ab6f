import { renameSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { keptConversations } from '../harness/kept-conversations.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let terminal: Terminal;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1' });
  terminal = await openTerminal(world, { cols: 120, rows: 36, env: { CBOS_PORT: new URL(cbos.url).port } });
});
afterAll(() => world.dispose());

test('a session whose conversation is gone begins a new one there, after a question', async () => {
  const kept = keptConversations(world, () => cbos);
  for (const type of ['screen', 'json']) {
    const slug = type.toUpperCase();
    await kept.begin(slug, { type });
    const file = await kept.transcriptOf(slug);
    if (type === 'screen') await cbos.cli(['stop', slug]);
    else await kept.untilQuiet(slug);
    renameSync(file, `${file}.cleaned`);
    if (type === 'json') await cbos.cli(['send', slug, 'scene:hello into nothing']);
    await terminal.until(type === 'json' ? /r new conversation/ : /r restart/, 'the key');
    await terminal.keys('r');
    await terminal.until(new RegExp(`The conversation of ${slug} is gone. Begin a new one\\?`), 'the question');
    await terminal.keys('n');
    expect(await cbos.session(slug)).toMatchObject({ missing_conversation: expect.any(String) });
    await terminal.keys('r');
    await terminal.until(/starts without its earlier conversation/, 'the consequences');
    await terminal.keys('y');
    await terminal.until(new RegExp(`${slug} has a new conversation`), 'that it begins');
    await kept.ask(slug, 'scene:hello again');
    expect(kept.remembers(slug)).toBe(false);
    await cbos.call('DELETE', `/sessions/${slug}`);
  }
  expect(world.promptsReceived()).not.toContain('scene:hello into nothing');
});
