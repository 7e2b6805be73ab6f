import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/platform/sqlite/database.ts';
import type { SearchHit, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

const STUB = fileURLToPath(new URL('../harness/stub-agent.sh', import.meta.url));
const OF_A = '11111111-1111-4111-8111-111111111111';
const OF_B = '22222222-2222-4222-8222-222222222222';

/** Returns the mark of each launch. Any program of the same user can read these marks in /proc. */
function launchesOf(world: World): Map<string, string> {
  const database = openDatabase(join(world.cbosHome, 'cbos.db'));
  const rows = database.prepare('SELECT slug, launch_id FROM sessions').all() as { slug: string; launch_id: string }[];
  database.close();
  return new Map(rows.map(({ slug, launch_id }) => [slug, launch_id]));
}

test('a hook that another program dropped names only the conversation and files of its own session', async () => {
  await using world = createWorld();
  const cbos: Cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: STUB });
  for (const slug of ['A', 'B']) {
    const { error } = await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
    expect(error).toBeNull();
  }
  const launches = launchesOf(world);
  let count = 0;
  const drop = (slug: string, payload: object): void => {
    count += 1;
    const name = `${Date.now()}${String(count).padStart(6, '0')}.${launches.get(slug)}.1.${count}.json`;
    const draft = join(world.cbosHome, 'hooks', `.${name}`);
    writeFileSync(draft, JSON.stringify({ hook_event_name: 'UserPromptSubmit', prompt: 'x', ...payload }));
    renameSync(draft, join(world.cbosHome, 'hooks', name));
  };
  const projects = join(world.home, '.claude', 'projects', 'some');
  mkdirSync(projects, { recursive: true });
  const transcript = (dir: string, id: string, text: string): string => {
    const file = join(dir, `${id}.jsonl`);
    const line = {
      type: 'user',
      uuid: id,
      timestamp: new Date().toISOString(),
      message: { role: 'user', content: text },
    };
    writeFileSync(file, `${JSON.stringify(line)}\n`);
    return file;
  };
  const own = transcript(projects, OF_A, 'needle of its own');
  const others = transcript(projects, OF_B, 'needle of another');
  const elsewhere = transcript(world.project('elsewhere'), OF_A, 'needle of elsewhere');

  drop('B', { session_id: OF_B });
  await cbos.until('B', ({ claude_session_id: id }) => id === OF_B, 'has its conversation');
  drop('A', { session_id: OF_B, transcript_path: others });
  drop('A', { session_id: '--dangerously-skip-permissions', transcript_path: others });
  drop('A', { session_id: OF_A, transcript_path: elsewhere });
  drop('A', { session_id: OF_A, transcript_path: join(projects, '..', 'some', '..', 'some', `${OF_B}.jsonl`) });
  drop('A', { session_id: OF_A, transcript_path: own });
  await cbos.until('A', ({ claude_session_id: id }) => id === OF_A, 'has its conversation');
  const found = async (): Promise<string[]> =>
    (await cbos.call<{ hits: SearchHit[] }>('GET', '/search?q=needle')).body.hits.map(
      ({ session, snippet }) => `${session}: ${snippet}`,
    );
  await waitFor(async () => (await found()).some((hit) => hit.includes('of its own')), {
    describe: 'its own is found',
  });
  expect(await found()).toEqual(['A: needle of its own']);
  const { body } = await cbos.call<Session[]>('GET', '/sessions');
  expect(body.map(({ slug, claude_session_id: id }) => [slug, id])).toEqual([
    ['A', OF_A],
    ['B', OF_B],
  ]);
});
