import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readScreen } from '../../src/core/status/screen/screen-rules.ts';
import {
  configDirectory,
  openReplyWaits,
  registryDirectory,
  type SpooledHook,
  transcriptFile,
  watchHookSpool,
  watchRegistry,
} from '../../src/platform/claude/index.ts';
import { createEmulator } from '../../src/platform/emulator/index.ts';
import type { ClaudeWorld } from '../harness/claude.ts';
import { type ClaudeInScreenOptions, startClaudeInScreen } from '../harness/claude-in-screen.ts';
import { waitFor } from '../harness/wait-for.ts';
import { neutralLine, neutralRows, neutralText, shapeOf } from './neutral.ts';

/** What Claude Code, or the stand-in for it, did while a scene was played, without times and ids. */
export interface Trace {
  /** the hooks in order, each with its payload */
  hooks: string[];
  /** the values of the registry in order: `waiting: permission prompt` */
  registry: string[];
  /** the rows of the screen at each moment of rest, and where the cursor is */
  screens: Record<string, string[]>;
  /** the lines of the transcript in order */
  transcript: string[];
  /** the requests to the Messages API in order, each with the words of the user in it */
  requests: string[];
}

/** A session in a terminal, with everything that it does. */
export interface TerminalStage {
  sessionId: string;
  type(keys: string): Promise<void>;
  prompt(text: string): Promise<void>;
  /** waits for a dialog, then types keys into it */
  answer(dialog: RegExp, keys: string): Promise<void>;
  /** prints a reply through the hook of the open dialog */
  reply(decision: object): Promise<void>;
  /** waits until this hook has fired `times` times since the scene began */
  hook(event: string, times?: number): Promise<SpooledHook>;
  /** waits until the registry has reported this value last */
  registry(value: string): Promise<void>;
  /** waits until the screen shows the pattern */
  shows(pattern: RegExp): Promise<void>;
  /** waits until the screen shows the pattern and no longer changes, and keeps its rows */
  rest(moment: string, pattern?: RegExp): Promise<void>;
  /** waits until the model's stand-in has seen this event `times` times since the scene began */
  api(kind: string, times?: number): Promise<void>;
  /** waits until the transcript contains the pattern */
  transcript(pattern: RegExp): Promise<void>;
  signal(name: NodeJS.Signals): void;
  ended(): Promise<void>;
  /** returns what happened since the last call */
  take(): Trace;
}

const LINE_FEED = 10;
/** How long a step may take on a loaded machine. */
const STEP_TIMEOUT_MS = 120_000;
/** How long the screen must stay unchanged before its rows are kept. */
const STILL_MS = 400;
export const READY = /\? for shortcuts|\(shift\+tab to cycle\)/;

