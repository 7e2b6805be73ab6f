import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessId } from '../../src/platform/process/index.ts';
import type { TimedApiEvent } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import type { Stage } from './scene.ts';
import type { SceneSet } from './scene-set.ts';
import type { Whose } from './truth.ts';

/** A start is over when nothing was drawn for QUIET_MS. The scene then waits for AFTER_START_MS before it types. */
const QUIET_MS = 800;
const AFTER_START_MS = 2_500;
const START_TIMEOUT_MS = 30_000;
/** Fewer bytes may be nothing but terminal modes. */
const FIRST_FRAME_BYTES = 400;

/** After a shorter pause, Enter is taken as a part of the paste (versions up to 2.1.50). */
const BEFORE_ENTER_MS = 400;

const SETTLE_MS = 5_000;
const EVENT_TIMEOUT_MS = 30_000;
const LONG_TIMEOUT_MS = 120_000;

/** A Claude Code in a Screen, regardless of who started it. */
export interface StartedClaude {
  agent: ProcessId;
  /** the recording that `script` writes */
  typescript: string;
  press(keys: string): Promise<void>;
  resize(cols: number, rows: number): Promise<void>;
}

/** Starts Claude Code and returns what a scene can do with it. */
export async function openStage(
  { world, truth, gate, cutOffs, version }: SceneSet,
  start: () => Promise<StartedClaude>,
): Promise<Stage> {
  const events: { kind: TimedApiEvent['kind']; whose: Whose }[] = [];
  let read = 0;
  let lastTool = 0;
  world.onDispose(
    world.onApiEvent((event) => {
      const whose = truth.hear(event);
      if (event.kind === 'tool') lastTool = event.request;
      // An answer that ends with a tool call is not the end: the turn continues after the call.
      if (event.kind !== 'end' || event.request !== lastTool) events.push({ kind: event.kind, whose });
    }),
  );
  truth.say('starting', 'spawn');
  const { agent, typescript, press, resize } = await start();
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
  const stage: Stage = {
    truth,
    version,
    ready: async (state = 'idle') => {
      const at = await waitFor(
        () => {
          if (isDead) return 'dead';
          const { size, mtimeMs } = statSync(typescript);
          return size > FIRST_FRAME_BYTES && Date.now() - mtimeMs > QUIET_MS ? mtimeMs : null;
        },
        { describe: 'the program has started and is idle', timeoutMs: START_TIMEOUT_MS },
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
    resize,
    network: async (how) => {
      if (how === 'reset') gate.reset();
      else if (how === 'refuse') await gate.refuse();
      else await gate.restore();
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
