import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ClaudeWorld, type TimedApiEvent, testedVersion } from '../harness/claude.ts';
import { type ClaudeInScreen, type ClaudeInScreenOptions, startClaudeInScreen } from '../harness/claude-in-screen.ts';
import type { EvidenceLine } from '../harness/evidence.ts';

/** Claude Code draws one frame in several writes. Changes of the screen within this time count as one. */
const COALESCE_MS = 50;

/** Records everything that Claude Code shows and reports while a scene is played. */
export interface Timeline {
  session: ClaudeInScreen;
  /** types the keys and records them */
  press(step: string, keys: string): Promise<void>;
  prompt(text: string): Promise<void>;
  /** lets time pass, to show that the state stays as it is */
  rest(ms: number): Promise<void>;
  /** waits until a hook of this name has come since the last call for it */
  waitForHook(event: string): Promise<Record<string, unknown>>;
  waitForRegistry(status: string): Promise<void>;
  /** stops the recording and writes the file */
  finish(): void;
}

export interface RecordOptions extends ClaudeInScreenOptions {
  world: ClaudeWorld;
  scene: string;
  /** the file that the recording is written to */
  file: string;
}

/**
 * Returns the rows whose text is dim, except for the prompt's mark and the cursor's cell. Claude Code draws its cursor
 * itself, inverse, on the first letter of a suggestion.
 */
function dimRows(session: ClaudeInScreen, rows: number): number[] {
  const buffer = session.terminal.buffer.active;
  const cell = buffer.getNullCell();
  return Array.from({ length: rows }, (_, row) => row).filter((row) => {
    const line = buffer.getLine(buffer.baseY + row);
    let seen = false;
    for (let col = 0; line !== undefined && col < line.length; col += 1) {
      const characters = line.getCell(col, cell)?.getChars().trim() ?? '';
      if (characters === '' || cell.isInverse() || (col < 2 && /^[❯>]$/.test(characters))) continue;
      if (!cell.isDim()) return false;
      seen = true;
    }
    return seen;
  });
}

