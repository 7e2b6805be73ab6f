import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseTiming } from '../../src/core/recording/index.ts';
import { SPOOL_VARIABLE } from '../../src/platform/claude/index.ts';
import { launch, openScreenHost, resizeScreen, typeKeys } from '../../src/platform/gnu-screen/index.ts';
import { MARK } from '../harness/marked-processes.mjs';
import { RecorderError } from './claude-versions.ts';
import { neutralizeHeader, neutralizePaths, neutralizeTiming, toClassicTiming } from './neutral.ts';
import type { RecordedScene } from './scene.ts';
import { openSceneSet, type SceneSet, type SceneSetOptions, sizeOf } from './scene-set.ts';
import { RECORDED_SCENES } from './scenes/index.ts';
import { openStage, type StartedClaude } from './stage.ts';
import type { TimedLabel } from './truth.ts';

export { obtainClaude, RecorderError } from './claude-versions.ts';

export interface RecordOptions extends SceneSetOptions {
  scene: string;
  /** the name of the files; the scene's name if omitted */
  as?: string;
  /** the size of the window; the scene's own size if omitted, or else 100×30 */
  cols?: number;
  rows?: number;
  /** whether Claude Code may use the alternate screen, as it does by default; CBOS launches it without */
  alternateScreen: boolean;
  timing: 'advanced' | 'classic';
  /** the files are written to OUT/VERSION */
  out: string;
}

/** Returns one line per scene: `name  what it shows`. */
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
 * Records a version of the real Claude Code in a scene, on the stand-in:
 * `OUT/VERSION/SCENE.{typescript,timing,meta.json,labels.jsonl}`. The files of an earlier recording are replaced only
 * when the new recording is complete.
 * @returns the files' common path
 * @throws RecorderError with what to do about it
 */
export async function record(options: RecordOptions): Promise<string> {
  const { print } = options;
  const scene = findScene(options.scene);
  const size = sizeOf(scene, options);
  const name = options.as ?? options.scene;
  print(`recording ${name} on ${options.claude}, ${size.cols}×${size.rows}`);
  await using set = await openSceneSet(scene, options);
  const { world, truth } = set;
  const files = { typescript: join(world.streamDir, 'r.typescript'), timing: join(world.streamDir, 'r.timing') };
  const stage = await openStage(set, () => startRecorded(set, scene, { ...options, ...size, ...files }));
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
  // The session still runs, so output that came between the two readings is left out.
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
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
  truth.note('end-of-recording', '', endAt);
  writeFileSync(`${base}.typescript`, neutralizePaths(neutralizeHeader(whole), world.dir), 'latin1');
  writeFileSync(`${base}.timing`, options.timing === 'classic' ? toClassicTiming(neutralTiming) : neutralTiming);
  writeFileSync(`${base}.meta.json`, `${JSON.stringify(meta)}\n`);
  writeFileSync(`${base}.labels.jsonl`, labelLines(truth.labels(), startedAt));
  print(`wrote ${base}.* (${Math.round(whole.length / 1024)} kB, ${Math.round((endAt - startedAt) / 1000)} s)`);
  return base;
}

/** Starts Claude Code without CBOS but in the same way: in a Screen of the wanted size, with `script` in it. */
async function startRecorded(
  { world, program, env }: SceneSet,
  scene: RecordedScene,
  options: { cols: number; rows: number; typescript: string; timing: string; alternateScreen: boolean },
): Promise<StartedClaude> {
  const { cols, rows, typescript, timing } = options;
  const host = await openScreenHost({
    env: world.env,
    screenDir: world.screenDir,
    runDir: join(world.dir, 'run'),
    tempDir: world.temporary,
  });
  const { screenId, agent } = await launch(host, {
    name: 'recorded',
    cwd: world.projectDir,
    env: {
      ...recordedEnvironment(world.env),
      ...(options.alternateScreen ? {} : { CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN: '1' }),
      ...env,
    },
    cols,
    rows,
    command: [...program, ...(scene.args ?? [])],
    recording: { typescript, timing, flush: true },
    mark: { name: MARK, value: world.mark },
  });
  return {
    agent,
    typescript,
    press: (keys) => typeKeys(host, { id: screenId, pid: agent.pid }, keys),
    resize: (width, height) => resizeScreen(host, { id: screenId, pid: agent.pid }, { cols: width, rows: height }),
  };
}

/** Returns the environment without the variables of CBOS and its tests, because they would change what is recorded. */
function recordedEnvironment(base: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(base).filter(([name]) => !name.startsWith('CBOS_') && name !== SPOOL_VARIABLE),
  );
}

/** Reads a file that is still being written. Returns its text and the time of the last write that the text contains. */
function readAtRest(file: string): { timing: string; writtenMs: number } {
  for (;;) {
    const before = statSync(file);
    const timing = readFileSync(file, 'utf8');
    if (statSync(file).size === before.size) return { timing, writtenMs: before.mtimeMs };
  }
}

/** Returns the part of the recording that its timing covers. */
function timedPart(recording: Buffer, timing: string): Buffer {
  const bytes = parseTiming(timing).entries.reduce(
    (sum, entry) => sum + (entry.kind === 'output' ? entry.bytes : 0),
    0,
  );
  return recording.subarray(0, recording.indexOf('\n') + 1 + bytes);
}

/** Returns when a recording started, in Unix milliseconds: the time of its last row, less all delays. */
function startOf(timing: string, lastWrittenMs: number): number {
  const seconds = parseTiming(timing).entries.reduce((sum, entry) => sum + entry.delay, 0);
  return Math.round(lastWrittenMs - seconds * 1_000);
}

function labelLines(labels: readonly TimedLabel[], startedAt: number): string {
  return labels
    .map(({ at, ...label }) => `${JSON.stringify({ t: Math.max(0, Math.round(at - startedAt)) / 1_000, ...label })}\n`)
    .join('');
}