export async function openTerminalStage(
  world: ClaudeWorld,
  options: ClaudeInScreenOptions = {},
): Promise<TerminalStage> {
  const spoolDir = join(world.cbosHome, 'hooks');
  const hooks: SpooledHook[] = [];
  const values: string[] = [];
  const onError = (error: unknown): void => {
    throw error;
  };
  const spool = watchHookSpool({ dir: spoolDir, accept: (hook) => void hooks.push(hook), onError, now: Date.now });
  const registry = watchRegistry({
    dir: registryDirectory(world.env),
    onRecord: ({ status, waitingFor }) => {
      const value = [status, waitingFor].filter((one) => one !== null).join(': ');
      if (value !== '' && value !== values.at(-1)) values.push(value);
    },
    onGone: () => values.push('gone'),
    onError,
  });
  world.onDispose(registry.stop);
  world.onDispose(() => spool.dispose());
  const claude = await startClaudeInScreen(world, options);
  const neutral = { paths: [[world.dir, '/world']] as const };
  const transcript = (): Record<string, unknown>[] => {
    const sessionId = hooks.at(-1)?.sessionId ?? claude.sessionId;
    return readLines(transcriptFile({ configDir: configDirectory(world.env), cwd: world.projectDir, sessionId }));
  };
  let from = { hooks: 0, values: 0, api: 0 };
  const seenLines = new Set(transcript().map((line) => line.uuid ?? JSON.stringify(line)));
  let screens: Record<string, string[]> = {};
  const emulator = createEmulator({ cols: claude.terminal.cols, rows: claude.terminal.rows, scrollback: 0 });
  world.onDispose(emulator.dispose);
  let drawn = 0;
  /** Returns what CBOS makes of the screen. */
  const read = async (): Promise<string> => {
    const all = readFileSync(claude.recording);
    emulator.write(all.subarray(drawn === 0 ? all.indexOf(LINE_FEED) + 1 : drawn));
    drawn = all.length;
    await emulator.flush();
    const { rule, primary, detail, dialog, draft, cover } = readScreen(emulator.frame());
    const shown = dialog === null ? null : `${dialog.kind}, ${dialog.isWhole ? 'whole' : 'in part'}`;
    return `read by ${rule} as ${primary}/${detail}; dialog: ${shown}; draft: ${draft}; cover: ${cover}`;
  };
  const shows = async (pattern: RegExp): Promise<void> => void (await claude.waitForScreen(pattern, STEP_TIMEOUT_MS));

  return {
    sessionId: claude.sessionId,
    type: claude.type,
    prompt: async (text) => {
      await claude.type(text);
      // A keypress that follows before the text is drawn could be lost on a loaded machine.
      await shows(new RegExp(`❯\\s${text.replaceAll(/[^\\w ]/g, '.')}`));
      await claude.type('\r');
    },
    answer: claude.answer,
    reply: async (decision) => {
      const id = await waitFor(() => hooks.slice(from.hooks).findLast(({ wait }) => wait !== null)?.wait, {
        describe: 'a hook waits for a reply',
        timeoutMs: STEP_TIMEOUT_MS,
      });
      const hookSpecificOutput = { hookEventName: 'PermissionRequest', decision };
      await waitFor(() => openReplyWaits(spoolDir).reply(id, { hookSpecificOutput }), {
        describe: 'the hook has read it',
      });
    },
    hook: (event, times = 1) =>
      waitFor(() => hooks.slice(from.hooks).filter((hook) => hook.event === event)[times - 1], {
        describe: `hook ${event} fired ${times} times`,
        timeoutMs: STEP_TIMEOUT_MS,
        actual: () => `${hooks.slice(from.hooks).map((hook) => hook.event)}\n${claude.screenText()}`,
      }),
    registry: async (value) => {
      await waitFor(() => values.at(-1) === value && values.length > from.values, {
        describe: `the registry says ${value}`,
        timeoutMs: STEP_TIMEOUT_MS,
        actual: () => values,
      });
    },
    shows,
    rest: async (moment, pattern = READY) => {
      let before = '';
      let since = 0;
      await waitFor(
        async () => {
          await claude.refresh();
          // A spinner turns also while nothing else changes.
          const text = neutralRows(claude.lines(), neutral).join('\n');
          if (text === before) return pattern.test(claude.screenText()) && Date.now() - since > STILL_MS;
          before = text;
          since = Date.now();
          return false;
        },
        { describe: `the screen rests at ${pattern}`, timeoutMs: STEP_TIMEOUT_MS, actual: claude.screenText },
      );
      const { cursorX, cursorY } = claude.terminal.buffer.active;
      const rows = neutralRows(claude.lines(), neutral);
      const below = claude.lines().findLastIndex((line) => line.trim() !== '') - cursorY;
      const reading = neutralText(await read(), neutral);
      screens[moment] = [...rows, `cursor in column ${cursorX}, ${below} rows above the last`, reading];
    },
    api: async (kind, times = 1) => {
      await waitFor(() => world.apiEvents.slice(from.api).filter((event) => event.kind === kind).length >= times, {
        describe: `the Messages API saw ${kind} ${times} times`,
        actual: claude.screenText,
      });
    },
    transcript: async (pattern) => {
      await waitFor(() => pattern.test(JSON.stringify(transcript())), {
        describe: `the transcript says ${pattern}`,
        timeoutMs: STEP_TIMEOUT_MS,
        actual: claude.screenText,
      });
    },
    signal: (name) => process.kill(claude.pid, name),
    ended: async () => {
      await waitFor(() => !existsSync(`/proc/${claude.pid}`), { describe: 'the process has ended' });
      await waitFor(
        () => {
          void claude.refresh();
          return /Script done on/.test(claude.screenText());
        },
        { describe: 'the recording has ended', actual: claude.screenText },
      );
    },
    take: () => {
      const lines = transcript().filter((line) => !seenLines.has(line.uuid ?? JSON.stringify(line)));
      for (const line of lines) seenLines.add(line.uuid ?? JSON.stringify(line));
      const trace: Trace = {
        hooks: hooks
          .slice(from.hooks)
          .map(({ event, payload }) => `${event} ${neutralText(JSON.stringify(shapeOf(payload)), neutral)}`),
        // A prompt that waited begins at once: whether the moment between is seen depends on the machine.
        registry: values
          .slice(from.values)
          .filter((value, at, all) => !isBetween(value, all[at - 1], all[at + 1]))
          .filter((value, at, all) => value !== all[at - 1]),
        screens,
        // Claude Code writes its queue's lines at once, and the others in batches.
        transcript: [...lines.filter(isOfQueue), ...lines.filter((line) => !isOfQueue(line))].flatMap(
          (line) => neutralLine(line, neutral) ?? [],
        ),
        requests: world.apiEvents.slice(from.api).flatMap((event) => {
          if (event.kind !== 'request' || event.scene === null) return [];
          return [neutralText(`${event.scene} ${event.step}: ${event.prompt.split('\n')[0]}`, neutral)];
        }),
      };
      from = { hooks: hooks.length, values: values.length, api: world.apiEvents.length };
      screens = {};
      return trace;
    },
  };
}

const isBetween = (value: string, before?: string, after?: string): boolean =>
  value === 'idle' && before === 'busy' && after === 'busy';
const isOfQueue = ({ type }: Record<string, unknown>): boolean => type === 'queue-operation';

function readLines(file: string): Record<string, unknown>[] {
  if (!existsSync(dirname(file)) || !readdirSync(dirname(file)).some((name) => file.endsWith(name))) return [];
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
