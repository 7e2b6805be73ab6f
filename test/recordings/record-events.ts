import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v4 as uuid } from 'uuid';
import {
  JSON_ENVIRONMENT,
  jsonCommand,
  jsonFiles,
  type OutputTail,
  startJsonProcess,
  tailOutput,
  writeMessage,
} from '../../src/platform/claude/json/index.ts';
import type { ClaudeEvent, StoredEvent } from '../../src/protocol/index.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { obtainClaude, RecorderError } from './claude-versions.ts';
import { EVENT_SCENES, type EventScene, type EventStage } from './event-scenes.ts';
import { neutralizeEvents } from './neutral-events.ts';

export { obtainClaude, RecorderError } from './claude-versions.ts';
export const SCENE_NAMES = Object.keys(EVENT_SCENES);

/**
 * How long to wait for an event. The longest scene takes five seconds. A program that does not send the event in time
 * is given up.
 */
const STEP_TIMEOUT_MS = 60_000;

export interface RecordOptions {
  scene: string;
  /** the version of Claude Code */
  claude: string;
  cacheDir: string;
  /** the file is written to OUT/VERSION */
  out: string;
  signal: AbortSignal;
  print: (line: string) => void;
}

/** Returns one line per scene: `name  what it shows`. */
export function describeScenes(): string[] {
  return Object.entries(EVENT_SCENES).map(([name, { about }]) => `${name.padEnd(24)} ${about}`);
}

/** @throws RecorderError that lists the scenes */
export function findScene(name: string): EventScene {
  const scene = Object.hasOwn(EVENT_SCENES, name) ? EVENT_SCENES[name] : undefined;
  if (scene !== undefined) return scene;
  throw new RecorderError(`no scene of events is called ${name}; there are:\n  ${describeScenes().join('\n  ')}`);
}

/**
 * Records the events of a version of the real Claude Code, driven as CBOS drives it, on the stand-in:
 * `OUT/VERSION/SCENE.jsonl`, one stored event per line. An earlier recording is replaced only when the new one is
 * complete.
 * @returns the file
 * @throws RecorderError with what to do about it
 */
export async function record(options: RecordOptions): Promise<string> {
  const { claude, print, signal } = options;
  const scene = findScene(options.scene);
  const program = await obtainClaude({ ...options, version: claude });
  print(`recording the events of ${options.scene} on ${claude}`);
  await using world = await claudeWorld();
  const abort = (): void => void world.dispose();
  signal.addEventListener('abort', abort, { once: true });
  world.onDispose(() => signal.removeEventListener('abort', abort));
  const driven = driveClaude(world, { program, env: scene.env ?? {} });
  try {
    await scene.play(driven.stage);
  } catch (error) {
    throw new RecorderError(`${options.scene} did not come to its end: ${String(error)}`, { cause: error });
  }
  await driven.end('SIGTERM');
  const directory = join(options.out, claude);
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${options.scene}.jsonl`);
  writeFileSync(file, neutralizeEvents(driven.events, world.dir));
  print(`wrote ${file} (${driven.events.length} events)`);
  return file;
}

interface Driven {
  stage: EventStage;
  events: readonly StoredEvent[];
  end: EventStage['end'];
}

/** The command that runs Claude Code, without arguments, and the additions to the environment of the world. */
interface DrivenProgram {
  program: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** Starts Claude Code when the first prompt comes, and again after it was ended. */
export function driveClaude(world: ClaudeWorld, { program, env }: DrivenProgram): Driven {
  const events: StoredEvent[] = [];
  const sessionId = uuid();
  let running: { id: string; tail: OutputTail; pid: number; exited: Promise<void> } | null = null;
  let hasBegun = false;
  /** the index of the first event that was not waited for yet */
  let seen = 0;

  async function start(): Promise<NonNullable<typeof running>> {
    const id = uuid();
    const files = jsonFiles(world.dir, id);
    const command = jsonCommand({
      program: '',
      conversation: { kind: hasBegun ? 'resume' : 'new', sessionId },
      permissionMode: 'default',
      model: null,
      maxBudgetUsd: null,
      settingsFile: null,
      args: [],
    });
    hasBegun = true;
    let exit = (): void => undefined;
    const exited = new Promise<void>((resolve) => {
      exit = resolve;
    });
    const { pid } = await startJsonProcess({
      argv: [...program, ...command.slice(1)],
      cwd: world.projectDir,
      env: { ...world.env, ...JSON_ENVIRONMENT, ...env },
      files,
      onExit: exit,
    });
    const tail = tailOutput({
      file: files.output,
      from: 0,
      onLines: (lines) => {
        const timestamp = Date.now() / 1_000;
        for (const event of lines.events) events.push({ seq: events.length + 1, timestamp, event });
      },
      onError: (error) => {
        throw error;
      },
    });
    running = { id, tail, pid, exited };
    return running;
  }
  async function write(message: object): Promise<void> {
    const { id } = running ?? (await start());
    await writeMessage(jsonFiles(world.dir, id), message);
  }
  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (running === null) return;
    const { pid, exited, tail } = running;
    process.kill(pid, signal);
    await exited;
    await tail.finish();
    running = null;
  }
  async function until(describe: string, isIt: (event: ClaudeEvent) => boolean): Promise<ClaudeEvent> {
    const at = await waitFor(
      () => {
        const found = events.findIndex(({ event }, index) => index >= seen && isIt(event));
        return found === -1 ? null : { found };
      },
      { describe, timeoutMs: STEP_TIMEOUT_MS, actual: () => JSON.stringify(events.at(-1)) },
    );
    seen = at.found + 1;
    return (events[at.found] as StoredEvent).event;
  }

  const stage: EventStage = {
    prompt: (text) =>
      write({
        type: 'user',
        message: { role: 'user', content: text },
        parent_tool_use_id: null,
        uuid: uuid(),
      }),
    until,
    untilIdle: async () => {
      await until('it is idle', (event) => event.subtype === 'session_state_changed' && event.state === 'idle');
    },
    answer: async (result) => {
      const { request_id, request } = await until('it asks', ({ type }) => type === 'control_request');
      const { input } = request as { input: Record<string, unknown> };
      await write({ type: 'control_response', response: { subtype: 'success', request_id, response: result(input) } });
    },
    control: async (request) => {
      const id = uuid();
      await write({ type: 'control_request', request_id: id, request });
      const isAnswer = ({ type, response }: ClaudeEvent): boolean =>
        type === 'control_response' && (response as { request_id?: unknown }).request_id === id;
      await until(`it answers ${request.subtype}`, isAnswer);
    },
    end,
  };
  return { stage, events, end };
}
