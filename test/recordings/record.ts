import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTiming } from '../../src/core/recording/index.ts';
import { EXAMPLE_PROJECT_ALLOW } from '../../src/demo/example-project.ts';
import { prepareIsolatedHome } from '../../src/demo/isolated-home.ts';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import { parseClaudeVersion } from '../../src/platform/claude/index.ts';
import { claudeWorld } from '../harness/claude.ts';
import { obtainClaude, RecorderError } from './claude-versions.ts';
import { openNetworkGate } from './network-gate.ts';
import { neutralizeHeader, neutralizePaths, neutralizeTiming, toClassicTiming } from './neutral.ts';
import type { RecordedScene } from './scene.ts';
import { RECORDED_SCENES } from './scenes/index.ts';
import { openStage, recordedEnvironment } from './stage.ts';
import { type TimedLabel, Truth } from './truth.ts';

export { obtainClaude, RecorderError } from './claude-versions.ts';

export interface RecordOptions {
  /** e.g. 2.1.50 */
  claude: string;
  scene: string;
  /** the files' name; the scene's when left out */
  as?: string;
  /** the scene's own size when left out, else 100×30 */
  cols?: number;
  rows?: number;
  /** whether Claude Code may use the alternate screen, as it does by itself; CBOS launches it without */
  alternateScreen: boolean;
  timing: 'advanced' | 'classic';
  /** the files go into OUT/VERSION */
  out: string;
  cacheDir: string;
  /** ends it; everything that was started is ended too */
  signal: AbortSignal;
  print: (line: string) => void;
}

/** How Claude Code asks for a summary when it compacts a conversation; a scene answers that as `compaction`. */
const COMPACTION = /Your task is to create a detailed summary/;

const DEFAULT_SIZE = { cols: 100, rows: 30 };

/** `name  what it shows`, a line each. */
export function describeScenes(): string[] {
  return Object.entries(RECORDED_SCENES).map(([name, { about }]) => `${name.padEnd(24)} ${about}`);
}

/** @throws RecorderError that lists the scenes */
export function findScene(name: string): RecordedScene {
  const scene = Object.hasOwn(RECORDED_SCENES, name) ? RECORDED_SCENES[name] : undefined;
  if (scene !== undefined) return scene;
  throw new RecorderError(`no scene is called ${name}; there are:\n  ${describeScenes().join('\n  ')}`);
}

/**
 * Records the real Claude Code of a version in a scene, on the stand-in: `OUT/VERSION/SCENE.{typescript,timing,meta.json,labels.jsonl}`.
 * Files of an earlier recording are replaced when the new one is whole, never before.
 * @returns the files' common path
 * @throws RecorderError with what to do about it
 */
