import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SearchResult } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
});
afterEach(() => world.dispose());

async function search(query: string): Promise<SearchResult> {
  return (await cbos.call<SearchResult>('GET', `/search?${new URLSearchParams({ q: query })}`)).body;
}

async function found(query: string, isIt: (result: SearchResult) => boolean): Promise<SearchResult> {
  const answer = { last: await search(query) };
  await waitFor(
    async () => {
      answer.last = await search(query);
      return isIt(answer.last);
    },
    { describe: `${query} is found`, actual: () => answer.last },
  );
  return answer.last;
}

test('the prompts, answers, actions and screens of a session are found at once, even after kill -9, with their place for a replay', async () => {
  await cbos.call('POST', '/sessions', {
    slug: 'TOOLS',
    type: 'screen',
    path: world.projectDir,
    prompt: 'scene:tools zebrafish',
  });
  const prompt = await found('zebrafish', ({ hits }) =>
    hits.some(({ kind, offset }) => kind === 'prompt' && offset !== null),
  );
  expect(prompt.hits.filter(({ kind }) => kind === 'prompt')).toMatchObject([
    { session: 'TOOLS', recording: 'TOOLS', seq: null },
  ]);
  await cbos.untilStatus('TOOLS', 'idle/waiting_input', 30_000);
  const calls = await found('Bash', ({ hits }) => hits.some(({ kind }) => kind === 'tool'));
  const shown = await found(
    'zebrafish',
    ({ hits, pending_bytes }) => pending_bytes === 0 && hits.some(({ kind }) => kind === 'screen'),
  );

  const days = await cbos.call<{ session: string; worked_ms: number; waited_ms: number }[]>('GET', '/history/days');
  expect(days.body).toMatchObject([{ session: 'TOOLS' }]);
  // The scene's command takes about three seconds.
  expect(days.body[0]?.worked_ms).toBeGreaterThan(1_500);
  expect(days.body[0]?.waited_ms).toBeGreaterThan(0);

  await cbos.stop('SIGKILL');
  cbos = await startCbos(world);
  const again = await found('zebrafish', ({ pending_bytes }) => pending_bytes === 0);
  expect(again.hits.map(({ kind, snippet }) => [kind, snippet])).toEqual(
    shown.hits.map(({ kind, snippet }) => [kind, snippet]),
  );
  expect((await search('Bash')).hits.filter(({ kind }) => kind === 'tool')).toHaveLength(
    calls.hits.filter(({ kind }) => kind === 'tool').length,
  );

  const hit = again.hits.find(({ kind }) => kind === 'screen');
  const table = await cbos.cli(['search', 'zebrafish', '--session', 'TOOLS']);
  expect(table.stdout).toContain(`replay TOOLS --from ${Math.max(0, Math.floor(hit?.t ?? -1) - 1)}`);
  const played = await cbos.cli(['replay', 'TOOLS', '--from', String(hit?.t), '--speed', '1000', '--idle-limit', '0']);
  expect(played.stdout).toContain('zebrafish');

  await cbos.cli(['rename', 'TOOLS', 'OTHER']);
  expect(
    (await found('zebrafish', ({ hits }) => hits.every(({ recording }) => recording === 'OTHER'))).hits[0]?.session,
  ).toBe('OTHER');
  await cbos.cli(['rm', 'OTHER', '--yes']);
  expect((await search('zebrafish')).hits).toEqual([]);
  expect((await cbos.cli(['search', 'zebrafish'])).stderr).toContain('nothing found');
});

test('the prompts, answers and calls of a JSON session are found, and lead to their place among the events', async () => {
  await cbos.call('POST', '/sessions', { slug: 'J', type: 'json', path: world.projectDir });
  const turn = await cbos.cli(['invoke', 'J', 'scene:tools zebrafish']);
  expect(turn.code, turn.stderr).toBe(0);
  const looked = { prompt: 'zebrafish', answer: '"All checks passed"', tool: 'check.sh' };
  for (const [kind, words] of Object.entries(looked)) {
    const { hits } = await found(words, (result) => result.hits.some((one) => one.kind === kind));
    const hit = hits.find((one) => one.kind === kind);
    expect(hit, kind).toMatchObject({ session: 'J', recording: null, offset: null, t: null });
    const printed = (await cbos.cli(['search', words, '--kind', kind])).stdout;
    const jump = `events J --after ${(hit?.seq ?? 0) - 1}`;
    expect(printed).toContain(jump);
    const [first = ''] = (await cbos.cli([...jump.split(' '), '--json'])).stdout.split('\n');
    expect(JSON.parse(first)).toMatchObject({ seq: hit?.seq });
    expect(first, kind).toContain(words.replaceAll('"', ''));
  }
  await cbos.cli(['rm', 'J', '--yes']);
  expect((await search('zebrafish')).hits).toEqual([]);
});
