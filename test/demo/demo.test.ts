import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DemoFleet, runDemo } from '../../src/demo/index.ts';
import { chooseByPrompt } from '../../src/demo/scenes/choose.ts';
import { chooseDemoScene, DEMO_SESSIONS } from '../../src/demo/scenes/fleet.ts';
import { TOUR_SESSION } from '../../src/demo/scenes/tour.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type ClaudeInScreen, startClaudeInScreen } from '../harness/claude-in-screen.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

/** Replaces the server, which the demo gets as a parameter. */
function recordingFleet() {
  const launched: { slug: string; path: string; prompt: string }[] = [];
  let environment: Readonly<Record<string, string>> = {};
  let isClosed = false;
  const fleet: DemoFleet = {
    launch: async (session) => {
      expect(existsSync(join(session.path, 'check.sh'))).toBe(true);
      launched.push(session);
    },
    onChange: () => () => undefined,
    close: async () => {
      isClosed = true;
    },
  };
  return {
    launched,
    environment: () => environment,
    isClosed: () => isClosed,
    open: async (given: Readonly<Record<string, string>>) => {
      environment = given;
      return fleet;
    },
  };
}

/** Claude Code waits for a prompt. */
const READY = /\? for shortcuts/;

/** The options that most tests give the demo. */
const USUAL = {
  claude: '/opt/claude/bin/claude',
  nodeDirectory: '/opt/node/bin',
  program: 'cbos',
  print: () => undefined,
  show: null,
};