/** Starts Claude Code and records it. */
export async function startTimeline(options: RecordOptions): Promise<Timeline> {
  const { world } = options;
  const cols = options.cols ?? 160;
  const rows = options.rows ?? 45;
  const startedAt = Date.now();
  const recorded: EvidenceLine[] = [];
  const add = (line: EvidenceLine): void => void recorded.push(line);
  const hooks: { event: string; payload: Record<string, unknown>; taken: boolean }[] = [];
  let registryStatus: unknown = null;
  const disposers: (() => void)[] = [];

  const registryDir = join(world.home, '.claude', 'sessions');
  const spool = join(world.cbosHome, 'hooks');
  for (const directory of [registryDir, spool]) mkdirSync(directory, { recursive: true, mode: 0o700 });

  const seenHooks = new Set<string>();
  const readSpool = (): void => {
    for (const name of readdirSync(spool).sort()) {
      if (!name.endsWith('.json') || seenHooks.has(name)) continue;
      seenHooks.add(name);
      const payload = JSON.parse(readFileSync(join(spool, name), 'utf8')) as Record<string, unknown>;
      const event = String(payload.hook_event_name);
      add({ t: Math.round(Number(name.slice(0, 16)) / 1000) - startedAt, source: 'hook', event, payload });
      hooks.push({ event, payload, taken: false });
    }
  };
  const spoolWatch = watch(spool, readSpool);
  disposers.push(() => spoolWatch.close(), readSpool);

  let lastRecord = '';
  const readRegistry = (): void => {
    const name = readdirSync(registryDir).find((entry) => entry.endsWith('.json'));
    let text = '';
    try {
      if (name !== undefined) text = readFileSync(join(registryDir, name), 'utf8');
      if (text === lastRecord || (text === '' && name !== undefined)) return;
      const record = text === '' ? null : (JSON.parse(text) as Record<string, unknown>);
      lastRecord = text;
      registryStatus = record?.status ?? null;
      add({ t: Date.now() - startedAt, source: 'registry', record });
    } catch (error) {
      // The file is half written or was just removed. The next event of the directory reports the new state.
      if (!(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  };
  const registryWatch = watch(registryDir, readRegistry);
  disposers.push(() => registryWatch.close());

  disposers.push(
    world.onApiEvent(({ at, ...event }: TimedApiEvent) => {
      const { body: _, ...rest } = { body: null, ...event };
      add({ t: at - startedAt, source: 'api', ...rest });
    }),
  );

  const session = await startClaudeInScreen(world, { ...options, cols, rows });
  add({ t: 0, source: 'meta', scene: options.scene, version: testedVersion(), cols, rows, startedAt });
  add({ t: Date.now() - startedAt, source: 'process', alive: true });

  let shown: string[] = Array.from({ length: rows }, () => '');
  let shownRest = '';
  let timer: NodeJS.Timeout | null = null;
  const show = async (t: number): Promise<void> => {
    await session.refresh();
    const lines = session.lines();
    const buffer = session.terminal.buffer.active;
    const changed = Object.fromEntries(
      lines.flatMap((line, row) => (line === shown[row] ? [] : [[String(row), line]])),
    );
    const cursor: [number, number] = [buffer.cursorY, buffer.cursorX];
    const dim = dimRows(session, rows);
    const rest = JSON.stringify([cursor, dim]);
    if (Object.keys(changed).length === 0 && rest === shownRest) return;
    shown = lines;
    shownRest = rest;
    add({ t, source: 'screen', rows: changed, cursor, dim });
  };
  const onBytes = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      void show(Date.now() - startedAt);
    }, COALESCE_MS);
  };
  onBytes();
  const recordingWatch = watch(session.recording, onBytes);
  const aliveWatch = setInterval(() => {
    readRegistry();
    if (existsSync(`/proc/${session.pid}`) && !isZombie(session.pid)) return;
    clearInterval(aliveWatch);
    add({ t: Date.now() - startedAt, source: 'process', alive: false });
  }, 20);
  disposers.push(
    () => recordingWatch.close(),
    () => clearInterval(aliveWatch),
    () => void (timer !== null && clearTimeout(timer)),
  );

  const until = async (what: string, condition: () => boolean): Promise<void> => {
    const deadline = Date.now() + 20_000;
    while (!condition()) {
      if (Date.now() > deadline) throw new Error(`timed out: ${what}\n${session.screenText()}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const press = async (step: string, keys: string): Promise<void> => {
    add({ t: Date.now() - startedAt, source: 'key', keys, step });
    await session.type(keys);
  };
  return {
    session,
    press,
    prompt: async (text) => {
      await press('type the prompt', text);
      await new Promise((resolve) => setTimeout(resolve, 400));
      await press('send it', '\r');
    },
    rest: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    waitForHook: async (event) => {
      await until(`hook ${event}`, () => hooks.some((hook) => !hook.taken && hook.event === event));
      const found = hooks.find((hook) => !hook.taken && hook.event === event);
      if (found === undefined) throw new Error('unreachable');
      found.taken = true;
      return found.payload;
    },
    waitForRegistry: (status) => until(`registry ${status}`, () => registryStatus === status),
    finish: () => {
      for (const dispose of disposers.reverse()) dispose();
      writeTimeline(options.file, world, recorded);
    },
  };
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return true;
  }
}

/** Writes the lines sorted by time, with paths that are the same on every machine. */
function writeTimeline(file: string, world: ClaudeWorld, recorded: EvidenceLine[]): void {
  const neutral = (text: string): string =>
    text
      .replaceAll(world.projectDir, '/home/user/project')
      .replaceAll(world.projectDir.replaceAll(/[^A-Za-z0-9]/g, '-'), '-home-user-project')
      .replaceAll(world.home, '/home/user')
      .replaceAll(world.dir, '/home/user')
      .replaceAll(world.dir.slice(1), 'home/user');
  const order = (line: EvidenceLine): number => (line.source === 'meta' ? -1 : line.t);
  const text = recorded
    .sort((a, b) => order(a) - order(b))
    .map((line) => neutral(JSON.stringify(line)))
    .join('\n');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${text}\n`);
  console.log(`${file}: ${recorded.length} lines, ${Math.round(statSync(file).size / 1024)} kB`);
}
