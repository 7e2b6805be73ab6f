import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { readLastModels } from '../../src/local/last-model.ts';
import { transcriptFile } from '../../src/platform/claude/index.ts';
import { someSession } from '../harness/some-session.ts';
import { createWorld } from '../harness/world.ts';

const ID = '0b5c1d9e-3f44-4c57-9a7e-2f4d8a0c6b11';
const answer = (model: string): string =>
  JSON.stringify({ type: 'assistant', message: { model, content: [{ type: 'tool_use', input: { model: 'input' } }] } });

test('is the one of the last answer, whatever follows it; a session without one is left out', async () => {
  await using world = createWorld();
  const configDir = `${world.home}/.claude`;
  const file = transcriptFile({ configDir, cwd: world.projectDir, sessionId: ID });
  mkdirSync(dirname(file), { recursive: true });
  const long = JSON.stringify({ type: 'user', message: { content: 'x'.repeat(100_000) } });
  writeFileSync(
    file,
    [answer('claude-old-1'), long, answer('claude-new-2'), answer('<synthetic>'), '{"type":"assistant","mess'].join(
      '\n',
    ),
  );
  const session = someSession('A', { path: world.projectDir, claude_session_id: ID });
  const others = [
    someSession('B', { claude_session_id: ID, path: '/elsewhere' }),
    someSession('C', { claude_session_id: '../../../etc/passwd' }),
    someSession('D'),
  ];
  expect([...readLastModels(world.env, [session, ...others])]).toEqual([['A', 'claude-new-2']]);
});
