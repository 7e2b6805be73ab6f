import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_PROJECT_ALLOW } from '../../src/demo/example-project.ts';
import { prepareIsolatedHome } from '../../src/demo/isolated-home.ts';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import { type ClaudeVersion, parseClaudeVersion } from '../../src/platform/claude/index.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { obtainClaude, RecorderError } from './claude-versions.ts';
import { type NetworkGate, openNetworkGate } from './network-gate.ts';
import type { RecordedScene } from './scene.ts';
import { Truth } from './truth.ts';

/** The request of Claude Code for a summary when it compacts a conversation. A scene answers it as `compaction`. */
const COMPACTION = /Your task is to create a detailed summary/;

const DEFAULT_SIZE = { cols: 100, rows: 30 };

/**
 * Everything that a scene is played in: a world with the stand-in, a connection to the stand-in that can be cut, and
 * the record of what is true.
 */
export interface SceneSet {
  world: ClaudeWorld;
  truth: Truth;
  gate: NetworkGate;
  /** when connections were reset, in Unix milliseconds; grows */
  cutOffs: readonly number[];
  version: ClaudeVersion;
  /** the command that runs Claude Code, without arguments */
  program: readonly string[];
  /** additions to the environment of the world */
  env: Readonly<Record<string, string>>;
}

export interface SceneSetOptions {
  /** the version of Claude Code */
  claude: string;
  cacheDir: string;
  /** aborting ends the scene and everything that was started for it */
  signal: AbortSignal;
  print: (line: string) => void;
}

/** Returns the size of the window: the requested one, or else the scene's own, or else 100×30. */
export function sizeOf(
  scene: RecordedScene,
  asked: { cols?: number; rows?: number } = {},
): { cols: number; rows: number } {
  return {
    cols: asked.cols ?? scene.cols ?? DEFAULT_SIZE.cols,
    rows: asked.rows ?? scene.rows ?? DEFAULT_SIZE.rows,
  };
}

/** @throws RecorderError if the version cannot be obtained */
export async function openSceneSet(
  scene: RecordedScene,
  { claude, cacheDir, signal, print }: SceneSetOptions,
): Promise<SceneSet & AsyncDisposable> {
  const program = await obtainClaude({ version: claude, cacheDir, print });
  const version = parseClaudeVersion(claude);
  if (version === null) throw new RecorderError(`${claude} is no version`);
  const truth = new Truth(
    {
      asks: scene.asks ?? {},
      helpers: scene.helpers ?? null,
      endsWithQuestion: scene.endsWithQuestion ?? false,
      attempts: scene.attempts ?? 1,
    },
    Date.now,
  );
  const world = await claudeWorld({ choosers: [chooserOf(scene)] });
  const abort = (): void => void world.dispose();
  signal.addEventListener('abort', abort, { once: true });
  world.onDispose(() => signal.removeEventListener('abort', abort));
  prepareHome(scene, world);
  const cutOffs: number[] = [];
  const gate = await openNetworkGate(world.api.port, () => {
    cutOffs.push(Date.now());
    truth.note('reset', 'network');
  });
  world.onDispose(() => gate.close());
  return {
    world,
    truth,
    gate,
    cutOffs,
    version,
    program,
    env: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${gate.port}`, ...scene.env },
    [Symbol.asyncDispose]: () => world.dispose(),
  };
}

/** Looks a name up in the scene's own replies first. The catalogue of the demo answers all other names. */
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
  // 1.0.60 ends at once if a project has no such list.
  for (const project of Object.values(state.projects as Record<string, object>))
    Object.assign(project, { allowedTools: [] });
  if (scene.without === 'key') delete state.customApiKeyResponses;
  writeFileSync(file, `${JSON.stringify(state)}\n`, { mode: 0o600 });
}
