import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  installService,
  type ServiceContext,
  serviceState,
  uninstallService,
} from '../../../src/platform/systemd/index.ts';
import { canRunSystemd, startUserSystemd } from '../../harness/user-systemd.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;

beforeEach(() => {
  world = createWorld();
});

afterEach(() => world.dispose());

function context(): ServiceContext {
  const runtimeDir = world.project('r');
  return {
    node: process.execPath,
    program: join(world.dir, 'cbos.mjs'),
    environment: { ...world.env, XDG_RUNTIME_DIR: runtimeDir },
    userHome: world.home,
    userName: 'nobody-who-lingers',
    userId: process.getuid?.() ?? 0,
  };
}

describe('without a user instance of systemd', () => {
  test('a system without systemd reports it, with the cure', async () => {
    const { environment, ...rest } = context();
    const bare = { ...rest, environment: { ...environment, PATH: world.project('empty') } };
    await expect(installService(bare)).rejects.toMatchObject({
      code: 'no_systemd',
      message: 'This system has no systemd',
      hint: expect.stringContaining('cbos up'),
    });
  });

  const hasSystemctl = spawnSync('systemctl', ['--version']).status === 0;

  test.skipIf(!hasSystemctl)('a container says so in one line, and nothing is written', async () => {
    await expect(installService(context())).rejects.toMatchObject({
      code: 'no_systemd',
      message: expect.stringMatching(/^systemd does not run for this user: .*bus.*$/),
    });
    expect(existsSync(join(world.home, '.config'))).toBe(false);
  });
});

describe.skipIf(!canRunSystemd)('with a real user instance of systemd', () => {
  /** Replaces the server. It starts a child that must outlive it, as Screen does. */
  const PROGRAM = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
if (process.argv[2] !== 'serve') process.exit(2);
const session = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
writeFileSync(process.env.CBOS_HOME, JSON.stringify({ server: process.pid, session: session.pid }));
setInterval(() => {}, 60_000);
`;

  const startSystemd = ({ environment }: ServiceContext) =>
    startUserSystemd(world, { ...world.env, XDG_RUNTIME_DIR: environment.XDG_RUNTIME_DIR ?? '' });

  const pids = () =>
    waitFor(() => JSON.parse(readFileSync(world.cbosHome, 'utf8')) as { server: number; session: number }, {
      describe: 'the server has started its session',
    });

  const runs = (pid: number) => world.processes().some((process) => process.pid === pid);

  test('install starts it, stop leaves the sessions alive, uninstall leaves nothing of the service', async ({
    skip,
  }) => {
    const service = context();
    writeFileSync(service.program, PROGRAM);
    if ((await startSystemd(service)) === null) return skip('systemd runs no services here');

    const installed = await installService(service);
    expect(installed).toMatchObject({ running: true, enabled: true });
    expect(installed.notes).toEqual([expect.stringContaining('loginctl enable-linger')]);
    const first = await pids();
    expect([runs(first.server), runs(first.session)]).toEqual([true, true]);

    // The second time nothing happens: the same server keeps running.
    expect(await installService(service)).toEqual(installed);
    expect(runs(first.server)).toBe(true);

    expect(await uninstallService(service)).toBe('uninstalled');
    await waitFor(() => !runs(first.server), { describe: 'the server has ended' });
    expect(runs(first.session)).toBe(true);
    expect(await serviceState(service)).toEqual({ unitFile: null, running: false, enabled: false, notes: [] });
    expect(await uninstallService(service)).toBe('not_installed');
  });

  test('an install with other settings restarts it with them', async ({ skip }) => {
    const service = context();
    writeFileSync(service.program, PROGRAM);
    if ((await startSystemd(service)) === null) return skip('systemd runs no services here');
    const { unitFile } = await installService(service);
    const { server } = await pids();
    await installService({ ...service, environment: { ...service.environment, CBOS_PORT: '4711' } });
    await waitFor(() => !runs(server), { describe: 'the old server has ended' });
    expect(readFileSync(unitFile ?? '', 'utf8')).toContain('Environment="CBOS_PORT=4711"');
  });
});
