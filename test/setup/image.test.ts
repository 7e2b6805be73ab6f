import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.mjs';
import { capture } from '../../scripts/run-command.mjs';
import { findOnPath } from '../../scripts/setup/system-programs.mjs';
import { found, hasNatsServer, invite, startMachine } from '../harness/fleet.ts';
import { MARK } from '../harness/marked-processes.mjs';
import { waitFor } from '../harness/wait-for.ts';
import type { World } from '../harness/world.ts';

/** Whether the image is built, which takes minutes: `npm run image`. */
const isWanted = process.env.CBOS_IMAGE === '1';
const IMAGE = 'cbos-test';

/** An engine sees only what it needs to find itself, its storage and its registry. */
const ENGINE_ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(HOME|PATH|TMPDIR|REGISTRY_AUTH_FILE|(XDG|DOCKER|CONTAINERS?|BUILDAH|STORAGE)_.*)$/.test(name),
  ),
);

/** A container of the image that was built, on the network of this machine. */
interface Container {
  start(): Promise<void>;
  run(...words: string[]): ReturnType<typeof capture>;
  /** Ends the container with SIGTERM, and returns its exit code. */
  stop(): Promise<number>;
}

interface Engine {
  name: string;
  build(): ReturnType<typeof capture>;
  create(world: World, env: Record<string, string>): Promise<Container>;
}

const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
/** The words of an instruction, such as `CMD ["cbos", "serve"]`. */
const wordsOf = (instruction: RegExp): string[] => JSON.parse(instruction.exec(dockerfile)?.[1] ?? '[]');
const START = [...wordsOf(/^ENTRYPOINT (.*)$/m), ...wordsOf(/^CMD (.*)$/m)];
const CHECK = wordsOf(/^HEALTHCHECK .* CMD (.*)$/m);

const optionsOf = (env: Record<string, string>): string[] =>
  Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);

const base = process.env.CBOS_IMAGE_BASE ?? '';
const baseOptions = base === '' ? [] : ['--build-arg', `NODE_IMAGE=${base}`];

/** docker, and podman, which takes the same commands. */
function dockerLike(name: string): Engine {
  const run = (...args: string[]) => capture(name, args, ENGINE_ENV);
  const required = async (...args: string[]): Promise<string> => {
    const done = await run(...args);
    if (!done.ok) throw new Error(`${name} ${args[0]}: ${done.output}`);
    return done.output;
  };
  return {
    name,
    build: () => run('build', ...baseOptions, '-t', IMAGE, ROOT),
    create: async (world, env) => {
      const id = `cbos-${world.mark}`;
      await required('create', '--name', id, '--network', 'host', ...optionsOf(env), IMAGE);
      world.onDispose(async () => void (await run('rm', '-f', id)));
      return {
        start: async () => void (await required('start', id)),
        run: (...words) => run('exec', id, ...words),
        stop: async () => {
          await required('stop', '-t', '30', id);
          return Number(await required('inspect', '-f', '{{.State.ExitCode}}', id));
        },
      };
    },
  };
}

/** buildah, which needs no daemon and no rights beyond those of root. A container is a changed root directory. */
function buildah(): Engine {
  const env = { BUILDAH_ISOLATION: 'chroot', ...ENGINE_ENV };
  const run = (...args: string[]) => capture('buildah', args, env);
  return {
    name: 'buildah',
    build: () => run('bud', ...baseOptions, ...(base === '' ? [] : ['--pull-never']), '-t', IMAGE, ROOT),
    create: async (world, given) => {
      const id = `cbos-${world.mark}`;
      const made = await run('from', '--pull-never', '--name', id, `localhost/${IMAGE}`);
      if (!made.ok) throw new Error(made.output);
      world.onDispose(async () => void (await run('rm', id)));
      const options = optionsOf({ ...given, [MARK]: world.mark });
      let running: ChildProcess | null = null;
      return {
        start: async () => {
          running = spawn('buildah', ['run', ...options, id, '--', ...START], { env, stdio: 'ignore' });
          await once(running, 'spawn');
        },
        run: (...words) => run('run', ...options, id, '--', ...words),
        stop: async () => {
          if (running === null) throw new Error('the container does not run');
          const ended = once(running, 'exit');
          const init = world.processes().find(({ pid }) => isStart(commandLine(pid)));
          if (init === undefined) throw new Error('the first process of the container was not found');
          process.kill(init.pid, 'SIGTERM');
          const [code] = (await ended) as [number | null];
          return code ?? -1;
        },
      };
    },
  };
}

/** Reports whether this is the command of a container, whose program may be named by its path. */
const isStart = ([program = '', ...rest]: string[]): boolean =>
  [basename(program), ...rest].join('\0') === START.join('\0');

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return []; // it has just ended
  }
}

/** Returns the first engine that works on this machine. */
async function findEngine(): Promise<Engine | null> {
  for (const name of ['docker', 'podman', 'buildah']) {
    if (findOnPath([name], process.env.PATH ?? '') === null) continue;
    if (!(await capture(name, ['info'], ENGINE_ENV)).ok) continue;
    return name === 'buildah' ? buildah() : dockerLike(name);
  }
  return null;
}

describe.skipIf(!isWanted || !hasNatsServer)('the image', () => {
  test('is built, joins the fleet of its environment, ends cleanly and is the same machine when it starts again', async ({
    skip,
  }) => {
    const engine = await findEngine();
    if (engine === null) return skip('neither docker nor podman nor buildah runs here');
    const built = await engine.build();
    expect(built.output.slice(-4_000)).toEqual(built.ok ? expect.any(String) : `an image of ${engine.name}`);
    const desk = await startMachine('desk');
    try {
      await found(desk);
      const container = await engine.create(desk.world, {
        ...{ CBOS_FLEET_INVITATION: await invite(desk, ['see']), CBOS_FLEET_NAME: 'build1' },
        ...{ CBOS_FLEET_ALLOW: 'see,type', CBOS_PORT: String(await desk.world.freePort()) },
      });
      const isSeen = async (): Promise<boolean> => {
        const build = (await desk.fleet()).machines.find(({ name }) => name === 'build1');
        return build?.reachable === true && build.may?.join() === 'see,type';
      };
      const began = { describe: 'the container is a machine of the fleet', timeoutMs: 120_000 };
      await container.start();
      await waitFor(isSeen, began);
      expect(await container.run(...CHECK)).toEqual({ ok: true, output: '' });
      const doctor = await container.run('cbos', 'doctor');
      expect(doctor).toMatchObject({ ok: true, output: expect.stringContaining('No faults found') });
      expect(await container.run('claude', '--version')).toMatchObject({ ok: true });
      expect(await container.stop()).toBe(0);
      await waitFor(async () => !(await isSeen()), { describe: 'the container has ended' });
      // The invitation was used, but the home has a membership by now.
      await container.start();
      await waitFor(isSeen, began);
      expect((await desk.fleet()).machines).toHaveLength(2);
      await container.stop();
    } finally {
      await desk[Symbol.asyncDispose]();
    }
  }, 1_800_000);
});
