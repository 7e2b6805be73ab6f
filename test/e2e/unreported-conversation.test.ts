import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let kept: KeptConversations;

beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1' });
  kept = keptConversations(world, () => cbos);
});
afterAll(() => world.dispose());

test('if Claude Code does not report its conversation, the sender learns that CBOS only guesses it', async () => {
  await kept.begin('SILENT', { type: 'json' });
  await kept.untilQuiet('SILENT');
  const registry = join(world.home, '.claude/sessions');
  rmSync(registry, { recursive: true });
  // Nothing can be written there.
  symlinkSync('/nowhere', registry);
  const sent = await cbos.cli(['send', 'SILENT', 'scene:hello again']);
  rmSync(registry);
  expect([sent.code, sent.stderr, sent.stdout]).toEqual([
    0,
    '',
    expect.stringContaining('had not reported which conversation'),
  ]);
  await kept.untilQuiet('SILENT');
  const known = await cbos.cli(['send', 'SILENT', 'scene:hello once more']);
  expect([known.code, known.stdout]).toEqual([0, 'Sent to SILENT\n']);
});
