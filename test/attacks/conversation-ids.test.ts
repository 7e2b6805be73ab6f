import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { conversationFor, transcriptFile } from '../../src/platform/claude/index.ts';
import { createWorld } from '../harness/world.ts';

test.each([
  '--dangerously-skip-permissions',
  '../other/conversation',
  '--settings=01234567-89ab-cdef-0123-456789abcdef',
])('a restart never resumes the conversation %j that a hook or the registry has named', async (sessionId) => {
  await using world = createWorld();
  const place = { configDir: join(world.home, '.claude'), cwd: world.projectDir, sessionId };
  mkdirSync(dirname(transcriptFile(place)), { recursive: true });
  writeFileSync(transcriptFile(place), '{"type":"user"}\n');
  const own = { configDirs: [place.configDir], sessionId, reported: transcriptFile(place), isBegun: true };
  expect(await conversationFor(own, null, 'new')).toEqual({ kind: 'new', sessionId: 'new' });
});
