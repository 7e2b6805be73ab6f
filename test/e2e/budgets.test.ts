import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery, ScheduleRun, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld, isOlderThan } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Less than the cost of any turn. */
const CONFIG = `
status_line_tap = "always"
[[budgets]]
name = "tokens"
for = "session:EVENTS"
tokens = 1
[[budgets]]
name = "dollars"
for = "session:LINE"
usd = 0.0001
per = "total"
[[budgets]]
name = "night"
for = "tag:night"
usd = 0.0001
per = "total"
`;

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  mkdirSync(world.cbosHome, { mode: 0o700 });
  writeFileSync(join(world.cbosHome, 'config.toml'), CONFIG);
  cbos = await startCbos(world);
}, 60_000);
afterAll(() => world.dispose());

const prompts = (text: string): number =>
  world.apiEvents.filter((event) => event.kind === 'request' && event.scene !== null && event.prompt === text).length;
const deliveryOf = async (slug: string, id: string): Promise<Delivery> =>
  (await cbos.call<Delivery>('GET', `/sessions/${slug}/deliveries/${id}`)).body;

test.skipIf(isOlderThan('2.1.329'))(
  'at its budget a session of either type gets no text until a person raises it, even from the next server',
  { timeout: 180_000 },
  async () => {
    for (const [slug, type] of [['EVENTS', 'json'] as const, ['LINE', 'screen'] as const]) {
      expect((await cbos.call('POST', '/sessions', { slug, type, path: world.projectDir })).error).toBeNull();
    }
    await cbos.untilStatus('LINE', 'idle/ready');
    // Counting begins with the first report of a launch.
    await cbos.until('LINE', ({ cost_usd }) => cost_usd === 0, 'reports that nothing was spent');
    const held: Record<string, string> = {};
    for (const slug of ['EVENTS', 'LINE']) {
      const first = await cbos.cli(['send', slug, `first ${slug}`]);
      expect(first.code, first.stderr).toBe(0);
      await cbos.until(slug, ({ over_budget: over }) => over !== undefined, 'has reached its budget');
      await cbos.untilStatus(slug, 'idle/waiting_input');
      const sent = await cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text: `second ${slug}` });
      expect(sent.body).toMatchObject({ status: 'queued', phase: 'over_budget' });
      expect(sent.body.note).toContain('cbos budget raise');
      held[slug] = sent.body.id;
    }
    expect((await cbos.cli(['ls'])).stdout).toMatch(/EVENTS +over budget[\s\S]*LINE +over budget/);
    expect((await cbos.cli(['invoke', 'EVENTS', 'third'])).stderr).toContain('Budget tokens has been reached');

    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    for (const [slug, budget] of [['EVENTS', 'tokens'] as const, ['LINE', 'dollars'] as const]) {
      const id = held[slug] ?? '';
      expect(await deliveryOf(slug, id)).toMatchObject({ status: 'queued', phase: 'over_budget' });
      expect(prompts(`second ${slug}`)).toBe(0);
      const raised = await cbos.cli(['budget', 'raise', budget, '--to', '1000000000']);
      expect(raised.stdout, raised.stderr).toMatch(new RegExp(`${budget} +${slug} .* raised`));
      await waitFor(async () => (await deliveryOf(slug, id)).status === 'delivered', {
        describe: `the text for ${slug} is delivered`,
        timeoutMs: 30_000,
      });
      await cbos.until(slug, (one) => one.over_budget === undefined, 'is below its budget');
    }
    await waitFor(() => prompts('second EVENTS') + prompts('second LINE') === 2, { describe: 'both texts arrive' });
    expect([prompts('third'), prompts('second EVENTS'), prompts('second LINE')]).toEqual([0, 1, 1]);
  },
);

test.skipIf(isOlderThan('2.1.329'))(
  'a schedule launches one session and sends one prompt although the server is killed, none over the budget of its tag, and what it sends is no look',
  { timeout: 180_000 },
  async () => {
    const schedule = (...words: string[]) => cbos.cli(['schedule', ...words]);
    const add = (name: string, folder: string) =>
      schedule('add', name, '0 0 29 2 *', '--new', folder, '--tag', 'night', '--prompt', `run of ${name}`);
    const runs = async (name: string): Promise<ScheduleRun[]> =>
      JSON.parse((await schedule('runs', name, '--json')).stdout);
    const launched = async (name: string): Promise<string[]> =>
      (await cbos.call<Session[]>('GET', '/sessions')).body.flatMap(({ slug }) =>
        slug.startsWith(name) ? [slug] : [],
      );
    const added = await add('EACH', world.projectDir);
    expect(added.code, added.stderr).toBe(0);
    const cut = cbos.call('POST', '/schedules/EACH/run').catch(() => null);
    const isLaunching = () => world.processes().some(({ command }) => command.includes('-S EACH-1'));
    await waitFor(isLaunching, { describe: 'the launch has begun' });
    await cbos.stop('SIGKILL');
    await cut;
    cbos = await startCbos(world);
    await waitFor(() => prompts('run of EACH') === 1, {
      describe: 'its prompt arrives',
      timeoutMs: 60_000,
      actual: async () => JSON.stringify([await runs('EACH'), (await cbos.call('GET', '/sessions')).body]),
    });
    await waitFor(async () => ((await runs('EACH'))[0]?.cost_usd ?? 0) > 0, {
      describe: 'the run has a cost',
      timeoutMs: 30_000,
    });
    expect(await runs('EACH')).toMatchObject([{ outcome: 'sent', session: 'EACH-1', delivery_status: 'delivered' }]);
    expect(await launched('EACH')).toEqual(['EACH-1']);

    // Nobody has looked, whatever a schedule sends.
    await cbos.until('EACH-1', ({ unread }) => unread, 'has finished a turn that nobody has seen');
    await schedule('add', 'AGAIN', '0 0 29 2 *', '--session', 'EACH-1', '--prompt', 'go on');
    expect((await schedule('run', 'AGAIN')).code).toBe(0);
    expect((await runs('AGAIN'))[0]).toMatchObject({ outcome: 'sent', delivery_status: 'queued' });
    expect((await cbos.call<Session>('GET', '/sessions/EACH-1')).body.unread).toBe(true);

    expect((await schedule('run', 'EACH')).stdout).toBe('skipped: a budget was reached\n');
    expect((await cbos.cli(['budget', 'raise', 'night', '--to', '1000'])).code).toBe(0);
    // Nobody has told Claude Code that it may trust this folder.
    const strange = join(world.dir, 'strange');
    mkdirSync(strange);
    await add('STRANGE', strange);
    await schedule('run', 'STRANGE');
    await waitFor(async () => (await runs('STRANGE'))[0]?.reason === 'refused', {
      describe: 'the refusal is recorded',
      timeoutMs: 30_000,
    });
    expect((await runs('STRANGE'))[0]).toMatchObject({ outcome: 'skipped', session: 'STRANGE-1' });
    expect(prompts('run of STRANGE') + prompts('run of EACH')).toBe(1);
  },
);
