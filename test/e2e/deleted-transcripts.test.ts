import { copyFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let kept: KeptConversations;
beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '2' });
  kept = keptConversations(world, () => cbos);
});
afterAll(() => world.dispose());

/** Runs two turns, and deletes the transcript between them. Returns its path; a copy of the first turn is beside it. */
async function beginAndDelete(slug: string, type: string): Promise<string> {
  await kept.begin(slug, { type });
  const file = await kept.transcriptOf(slug);
  copyFileSync(file, `${file}.saved`);
  rmSync(file);
  await kept.ask(slug, 'scene:hello after the deletion');
  expect(kept.remembers(slug)).toBe(true);
  return file;
}

/** Every command that would continue the newest turns alone, as if they were the conversation. */
async function expectRefusals(commands: readonly string[][]): Promise<void> {
  for (const args of commands) {
    const { code, stderr } = await cbos.cli(args);
    expect([args, code, stderr]).toEqual([args, expect.any(Number), expect.stringContaining('conversation')]);
    expect(code).not.toBe(0);
  }
}

describe('a transcript that is deleted while Claude Code runs', () => {
  test('a session in a terminal is not parked, converted, forked or restarted without its first turn', async () => {
    const file = await beginAndDelete('SCREEN', 'screen');
    await expectRefusals([
      ['park', 'SCREEN'],
      ['convert', 'SCREEN', 'json'],
      ['fork', 'SCREEN', 'COPY', '--same-folder'],
    ]);
    await kept.ask('SCREEN', 'scene:hello again');
    expect(kept.remembers('SCREEN')).toBe(true);
    expect((await cbos.cli(['stop', 'SCREEN'])).code).toBe(0);
    const { code, stderr } = await cbos.cli(['restart', 'SCREEN']);
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`is gone, except for its newest turns: ${file} was deleted while`),
    });
    expect(await cbos.session('SCREEN')).toMatchObject({ state: 'dead', missing_conversation: expect.any(String) });
    copyFileSync(`${file}.saved`, file);
    expect((await cbos.cli(['restart', 'SCREEN'])).stdout).toBe('SCREEN restarted; resuming its conversation\n');
    await kept.ask('SCREEN', 'scene:hello after the copy is back');
    expect(kept.remembers('SCREEN')).toBe(true);
  });

  test('a JSON session keeps its process after the idle time-out, and with it the conversation', async () => {
    await beginAndDelete('JSON', 'json');
    await cbos.until('JSON', (session) => session.missing_conversation !== undefined, 'shows that the file is gone');
    expect((await cbos.session('JSON')).pid).not.toBeNull();
    await kept.ask('JSON', 'scene:hello after the time-out');
    expect(kept.remembers('JSON')).toBe(true);
    await expectRefusals([
      ['convert', 'JSON', 'screen'],
      ['fork', 'JSON', 'COPY', '--same-folder'],
    ]);
    expect((await cbos.cli(['restart', 'JSON', '--new-conversation'])).stderr).toBe('');
    await kept.ask('JSON', 'scene:hello in a new conversation');
    expect(kept.remembers('JSON')).toBe(false);
  });
});
