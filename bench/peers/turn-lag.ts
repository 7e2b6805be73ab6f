import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Cbos, startCbos } from '../../test/harness/cbos.ts';
import { type ClaudeWorld, claudeWorld, pinnedVersion } from '../../test/harness/claude.ts';
import { waitFor } from '../../test/harness/wait-for.ts';
import { makeWorktrees, startCcmanager } from './ccmanager.ts';
import { ccmanagerProgram } from './programs.mjs';

/** What runs in each turn: Claude Code thinks, then answers. */
const PROMPT = 'scene:think please';
const SLUG = 'LAG';
/** A turn on a busy machine takes this long at most. */
const LONG_MS = 120_000;

/** Milliseconds from the end of an answer at the model until each program says that the turn is over. */
export interface TurnLags {
  cbos: number[];
  /** until a call of `claude agents --json`, made again and again, has said it */
  agents: number[];
  /** null on a machine without the program */
  ccmanager: { name: string; lagsMs: number[] } | null;
}

/** Measures turns of a real Claude Code on the stand-in for the model. */
export async function measureTurnLags(turns: number): Promise<TurnLags> {
  await using world = await claudeWorld({ projects: ['repository'] });
  const cbos = await startCbos(world);
  const created = await cbos.call('POST', '/sessions', { slug: SLUG, type: 'screen', path: world.projectDir });
  if (created.error !== null) throw new Error(created.error.message);
  await cbos.untilStatus(SLUG, 'idle/ready', LONG_MS);
  const ofCbos: number[] = [];
  for (let turn = 0; turn < turns; turn++) ofCbos.push(await cbosLag(world, cbos));
  const ofAgents: number[] = [];
  for (let turn = 0; turn < turns; turn++) ofAgents.push(await agentsLag(world, cbos));
  await cbos.call('DELETE', `/sessions/${SLUG}`);
  return { cbos: ofCbos, agents: ofAgents, ccmanager: await ccmanagerLags(world, turns) };
}

export const agentsName = (): string => `claude agents --json, ${pinnedVersion()}`;

/** Returns when the stand-in's answer ended, of the first one that ended after this time. */
const answered = (world: ClaudeWorld, after: number): Promise<number> =>
  waitFor(() => world.apiEvents.find(({ kind, at }) => kind === 'end' && at >= after)?.at, {
    describe: 'the answer is over',
    timeoutMs: LONG_MS,
  });

async function send(cbos: Cbos): Promise<number> {
  const sentAt = Date.now();
  const sent = await cbos.call('POST', `/sessions/${SLUG}/send`, { text: PROMPT });
  if (sent.error !== null) throw new Error(sent.error.message);
  return sentAt;
}

async function cbosLag(world: ClaudeWorld, cbos: Cbos): Promise<number> {
  const watcher = await cbos.watch();
  const endedAt = await answered(world, await send(cbos));
  const frame = await waitFor(
    () =>
      watcher.frames.find(
        (one) => one.type === 'session_state' && one.status.detail === 'waiting_input' && one.receivedAt >= endedAt,
      ),
    { describe: 'CBOS says that the turn is over', timeoutMs: LONG_MS },
  );
  watcher.close();
  return frame.receivedAt - endedAt;
}

async function agentsLag(world: ClaudeWorld, cbos: Cbos): Promise<number> {
  const { pid } = await cbos.session(SLUG);
  const sentAt = await send(cbos);
  await untilAgentsSay(world, pid, 'busy');
  await untilAgentsSay(world, pid, 'idle');
  const saidAt = Date.now();
  await cbos.untilStatus(SLUG, 'idle/waiting_input', LONG_MS);
  return saidAt - (await answered(world, sentAt));
}

async function untilAgentsSay(world: ClaudeWorld, pid: number | null, status: string): Promise<void> {
  const deadline = Date.now() + LONG_MS;
  while ((await agentsStatus(world, pid)) !== status) {
    if (Date.now() > deadline) throw new Error(`claude agents --json has not said ${status}`);
  }
}

async function agentsStatus(world: ClaudeWorld, pid: number | null): Promise<string | undefined> {
  const child = spawn(world.claude, ['agents', '--json'], { env: world.env, cwd: world.projectDir });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  return (JSON.parse(said) as { pid: number; status?: string }[]).find((one) => one.pid === pid)?.status;
}

async function ccmanagerLags(world: ClaudeWorld, turns: number): Promise<TurnLags['ccmanager']> {
  const program = ccmanagerProgram();
  if (program === null) return null;
  const repository = world.project('repository');
  makeWorktrees(world, repository, 0);
  const ccmanager = await startCcmanager(world, program.path, { command: world.claude, env: world.env, repository });
  const reported = (state: string, after: number): Promise<number> =>
    waitFor(() => ccmanager.reports().find((one) => one.state === state && one.at >= after)?.at, {
      describe: `ccmanager reports ${state}`,
      actual: () => ccmanager.reports(),
      timeoutMs: LONG_MS,
    });
  const startedAt = Date.now();
  await ccmanager.open('main');
  await reported('idle', startedAt);
  const lagsMs: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const sentAt = Date.now();
    ccmanager.type(PROMPT);
    // Claude Code takes an Enter that follows text at once as part of a paste.
    await waitFor(() => Date.now() - sentAt > 1_000, { describe: 'the text is in the prompt' });
    ccmanager.type('\r');
    await reported('busy', sentAt);
    const endedAt = await answered(world, sentAt);
    lagsMs.push((await reported('idle', endedAt)) - endedAt);
  }
  return { name: `ccmanager ${program.version}`, lagsMs };
}
