import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Invocation, Session, SessionCosts } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type JsonSessions, jsonSessions } from '../harness/json-session.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let json: JsonSessions;
beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1' });
  json = jsonSessions(world, () => cbos);
});
afterAll(() => world.dispose());

const lastModel = (): string | undefined => {
  const asked = world.apiEvents.findLast((event) => event.kind === 'request' && event.scene !== null);
  return asked?.kind === 'request' ? asked.body.model : undefined;
};

// The first test, because the costs are those of all sessions.
test('cbos invoke streams a turn, prints its question, and exits with a code for scripts', async () => {
  const made = await cbos.cli(['new', 'CI', world.projectDir, '--type', 'json']);
  expect(made.stdout).toContain('cbos invoke CI');
  const streamed = await cbos.cli(['invoke', 'CI', 'scene:read please']);
  const stdout = 'Let me look.\n● Read: README.md\nIt is a small example project.\n';
  expect(streamed, streamed.stderr).toMatchObject({ code: 0, stdout });
  const costs = JSON.parse((await cbos.cli(['costs', 'CI', '--json'])).stdout) as SessionCosts;
  expect(costs.session.turns).toBe(1);
  expect((await cbos.session('CI')).cost_usd).toBeCloseTo(costs.session.cost_usd, 6);
  expect((await cbos.cli(['costs'])).stdout).toContain('$0.02');

  const question = await cbos.cli(['invoke', 'CI', 'scene:permission please']);
  expect(question.code, question.stderr).toBe(4);
  expect(question.stdout).toContain('cbos answer CI 1');
  await cbos.cli(['answer', 'CI', 'no']);
  await cbos.untilStatus('CI', 'idle/waiting_input');
  const failed = await cbos.cli(['invoke', 'CI', 'scene:fail', '--json']);
  expect(failed.code).toBe(1);
  const lines = failed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: { type: string } });
  expect(lines.at(-1)?.event.type).toBe('result');
  const events = await cbos.cli(['events', 'CI']);
  expect(events.stdout).toContain('❯ scene:permission please\n● I will write the marker file.\n');
});

test('permission mode and model change from one turn to the next, in a running process and in a new one', async () => {
  await json.untilNoAgent();
  await json.create('MODES');
  const running = await cbos.cli(['invoke', 'MODES', 'scene:hello']);
  expect(running.code, running.stderr).toBe(0);
  expect(json.agents()).toBe(1);
  const planned = await cbos.cli(['invoke', 'MODES', 'scene:plan', '--permission-mode', 'plan']);
  expect(planned.code, planned.stderr).toBe(4);
  expect(await cbos.session('MODES')).toMatchObject({ permission_mode: 'plan', status: { detail: 'plan' } });
  expect((await cbos.cli(['answer', 'MODES', '1'])).code).toBe(0);
  await cbos.until('MODES', (one) => one.json_state === 'complete', 'is complete');
  expect((await cbos.session('MODES')).permission_mode).toBe('default');

  const modelled = await cbos.cli(['invoke', 'MODES', 'scene:hello', '--model', 'claude-haiku-4-5']);
  expect(modelled.code, modelled.stderr).toBe(0);
  expect(lastModel()).toBe('claude-haiku-4-5');
  expect((await cbos.session('MODES')).model).toBe('claude-haiku-4-5');

  await json.untilNoAgent();
  const options = { model: 'claude-sonnet-4-5', permission_mode: 'acceptEdits' };
  const started = await cbos.call<Invocation>('POST', '/sessions/MODES/invoke', { prompt: 'scene:write', options });
  expect(started.status, JSON.stringify(started.error)).toBe(202);
  // In this mode a file in the project needs no permission.
  await cbos.until('MODES', (one) => one.json_state === 'complete', 'is complete');
  expect(lastModel()).toBe('claude-sonnet-4-5');
  expect((await cbos.session('MODES')).permission_mode).toBe('acceptEdits');

  const refused = await cbos.call('POST', '/sessions/MODES/invoke', {
    prompt: 'x',
    options: { permission_mode: 'all' },
  });
  expect(refused.error?.code).toBe('invalid_request');
  expect((await cbos.cli(['invoke', 'MODES', 'x', '--permission-mode', 'all'])).code).toBe(2);
});