export async function record(options: RecordOptions): Promise<string> {
  const { print } = options;
  const scene = findScene(options.scene);
  const program = await obtainClaude({ version: options.claude, cacheDir: options.cacheDir, print });
  const size = {
    cols: options.cols ?? scene.cols ?? DEFAULT_SIZE.cols,
    rows: options.rows ?? scene.rows ?? DEFAULT_SIZE.rows,
  };
  const name = options.as ?? options.scene;
  print(`recording ${name} on ${options.claude}, ${size.cols}×${size.rows}`);

  const truth = new Truth(
    {
      asks: scene.asks ?? {},
      helpers: scene.helpers ?? null,
      endsWithQuestion: scene.endsWithQuestion ?? false,
      attempts: scene.attempts ?? 1,
    },
    Date.now,
  );
  await using world = await claudeWorld({ choosers: [chooserOf(scene)] });
  const abort = (): void => void world.dispose();
  options.signal.addEventListener('abort', abort, { once: true });
  world.onDispose(() => options.signal.removeEventListener('abort', abort));
  prepareHome(scene, world);
  const cutOffs: number[] = [];
  const gate = await openNetworkGate(world.api.port, () => {
    cutOffs.push(Date.now());
    truth.note('reset', 'network');
  });
  world.onDispose(() => gate.close());
  const version = parseClaudeVersion(options.claude);
  if (version === null) throw new RecorderError(`${options.claude} is no version`);
  const files = { typescript: join(world.streamDir, 'r.typescript'), timing: join(world.streamDir, 'r.timing') };
  const stage = await openStage({
    world,
    program,
    args: scene.args ?? [],
    env: {
      ...recordedEnvironment(world.env),
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${gate.port}`,
      ...(options.alternateScreen ? {} : { CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN: '1' }),
      ...scene.env,
    },
    version,
    ...size,
    truth,
    files,
    gate,
    cutOffs,
  });
  try {
    await scene.play(stage);
  } catch (error) {
    const kept = join(world.dir, '..', `cbos-record-${name}.typescript`);
    copyFileSync(files.typescript, kept);
    throw new RecorderError(`${name} did not come to its end (what there is: ${kept}): ${String(error)}`, {
      cause: error,
    });
  }
  const endAt = Date.now();
  // The session still runs: what came between the two readings is left out.
  const { timing, writtenMs } = readAtRest(files.timing);
  const whole = timedPart(readFileSync(files.typescript), timing).toString('latin1');
  const startedAt = startOf(timing, writtenMs);

  const directory = join(options.out, options.claude);
  mkdirSync(directory, { recursive: true });
  const base = join(directory, name);
  const neutralTiming = neutralizeTiming(timing);
  const meta = {
    scenario: options.scene,
    ...size,
    started: startedAt,
    claude: options.claude,
    alternateScreen: options.alternateScreen,
  };
  truth.note('end-of-recording', '', endAt);
  writeFileSync(`${base}.typescript`, neutralizePaths(neutralizeHeader(whole), world.dir), 'latin1');
  writeFileSync(`${base}.timing`, options.timing === 'classic' ? toClassicTiming(neutralTiming) : neutralTiming);
  writeFileSync(`${base}.meta.json`, `${JSON.stringify(meta)}\n`);
  writeFileSync(`${base}.labels.jsonl`, labelLines(truth.labels(), startedAt));
  print(`wrote ${base}.* (${Math.round(whole.length / 1024)} kB, ${Math.round((endAt - startedAt) / 1000)} s)`);
  return base;
}

/** Names of the scene's own first; the demo's catalogue answers the others. */
function chooserOf(scene: RecordedScene): ChooseScene {
  return (prompt) => {
    const name = COMPACTION.test(prompt) ? 'compaction' : [...prompt.matchAll(/\bscene:([a-z-]+)/g)].at(-1)?.[1];
    const replies = name === undefined ? undefined : scene.replies?.[name];
    return name === undefined || replies === undefined ? null : { name, about: scene.about, replies };
  };
}

function prepareHome(scene: RecordedScene, world: { home: string; projectDir: string }): void {
  prepareIsolatedHome({
    home: world.home,
    trusted: scene.without === 'trust' ? [] : [world.projectDir],
    allow: [...EXAMPLE_PROJECT_ALLOW, ...(scene.allow ?? [])],
  });
  for (const [name, content] of Object.entries(scene.files ?? {})) {
    writeFileSync(join(world.projectDir, name), content, { mode: 0o755 });
  }
  const file = join(world.home, '.claude.json');
  const state = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  // 1.0.60 ends at once where a project has no such list.
  for (const project of Object.values(state.projects as Record<string, object>))
    Object.assign(project, { allowedTools: [] });
  if (scene.without === 'key') delete state.customApiKeyResponses;
  writeFileSync(file, `${JSON.stringify(state)}\n`, { mode: 0o600 });
}

/** A file that is being written, and when what was read of it was. */
function readAtRest(file: string): { timing: string; writtenMs: number } {
  for (;;) {
    const before = statSync(file);
    const timing = readFileSync(file, 'utf8');
    if (statSync(file).size === before.size) return { timing, writtenMs: before.mtimeMs };
  }
}

/** The recording as far as its timing goes. */
function timedPart(recording: Buffer, timing: string): Buffer {
  const bytes = parseTiming(timing).entries.reduce(
    (sum, entry) => sum + (entry.kind === 'output' ? entry.bytes : 0),
    0,
  );
  return recording.subarray(0, recording.indexOf('\n') + 1 + bytes);
}

/** Unix milliseconds of a recording's start: when its last row was written, less all delays. */
function startOf(timing: string, lastWrittenMs: number): number {
  const seconds = parseTiming(timing).entries.reduce((sum, entry) => sum + entry.delay, 0);
  return Math.round(lastWrittenMs - seconds * 1_000);
}

function labelLines(labels: readonly TimedLabel[], startedAt: number): string {
  return labels
    .map(({ at, ...label }) => `${JSON.stringify({ t: Math.max(0, Math.round(at - startedAt)) / 1_000, ...label })}\n`)
    .join('');
}
