import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { settingKey } from '../protocol/index.ts';
import { EXAMPLE_PROJECT_ALLOW, writeExampleProject } from './example-project.ts';
import { isolatedEnvironment, prepareIsolatedHome } from './isolated-home.ts';
import { endLeftovers } from './leftovers.ts';
import { startMessagesApi } from './messages-api/server.ts';
import { chooseByPrompt } from './scenes/choose.ts';
import { chooseDemoScene, DEMO_SESSIONS, type DemoSession } from './scenes/fleet.ts';
import { TOUR_SESSION } from './scenes/tour.ts';

/** A CBOS server that only the demo uses, with the functions that the demo needs. */
export interface DemoFleet {
  launch(session: Pick<DemoSession, 'slug' | 'type' | 'prompt'> & { path: string }): Promise<void>;
  /** reports what the sessions do, one line per event, such as "○ DEPLOY waits: Bash ./deploy.sh staging" */
  onChange(listener: (line: string) => void): () => void;
  /** ends all of the server's sessions and then the server itself, leaving nothing behind */
  close(): Promise<void>;
}

export interface DemoOptions {
  /** the absolute path of Claude Code's program */
  claude: string;
  /**
   * the directory of the Node executable that runs this program, because Claude Code may be a script that needs Node
   */
  nodeDirectory: string;
  /** where to create the demo's home, such as /tmp; the path must be short, because Screen's sockets are below it */
  temporaryDirectory: string;
  /** starts a server with exactly this environment; nothing from the user's own environment may reach a session */
  openFleet: (environment: Readonly<Record<string, string>>) => Promise<DemoFleet>;
  /** the command by which the user runs this program in another terminal, e.g. `cbos` */
  program: string;
  print: (line: string) => void;
  /**
   * Shows the sessions to the user, including one that guides the user through the demo. Resolves when the user leaves,
   * which ends the demo. If null, the demo prints what happens until the signal is aborted.
   * @param home the `CBOS_HOME` of the demo
   * @param ended aborted if the demo ends for another reason
   */
  show: ((home: string, ended: AbortSignal) => Promise<void>) | null;
  /** aborting this signal ends the demo, e.g. on Ctrl+C */
  signal: AbortSignal;
}

/** The error message if Claude Code is not installed. */
export const NO_CLAUDE =
  'the demo runs real Claude Code sessions, but `claude` was not found: npm install -g @anthropic-ai/claude-code (no account is needed)';

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The prefix of a demo directory's name. mkdtemp appends a random suffix. */
const PREFIX = 'cbos-demo-';

/**
 * Creates the demo's directory, which is removed at the end, and returns a function that creates directories inside it.
 */
function makePlace(temporaryDirectory: string): { dir: string; make: (name: string) => string } {
  // Resolve links, because Claude Code compares trusted directories by their real paths.
  const dir = realpathSync(mkdtempSync(join(temporaryDirectory, PREFIX)));
  const make = (name: string): string => {
    const path = join(dir, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  return { dir, make };
}

/**
 * Runs the demo: five real Claude Code sessions, one of them without a terminal, in a home of their own, with a
 * scripted stand-in for the model. The sessions think, run tools, request permission, and ask a question, and the user
 * can answer them. When the signal is aborted or the user leaves, the demo ends and removes everything that it created.
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  const { print, signal } = options;
  await endLeftovers(options.temporaryDirectory, {
    prefix: PREFIX,
    // Nothing listens on this port any more, so requests no longer reach a model.
    end: async (left) => (await options.openFleet(environmentIn(left, 0, options))).close(),
    remove: removeDirectory,
    print,
  });
  const { dir, make } = makePlace(options.temporaryDirectory);
  const endings: (() => void | Promise<void>)[] = [() => removeDirectory(dir)];
  const { show } = options;
  const ended = new AbortController();
  const sessions = show === null ? DEMO_SESSIONS : [TOUR_SESSION, ...DEMO_SESSIONS];
  try {
    const api = await startMessagesApi({
      choosers: [chooseDemoScene, chooseByPrompt({ [TOUR_SESSION.prompt]: TOUR_SESSION.scene })],
    });
    endings.push(() => api.close());
    const home = make('home');
    const projects = new Map<DemoSession, string>();
    for (const session of sessions) {
      const project = make(session.slug.toLowerCase());
      writeExampleProject(project);
      projects.set(session, project);
    }
    prepareIsolatedHome({ home, trusted: [...projects.values()], allow: EXAMPLE_PROJECT_ALLOW });
    const cbosHome = make('cbos');
    const streamDir = make('streams');
    // Commands that work without a server, such as timeline and replay, read this file. The user therefore only has to
    // export CBOS_HOME.
    writeFileSync(join(cbosHome, 'config.toml'), configFor(streamDir), { mode: 0o600 });
    make('tmp');
    make('s');
    const fleet = await options.openFleet(environmentIn(dir, api.port, options));
    endings.push(() => fleet.close());
    let left: Promise<unknown> = aborted(signal);
    if (show === null) {
      endings.push(fleet.onChange(print));
      printWays(options, cbosHome);
    } else {
      // Open this before the sessions start, so that the user sees them appear.
      const shown = show(cbosHome, ended.signal);
      left = Promise.race([left, shown]);
      endings.push(async () => {
        ended.abort();
        await shown;
      });
    }
    let hasLeft = false;
    const leave = (): void => {
      hasLeft = true;
    };
    void left.then(leave, leave);
    for (const [{ slug, type, prompt }, path] of projects) {
      if (hasLeft || signal.aborted) return;
      await fleet.launch({ slug, type, path, prompt });
    }
    await left;
  } finally {
    print('Ending the sessions…');
    await endAll(endings.reverse());
  }
}

/** Returns the complete environment for a demo server in the given directory. */
function environmentIn(dir: string, port: number, { nodeDirectory, claude }: DemoOptions): Record<string, string> {
  const path = [nodeDirectory, dirname(claude), SYSTEM_PATH].join(':');
  return {
    ...isolatedEnvironment({ home: join(dir, 'home'), port, path, temporary: join(dir, 'tmp') }),
    CBOS_HOME: join(dir, 'cbos'),
    CBOS_STREAM_STREAM_DIR: join(dir, 'streams'),
    CBOS_CLAUDE_COMMAND: claude,
    CBOS_PORT: '0',
    SCREENDIR: join(dir, 's'),
  };
}

/** Prints how to look at the sessions from another terminal. */
function printWays({ print, program }: DemoOptions, cbosHome: string): void {
  print(
    'The demo has its own sessions and runs offline: it needs no key, costs nothing, and does not touch your sessions. Look at them from another terminal:',
  );
  print('');
  print(`  export CBOS_HOME=${cbosHome}`);
  print(`  ${program}                          the terminal UI: y, n and digits answer, ? shows the keys`);
  print(`  ${program} open                     the web page, signed in`);
  print(`  ${program} ls                       what the sessions are doing`);
  print(`  ${program} answer DEPLOY yes        allow the command`);
  print(`  ${program} answer ACCOUNTS SQLite   answer the question`);
  print(`  ${program} attach STARTUP           the real terminal`);
  print(`  ${program} events NOTES -f          what a session without a terminal is doing`);
  print('');
  print('Ctrl+C ends the demo and cleans up.');
  print('');
}

/** Runs all clean-up functions, even if some of them fail. */
async function endAll(endings: readonly (() => void | Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of endings) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'the demo could not clean up everything');
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Retry the removal, because a process that is just ending may still be writing files there. */
function removeDirectory(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

const configFor = (streamDir: string): string => `${settingKey('stream_dir')} = ${JSON.stringify(streamDir)}\n`;