test('a conversation is compacted by its slash command, and shows this', async () => {
  const watcher = await cbos.watch();
  await json.create('LONG');
  await json.invoke('LONG', 'scene:hello');
  await cbos.untilStatus('LONG', 'idle/waiting_input');
  const compacted = await cbos.cli(['invoke', 'LONG', '/compact']);
  expect(compacted, compacted.stderr).toMatchObject({ code: 0, stdout: 'Compacted\n' });
  expect(watcher.statuses('LONG')).toContain('active/compacting');
  expect((await cbos.cli(['buffer', 'LONG'])).stdout).toContain('❯ /compact');
});

test('limits of a subscription are shown with the time of their reset, as they come near and when they are reached', async () => {
  // Claude Code with a subscription may contact hosts other than the model's. This proxy lets nothing through.
  const nowhere = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(nowhere, 'listening');
  world.onDispose(() => new Promise((resolve) => nowhere.close(() => resolve())));
  const { port } = nowhere.address() as { port: number };
  const proxy = { HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '127.0.0.1' };
  const env = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'stand-in', ...proxy };
  await json.create('LIMITED', { env });
  const near = await cbos.cli(['invoke', 'LIMITED', 'scene:limit-near']);
  expect(near.code, near.stderr).toBe(0);
  const limit = { kind: 'five_hour', resets_at: '2100-01-01T00:00:00.000Z' };
  expect((await cbos.session('LIMITED')).rate_limit).toEqual({
    ...limit,
    status: 'allowed_warning',
    utilization: 0.92,
  });
  expect((await cbos.cli(['show', 'LIMITED'])).stdout).toMatch(
    /five hour limit nearly reached \(92 %\), resets at 2100-01-01/,
  );

  const reached = await cbos.cli(['invoke', 'LIMITED', 'scene:limit']);
  expect(reached.code).toBe(1);
  expect(reached.stderr).toContain("You've hit your 5-hour limit · resets Jan 1, 2100");
  const stopped = await cbos.untilStatus('LIMITED', 'waiting/limit');
  expect(stopped).toMatchObject({ state: 'waiting', rate_limit: { ...limit, status: 'rejected' } });
});

test('turns cost the right amount after a process was ended and after one was killed', async () => {
  await json.create('COST');
  const turn = async (): Promise<void> => {
    expect((await cbos.cli(['invoke', 'COST', 'scene:hello'])).code).toBe(0);
  };
  await turn();
  await json.untilNoAgent();
  await turn();
  await json.invoke('COST', 'scene:silent');
  const { pid } = await cbos.until('COST', (one) => one.status.primary === 'active' && one.pid !== null, 'runs');
  process.kill(pid ?? -1, 'SIGKILL');
  await cbos.untilStatus('COST', 'idle/error');
  await turn();

  const results = (await json.events('COST')).map(({ event }) => event).filter(({ type }) => type === 'result');
  const totals = results.map(({ total_cost_usd }) => Number(total_cost_usd));
  const [first = 0, second = 0, third = 0] = totals;
  expect(second, 'a resumed process continues the sum').toBeGreaterThan(1.5 * first);
  expect(third, 'a killed one has handed nothing on').toBeLessThan(second + 0.5 * first);
  const { turns, days, session } = (await cbos.call<SessionCosts>('GET', '/sessions/COST/costs')).body;
  // Three short answers. Each request contains a little more of the conversation.
  expect(turns).toHaveLength(3);
  for (const { cost_usd } of turns) expect(cost_usd / first).toBeCloseTo(1.05, 0);
  const sum = turns.reduce((dollars, { cost_usd }) => dollars + cost_usd, 0);
  expect(days.reduce((dollars, { cost_usd }) => dollars + cost_usd, 0)).toBeCloseTo(sum, 9);
  expect(session.cost_usd).toBeCloseTo(sum, 9);
  expect(((await cbos.session('COST')) as Session).cost_usd).toBeCloseTo(sum, 9);
});

test('a session does not cost more than allowed, except for the request that reaches the limit', async () => {
  await cbos.cli(['new', 'CHEAP', world.projectDir, '--type', 'json', '--max-budget-usd', '0.005']);
  const first = await cbos.cli(['invoke', 'CHEAP', 'scene:read please']);
  expect(first.code).toBe(1);
  expect(first.stderr).toContain('Reached maximum budget ($0.005)');
  const requests = world.apiEvents.length;
  const second = await cbos.cli(['invoke', 'CHEAP', 'scene:hello']);
  expect(second.code).toBe(4);
  expect(second.stderr).toContain('of its $0.005');
  expect(world.apiEvents).toHaveLength(requests);
});
