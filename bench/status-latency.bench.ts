import { cpSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cbos, startCbos, type Watcher } from '../test/harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../test/harness/claude.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import { type Figure, median } from './figures.mjs';

export const about =
  'real Claude Code on the stand-in: from the event at the model to the frame at a WebSocket client, Claude Code itself included';

const TURNS = 15;

/**
 * Milliseconds from the cause to the frame, for each kind of change, and also from the hook that reported the change.
 */
type Samples = Record<'end of a turn' | 'permission prompt' | 'hook', number[]>;

export async function measure(): Promise<Figure[]> {
  await using world = await claudeWorld();
  const cbos = await startCbos(world);
  const withHooks = await play({ world, cbos, slug: 'HOOKS' });
  const screenAlone = await play({
    world,
    cbos,
    slug: 'SCREEN',
    env: { CLAUDE_CONFIG_DIR: silentConfiguration(world) },
  });
  return [
    ...figures('with hooks', withHooks, 100),
    {
      name: `CBOS's part, from the hook to the frame, median of ${withHooks.hook.length}`,
      value: median(withHooks.hook),
      unit: 'ms',
    },
    ...figures('from the screen alone', screenAlone, 500),
    {
      name: 'end of a turn, screen against hooks, medians',
      value: median(screenAlone['end of a turn']) / median(withHooks['end of a turn']),
      unit: 'times',
    },
  ];
}

interface Play {
  world: ClaudeWorld;
  cbos: Cbos;
  slug: string;
  env?: Record<string, string>;
}

async function play({ world, cbos, slug, env }: Play): Promise<Samples> {
  const samples: Samples = { 'end of a turn': [], 'permission prompt': [], hook: [] };
  const hooks = watchHooks(world);
  const created = await cbos.call('POST', '/sessions', {
    slug,
    type: 'screen',
    path: world.projectDir,
    ...(env === undefined ? {} : { env }),
  });
  if (created.error !== null) throw new Error(created.error.message);
  await cbos.untilStatus(slug, 'idle/ready');
  const watcher = await cbos.watch();
  for (let turn = 0; turn < TURNS; turn += 1) {
    const sentAt = Date.now();
    await send(cbos, slug, 'scene:think please');
    const told = await lag({ world, watcher, slug, status: 'idle/waiting_input', after: sentAt, cause: 'end' });
    samples['end of a turn'].push(told.lagMs);
    if (hooks.lastBefore(told.at) > sentAt) samples.hook.push(told.at - hooks.lastBefore(told.at));
  }
  for (let turn = 0; turn < TURNS; turn += 1) {
    const sentAt = Date.now();
    await send(cbos, slug, 'scene:permission please');
    const told = await lag({ world, watcher, slug, status: 'waiting/permission', after: sentAt, cause: 'tool' });
    samples['permission prompt'].push(told.lagMs);
    if (hooks.lastBefore(told.at) > sentAt) samples.hook.push(told.at - hooks.lastBefore(told.at));
    await cbos.until(slug, (one) => (one.status.question?.options.length ?? 0) > 0, 'shows the options');
    const answered = await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 'yes' });
    if (answered.error !== null) throw new Error(answered.error.message);
    await cbos.untilStatus(slug, 'idle/waiting_input');
  }
  watcher.close();
  hooks.close();
  return samples;
}

async function send(cbos: Cbos, slug: string, text: string): Promise<void> {
  const sent = await cbos.call('POST', `/sessions/${slug}/send`, { text });
  if (sent.error !== null) throw new Error(sent.error.message);
}

interface Lag {
  world: ClaudeWorld;
  watcher: Watcher;
  slug: string;
  status: string;
  after: number;
  cause: 'end' | 'tool';
}

/** Measures the time from the last byte of the stand-in's answer to the frame with the resulting status. */
async function lag({ world, watcher, slug, status, after, cause }: Lag): Promise<{ lagMs: number; at: number }> {
  const frame = await waitFor(
    () =>
      watcher.frames.find(
        (one) =>
          one.type === 'session_state' &&
          one.session === slug &&
          one.receivedAt > after &&
          `${one.status.primary}/${one.status.detail}` === status,
      ),
    { describe: `${slug} is ${status}`, timeoutMs: 20_000 },
  );
  const event = world.apiEvents.findLast((one) => one.kind === cause && one.at >= after && one.at <= frame.receivedAt);
  if (event === undefined) throw new Error(`${status} came without its cause`);
  return { lagMs: frame.receivedAt - event.at, at: frame.receivedAt };
}

/** Records when a world's hooks were fired, according to the names of their files. */
function watchHooks(world: ClaudeWorld): { lastBefore(at: number): number; close(): void } {
  const times: number[] = [];
  const watching = watch(join(world.cbosHome, 'hooks'), (_event, name) => {
    const nanoseconds = /^(\d{19})\..*\.json$/.exec(name ?? '')?.[1];
    if (nanoseconds !== undefined) times.push(Number(nanoseconds) / 1e6);
  });
  return { lastBefore: (at) => Math.max(0, ...times.filter((time) => time <= at)), close: () => watching.close() };
}

/**
 * Returns a configuration in which hooks are off and nobody watches the registry, so that the screen is the only
 * source.
 */
function silentConfiguration(world: ClaudeWorld): string {
  const directory = join(world.dir, 'silent');
  mkdirSync(directory, { mode: 0o700 });
  cpSync(join(world.home, '.claude'), directory, { recursive: true });
  cpSync(join(world.home, '.claude.json'), join(directory, '.claude.json'));
  const file = join(directory, 'settings.json');
  const settings = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...settings, disableAllHooks: true }));
  return directory;
}

function figures(how: string, samples: Samples, limit: number): Figure[] {
  return (['end of a turn', 'permission prompt'] as const).flatMap((what) => {
    const values = samples[what];
    return [
      { name: `${what}, ${how}, median of ${values.length}`, value: median(values), unit: 'ms', limit },
      { name: `${what}, ${how}, slowest`, value: Math.max(...values), unit: 'ms' },
    ];
  });
}