describe('the demo', () => {
  test('launches five sessions in a private place, and leaves nothing behind at the end', async () => {
    await using world = createWorld();
    const fleet = recordingFleet();
    const stop = new AbortController();
    const printed: string[] = [];
    const running = runDemo({
      ...USUAL,
      temporaryDirectory: world.dir,
      openFleet: fleet.open,
      print: (line) => printed.push(line),
      signal: stop.signal,
    });
    await waitFor(() => fleet.launched.length === 5, { describe: 'five sessions are launched' });
    const home = fleet.environment().CBOS_HOME ?? '';
    expect(home.startsWith(join(world.dir, 'cbos-demo-'))).toBe(true);
    expect(statSync(join(home, '..')).mode & 0o777).toBe(0o700);
    expect(printed.join('\n')).toContain(`export CBOS_HOME=${home}`);
    stop.abort();
    await running;
    expect(fleet.isClosed()).toBe(true);
    expect(existsSync(join(home, '..'))).toBe(false);
  });

  test('is shown with a session that gives a tour, and ends when the person leaves', async () => {
    await using world = createWorld();
    const fleet = recordingFleet();
    const printed: string[] = [];
    let leave = (): void => undefined;
    let shownAt = '';
    const running = runDemo({
      ...USUAL,
      temporaryDirectory: world.dir,
      openFleet: fleet.open,
      print: (line) => printed.push(line),
      show: (home) => {
        shownAt = home;
        return new Promise((resolve) => {
          leave = resolve;
        });
      },
      signal: new AbortController().signal,
    });
    await waitFor(() => fleet.launched.length === 6, { describe: 'six sessions are launched' });
    expect(fleet.launched[0]?.slug).toBe('TOUR');
    expect(shownAt).toBe(fleet.environment().CBOS_HOME);
    expect(printed).toEqual([]);
    leave();
    await running;
    expect(fleet.isClosed()).toBe(true);
    expect(existsSync(shownAt)).toBe(false);
  });

  test('closes the terminal UI or page when it ends on a signal', async () => {
    await using world = createWorld();
    const fleet = recordingFleet();
    const stop = new AbortController();
    const running = runDemo({
      ...USUAL,
      temporaryDirectory: world.dir,
      openFleet: fleet.open,
      show: (_, ended) => new Promise((resolve) => ended.addEventListener('abort', () => resolve(), { once: true })),
      signal: stop.signal,
    });
    await waitFor(() => fleet.launched.length === 6, { describe: 'six sessions are launched' });
    stop.abort();
    await running;
    expect(fleet.isClosed()).toBe(true);
  });

  test("lets nothing of the person's environment through, and contacts only loopback", async () => {
    await using world = createWorld();
    const fleet = recordingFleet();
    process.env.ANTHROPIC_AUTH_TOKEN = 'a-secret-of-the-person';
    try {
      await runDemo({
        ...USUAL,
        temporaryDirectory: world.dir,
        openFleet: fleet.open,
        signal: AbortSignal.abort(),
      });
    } finally {
      delete process.env.ANTHROPIC_AUTH_TOKEN;
    }
    const environment = fleet.environment();
    expect(Object.keys(environment).sort()).toMatchInlineSnapshot(`
      [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "CBOS_CLAUDE_COMMAND",
        "CBOS_HOME",
        "CBOS_PORT",
        "CBOS_STREAM_STREAM_DIR",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_AUTOUPDATER",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_TELEMETRY",
        "HOME",
        "LANG",
        "PATH",
        "SCREENDIR",
        "SHELL",
        "TERM",
        "TMPDIR",
        "USER",
      ]
    `);
    expect(environment.ANTHROPIC_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(environment.HOME).toContain(world.dir);
    expect(Object.values(environment).join()).not.toContain('a-secret');
  });

  test('removes its directory if the server does not start', async () => {
    await using world = createWorld();
    let place = '';
    const running = runDemo({
      ...USUAL,
      temporaryDirectory: world.dir,
      openFleet: async (environment) => {
        place = join(environment.CBOS_HOME ?? '', '..');
        throw new Error('no server today');
      },
      signal: new AbortController().signal,
    });
    await expect(running).rejects.toThrow('no server today');
    expect(place).not.toBe('');
    expect(existsSync(place)).toBe(false);
  });
});

// All scenes are played in one Claude Code, each in a conversation of its own.
describe("the demo's scenes, with the real Claude Code", () => {
  let world: ClaudeWorld;
  let claude: ClaudeInScreen;
  beforeAll(async () => {
    const choosers = [chooseDemoScene, chooseByPrompt({ [TOUR_SESSION.prompt]: TOUR_SESSION.scene })];
    world = await claudeWorld({ pace: 0.1, choosers });
    claude = await startClaudeInScreen(world);
    await claude.waitForScreen(READY);
  });
  afterEach(async () => {
    await claude.waitForScreen(READY);
    await claude.prompt('/clear');
    await claude.waitForScreen(/❯ \/clear[\s\S]*\? for shortcuts/);
  });
  afterAll(() => world.dispose());

  const play = async (slug: string, run: () => Promise<unknown>): Promise<void> => {
    const session = [TOUR_SESSION, ...DEMO_SESSIONS].find((one) => one.slug === slug);
    if (session === undefined) throw new Error(slug);
    const before = world.promptsReceived().length;
    await claude.prompt(session.prompt);
    await run();
    expect(world.promptsReceived().slice(before)).toEqual([session.prompt]);
  };

  test('TOUR gives a tour with two questions and a permission', () =>
    play('TOUR', async () => {
      await claude.answer(/press 1 to answer it/, '1');
      await claude.answer(/deploy\.sh nowhere[\s\S]*Do you want to proceed/, '1');
      await claude.answer(/Answer the others, come back/, '1');
      await claude.waitForScreen(/the same in the browser/, 15_000);
    }));

  test('STARTUP reads a file and gives a long answer', () =>
    play('STARTUP', async () => {
      await claude.waitForScreen(/Neither change is visible[\s\S]*\? for shortcuts/, 15_000);
    }));

  test('CHECKS runs its script twice without asking', () =>
    play('CHECKS', async () => {
      await claude.waitForScreen(/passed twice/, 18_000);
    }));

  test('DEPLOY asks for a permission and deploys when it is given', () =>
    play('DEPLOY', async () => {
      await claude.answer(/deploy\.sh staging[\s\S]*Do you want to proceed/, '1');
      await claude.waitForScreen(/runs on staging/, 15_000);
    }));

  test('ACCOUNTS asks a question and continues with the answer', () =>
    play('ACCOUNTS', async () => {
      await claude.answer(/Where shall the accounts be stored/, '1');
      await claude.waitForScreen(/begin with the table/, 15_000);
    }));
});
