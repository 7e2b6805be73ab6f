import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcess } from '../../src/platform/process/index.ts';
import type { Because, Detail, Primary, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos, type Watcher } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { findScene } from '../recordings/record.ts';
import type { RecordedScene } from '../recordings/scene.ts';
import { openSceneSet, type SceneSet, type SceneSetOptions, sizeOf } from '../recordings/scene-set.ts';
import { openStage, type StartedClaude } from '../recordings/stage.ts';
import type { TimedLabel } from '../recordings/truth.ts';

const SLUG = 'LIVE';

const AFTER_THE_END_MS = 1_500;

/** A status as a client of the server received it. */
export interface Announced {
  /** when it arrived, Unix milliseconds */
  at: number;
  primary: Primary | null;
  detail: Detail | null;
  because: Because;
}

/** A scene that was played on a running server, with all sources of evidence. */
export interface LiveRun {
  scene: string;
  labels: TimedLabel[];
  announced: Announced[];
  /** Unix milliseconds */
  endedAt: number;
}

/**
 * Plays a scene of the recorder with the real Claude Code in a session of a real server, and records what the server
 * sends to its clients. The true states come from the recorder: from the stand-in, the keypresses, and the process.
 * @throws RecorderError if the version cannot be obtained; Error if the scene does not finish
 */
export async function playLive(name: string, options: SceneSetOptions): Promise<LiveRun> {
  const scene = findScene(name);
  await using set = await openSceneSet(scene, options);
  const { world, truth } = set;
  const cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: commandOf(set) });
  const watcher = await cbos.watch();
  const stage = await openStage(set, () => startSession(cbos, set, scene));
  await scene.play(stage);
  // The server must report the end of a session within a second too.
  await stage.rest(AFTER_THE_END_MS);
  const endedAt = Date.now();
  truth.note('end-of-recording', '', endedAt);
  return { scene: name, labels: truth.labels(), announced: announcedBy(watcher), endedAt };
}

/** Returns the command as one word, as CBOS_CLAUDE_COMMAND requires. */
function commandOf({ program, world }: SceneSet): string {
  const [only, ...more] = program;
  if (only !== undefined && more.length === 0) return only;
  const script = join(world.dir, 'claude');
  writeFileSync(script, `#!/bin/sh\nexec ${program.map((word) => `'${word}'`).join(' ')} "$@"\n`, { mode: 0o755 });
  return script;
}

async function startSession(cbos: Cbos, { world, env }: SceneSet, scene: RecordedScene): Promise<StartedClaude> {
  const created = await cbos.call<Session>('POST', '/sessions', {
    slug: SLUG,
    path: world.projectDir,
    type: 'screen',
    args: scene.args ?? [],
    env,
    ...sizeOf(scene),
  });
  if (created.error !== null) throw new Error(`${created.error.code}: ${created.error.message}`);
  const agent = await waitFor(async () => readProcess((await cbos.session(SLUG)).pid ?? -1), {
    describe: 'the session has a process',
  });
  const ask = async (what: string, body: unknown): Promise<void> => {
    const { error } = await cbos.call('POST', `/sessions/${SLUG}/${what}`, body);
    if (error !== null) throw new Error(`${what}: ${error.code}: ${error.message}`);
  };
  return {
    agent,
    typescript: join(world.streamDir, `${SLUG}.typescript`),
    press: (keys) => ask('keys', { keys }),
    resize: (cols, rows) => ask('resize', { cols, rows }),
  };
}

function announcedBy({ frames }: Watcher): Announced[] {
  return frames.flatMap((frame) => {
    const status =
      frame.type === 'session_state' ? frame.status : frame.type === 'session_added' ? frame.session.status : null;
    if (status === null) return [];
    const { primary, detail, because } = status;
    return [{ at: frame.receivedAt, primary, detail, because }];
  });
}
