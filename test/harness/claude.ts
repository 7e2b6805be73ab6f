import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXAMPLE_PROJECT_ALLOW, writeExampleProject } from '../../src/demo/example-project.ts';
import { isolatedEnvironment, prepareIsolatedHome } from '../../src/demo/isolated-home.ts';
import { type ApiEvent, type MessagesApi, startMessagesApi } from '../../src/demo/messages-api/server.ts';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import { Emitter } from '../../src/emitter/emitter.ts';
import { isAtLeast, parseClaudeVersion } from '../../src/platform/claude/index.ts';
import { createWorld, type World } from './world.ts';

/** An event in the stand-in and when it happened, in Unix milliseconds. */
export type TimedApiEvent = ApiEvent & { at: number };

/** A world with a stand-in for the Messages API, and everything that a real Claude Code needs to run against it. */
export interface ClaudeWorld extends World {
  api: MessagesApi;
  /** Claude Code's requests and the answers to them, in order; grows */
  apiEvents: TimedApiEvent[];
  onApiEvent(listener: (event: TimedApiEvent) => void): () => void;
  /** absolute path of Claude Code */
  claude: string;
  /** the prompts that reached the stand-in, in order, without side calls and without later requests in the same turn */
  promptsReceived(): string[];
}

export interface ClaudeWorldOptions {
  /**
   * the program that plays Claude Code: the real one, or the stand-in for it (`test/stand-in/`), for tests that need a
   * process, hooks and a prompt, but not Claude Code itself; see `test/contract/`
   */
  agent?: 'real' | 'stand-in';
  /** false to start with the trust dialog */
  trusted?: boolean;
  /** multiplies the delays of all scenes, or of some scenes by their names */
  pace?: number | Readonly<Record<string, number>>;
  /** asked for a scene before the names in the prompt are used */
  choosers?: readonly ChooseScene[];
  /** additional project directories, created and trusted; `project(name)` returns them */
  projects?: readonly string[];
}

/**
 * Returns the Claude Code from the development dependencies, taken from the platform's own package (the main one is a
 * wrapper).
 */
export function pinnedClaude(): string {
  return realpathSync(join(dirname(pinnedManifest()), '..', `claude-code-linux-${process.arch}`, 'claude'));
}

/** The version in the development dependencies. */
export const pinnedVersion = (): string =>
  (JSON.parse(readFileSync(pinnedManifest(), 'utf8')) as { version: string }).version;

const pinnedManifest = (): string => createRequire(import.meta.url).resolve('@anthropic-ai/claude-code/package.json');

/** The stand-in for Claude Code. */
export const STAND_IN = fileURLToPath(new URL('../stand-in/@anthropic-ai/claude-code/cli.mjs', import.meta.url));

/** Returns the pinned program, or the older one that `npm run older` names. */
const testedClaude = (): string => process.env.CBOS_TEST_CLAUDE ?? pinnedClaude();

/** Returns the version of the program that the tests run. */
export const testedVersion = (): string => process.env.CBOS_TEST_CLAUDE_VERSION ?? pinnedVersion();

/** Reports whether the version under test is older than this one. */
export function isOlderThan(version: string): boolean {
  const tested = parseClaudeVersion(testedVersion());
  return tested !== null && !isAtLeast(tested, version);
}

/**
 * Creates a world in which the pinned Claude Code runs offline. `env` is the complete environment for it, and for a
 * CBOS server whose sessions run it. CBOS_CLAUDE_COMMAND in `env` names the program.
 */
export async function claudeWorld(options: ClaudeWorldOptions = {}): Promise<ClaudeWorld & AsyncDisposable> {
  const world = createWorld();
  const apiEvents: TimedApiEvent[] = [];
  const happened = new Emitter<[TimedApiEvent]>();
  try {
    const api = await startMessagesApi({
      ...(options.pace === undefined ? {} : { pace: options.pace }),
      ...(options.choosers === undefined ? {} : { choosers: options.choosers }),
      onEvent: (event) => {
        const timed = { ...event, at: Date.now() };
        apiEvents.push(timed);
        happened.tell(timed);
      },
    });
    world.onDispose(() => api.close());
    world.onDispose(() => happened.clear());
    const projects = [world.projectDir, ...(options.projects ?? []).map((name) => world.project(name))];
    for (const project of projects) writeExampleProject(project);
    prepareIsolatedHome({
      home: world.home,
      trusted: options.trusted === false ? [] : projects,
      allow: EXAMPLE_PROJECT_ALLOW,
    });
    const claude = options.agent === 'stand-in' ? STAND_IN : testedClaude();
    const isolated = isolatedEnvironment({
      home: world.home,
      port: api.port,
      path: world.env.PATH ?? '',
      temporary: world.temporary,
    });
    return {
      ...world,
      env: { ...world.env, ...isolated, CBOS_CLAUDE_COMMAND: claude },
      api,
      apiEvents,
      onApiEvent: happened.on,
      claude,
      promptsReceived: () =>
        apiEvents.flatMap((event) =>
          event.kind === 'request' && event.scene !== null && event.step === 0 ? [event.prompt] : [],
        ),
    };
  } catch (error) {
    await world.dispose();
    throw error;
  }
}
