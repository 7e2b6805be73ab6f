import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ClaudeVersion, SPOOL_VARIABLE } from '../../src/platform/claude/index.ts';
import { launch, openScreenHost, resizeScreen, typeKeys } from '../../src/platform/gnu-screen/index.ts';
import { isAlive } from '../../src/platform/process/index.ts';
import type { ClaudeWorld, TimedApiEvent } from '../harness/claude.ts';
import { MARK } from '../harness/marked-processes.mjs';
import { waitFor } from '../harness/wait-for.ts';
import type { NetworkGate } from './network-gate.ts';
import type { Stage } from './scene.ts';
import type { Truth, Whose } from './truth.ts';

/** A start is over when nothing has been drawn for so long; then it gets as long again before somebody types. */
const QUIET_MS = 800;
const AFTER_START_MS = 2_500;
const START_TIMEOUT_MS = 30_000;
/** Less may be terminal modes only. */
const FIRST_FRAME_BYTES = 400;

/** Less, and Enter is taken for a part of the paste (versions up to 2.1.50). */
const BEFORE_ENTER_MS = 400;

const SETTLE_MS = 5_000;
const EVENT_TIMEOUT_MS = 30_000;
const LONG_TIMEOUT_MS = 120_000;

export interface StageOptions {
  world: ClaudeWorld;
  /** what runs Claude Code, without arguments */
  program: readonly string[];
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  version: ClaudeVersion;
  cols: number;
  rows: number;
  truth: Truth;
  files: { typescript: string; timing: string };
  gate: NetworkGate;
  /** when connections were reset, in Unix milliseconds; grows */
  cutOffs: readonly number[];
}

/** Starts Claude Code as CBOS does, in a Screen of the asked size with `script` in it. */
export async function openStage(options: StageOptions): Promise<Stage> {
  const { world, truth, files, cutOffs } = options;
  const events: { kind: TimedApiEvent['kind']; whose: Whose }[] = [];
  let read = 0;
  let lastTool = 0;
  world.onDispose(
    world.onApiEvent((event) => {
      const whose = truth.hear(event);
      if (event.kind === 'tool') lastTool = event.request;
      // An answer that ends in a tool call goes on after it.
      if (event.kind !== 'end' || event.request !== lastTool) events.push({ kind: event.kind, whose });
    }),
  );
  const host = await openScreenHost({
    env: world.env,
    screenDir: world.screenDir,
    runDir: join(world.dir, 'run'),
    tempDir: world.temporary,
  });
  truth.say('starting', 'spawn');
  const { screenId, agent } = await launch(host, {
    name: 'recorded',
    cwd: world.projectDir,
    env: options.env,
    cols: options.cols,
    rows: options.rows,
    command: [...options.program, ...options.args],
    recording: { ...files, flush: true },
    mark: { name: MARK, value: world.mark },
  });
  let isDead = false;
  const watch = setInterval(() => {
    void isAlive(agent).then((alive) => {
      if (alive || isDead) return;
      isDead = true;
      truth.say('dead', 'process exit');
    });
  }, 10);
  world.onDispose(() => clearInterval(watch));
  const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const press = (keys: string): Promise<void> => typeKeys(host, { id: screenId }, keys);
  const stage: Stage = {
    truth,
    version: options.version,
    ready: async (state = 'idle') => {
      const at = await waitFor(
        () => {
          if (isDead) return 'dead';
          const { size, mtimeMs } = statSync(files.typescript);
          return size > FIRST_FRAME_BYTES && Date.now() - mtimeMs > QUIET_MS ? mtimeMs : null;
        },
        { describe: 'the program is up and at rest', timeoutMs: START_TIMEOUT_MS },
      );
      if (at === 'dead') throw new Error('Claude Code ended at its start');
      if (state === 'idle') truth.say('idle', 'up and at rest', { at });
      else truth.say('waiting', 'a dialog stands before the prompt', { at, detail: 'setup' });
      await rest(AFTER_START_MS);
    },
    press,
    prompt: async (text) => {
      await press(text);
      await rest(BEFORE_ENTER_MS);
      truth.sent();
      await press('\r');
    },
    answer: async (keys, why) => {
      await press(keys);
      truth.answered(why);
    },
    rest,
    settle: () => rest(SETTLE_MS),
    heard: async (kind, { whose = 'turn', timeoutMs = EVENT_TIMEOUT_MS } = {}) => {
      await waitFor(
        () => {
          for (; read < events.length; read++) {
            if (events[read]?.kind !== kind || events[read]?.whose !== whose) continue;
            read += 1;
            return true;
          }
          return false;
        },
        {
          describe: `the stand-in saw "${kind}"`,
          timeoutMs,
          actual: () => events.map((event) => `${event.whose}:${event.kind}`).join(' '),
        },
      );
    },
    exited: async () => {
      await waitFor(() => isDead, { describe: 'the process has ended' });
    },
    kill: () => void process.kill(agent.pid, 'SIGKILL'),
    resize: (cols, rows) => resizeScreen(host, screenId, { cols, rows, pid: agent.pid }),
    network: async (how) => {
      if (how === 'reset') options.gate.reset();
      else if (how === 'refuse') await options.gate.refuse();
      else await options.gate.restore();
    },
    attempts: async (count) => {
      await waitFor(() => cutOffs.length >= count, {
        describe: `${count} attempts met the lost network`,
        timeoutMs: LONG_TIMEOUT_MS,
        actual: () => cutOffs.length,
      });
    },
    lastAttempt: async (quietMs) => {
      await waitFor(() => Date.now() - (cutOffs.at(-1) ?? Date.now()) > quietMs, {
        describe: 'no more attempts',
        timeoutMs: LONG_TIMEOUT_MS,
      });
      return cutOffs.at(-1) ?? Date.now();
    },
    written: async (name) => {
      await waitFor(() => existsSync(join(world.projectDir, name)), {
        describe: `${name} is there`,
        timeoutMs: LONG_TIMEOUT_MS,
      });
    },
  };
  return stage;
}

/** Names that a recorded session's environment must not have: nothing of CBOS's own test worlds decides how it looks. */
export function recordedEnvironment(base: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(base).filter(([name]) => !name.startsWith('CBOS_') && name !== SPOOL_VARIABLE),
  );
}
