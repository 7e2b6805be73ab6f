import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/root.mjs';
import { SETTING_ROWS } from '../../../src/protocol/index.ts';
import { runCommand } from '../../cli/command-line.ts';
import { found, hasNatsServer, invite, startMachine, untilConnected } from '../../harness/fleet.ts';
import { startNatsNodes } from '../../harness/nats-nodes.ts';
import { waitFor } from '../../harness/wait-for.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const DOCKERFILE = read('Dockerfile');
const GUIDE = read('docs/guides/containers.md');
/** The variables that only `join-by-environment.ts` reads. */
const JOINING = ['INVITATION', 'INVITATION_FILE', 'CREDENTIALS_FILE', 'CA_FILE', 'NAME', 'ALLOW'].map(
  (name) => `CBOS_FLEET_${name}`,
);

describe.skipIf(!hasNatsServer)('a machine on which nobody types', () => {
  test('joins the fleet that its environment names as soon as the founder is there, once', async () => {
    const desk = await startMachine('desk');
    const build = await startMachine('build');
    try {
      await found(desk);
      const line = await invite(desk, ['see', 'answer']);
      const file = join(build.world.dir, 'invitation');
      writeFileSync(file, `${line}\n`);
      await build.stop();
      Object.assign(build.world.env, {
        ...{ CBOS_FLEET_INVITATION_FILE: file, CBOS_FLEET_NAME: 'build', CBOS_FLEET_ALLOW: 'see,type' },
      });
      await build.startAgain();
      await untilConnected(build);
      const { machines } = await desk.fleet();
      expect(machines).toMatchObject([{ name: 'desk' }, { name: 'build', rights: ['see', 'answer'] }]);
      expect((await build.fleet()).fleet?.allow).toEqual(['see', 'type']);
      // A container that is created again has a used invitation, and the same home.
      await build.stop();
      await build.startAgain();
      await untilConnected(build);
      expect((await desk.fleet()).machines).toHaveLength(2);
      expect(JSON.stringify(build.log)).not.toContain(line);
    } finally {
      await build[Symbol.asyncDispose]();
      await desk[Symbol.asyncDispose]();
    }
  });

  test('joins a fleet on a shared NATS server with the credentials that its environment names, once that server runs', async () => {
    const desk = await startMachine('desk');
    const build = await startMachine('build');
    try {
      const nodes = await startNatsNodes(desk.world, 1);
      const body = { name: 'desk', nats: nodes.address, credentials: nodes.users.fleet.seed };
      expect((await desk.call('/fleet/init', { body })).status).toBe(201);
      await untilConnected(desk);
      const file = join(build.world.dir, 'credentials');
      writeFileSync(file, nodes.users.fleet.seed);
      await build.stop();
      Object.assign(build.world.env, {
        CBOS_FLEET_INVITATION: await invite(desk, ['see']),
        ...{ CBOS_FLEET_CREDENTIALS_FILE: file, CBOS_FLEET_NAME: 'build' },
      });
      await nodes.kill('n1');
      await build.startAgain();
      const isReported = () => build.log.some(({ fields }) => JSON.stringify(fields).includes('nats_unreachable'));
      await waitFor(isReported, { describe: 'the server that is down is reported' });
      await nodes.start('n1');
      await untilConnected(build);
      await untilConnected(desk);
      expect((await desk.fleet()).machines).toMatchObject([{ name: 'desk' }, { name: 'build', rights: ['see'] }]);
    } finally {
      await build[Symbol.asyncDispose]();
      await desk[Symbol.asyncDispose]();
    }
  });

  test('says in its log why it cannot join, with the cure, and serves its own sessions', async () => {
    const build = await startMachine('build');
    try {
      for (const [env, code] of [
        [{ CBOS_FLEET_INVITATION: 'hello' }, 'invalid_invitation'],
        [{ CBOS_FLEET_INVITATION: 'hello', CBOS_FLEET_ALLOW: 'everything' }, 'invalid_setting'],
        [{ CBOS_FLEET_INVITATION: '', CBOS_FLEET_INVITATION_FILE: '/nowhere/invitation' }, 'invalid_setting'],
      ] as const) {
        await build.stop();
        build.log.length = 0;
        Object.assign(build.world.env, env);
        await build.startAgain();
        await waitFor(() => build.log.some(({ level }) => level === 'error'), { describe: `the log has ${code}` });
        expect(build.log.find(({ level }) => level === 'error')?.fields).toMatchObject({
          ...{ code, hint: expect.any(String) },
        });
        expect((await build.call('/sessions')).status).toBe(200);
      }
    } finally {
      await build[Symbol.asyncDispose]();
    }
  });
});

describe('the image', () => {
  test('calls only commands, packages and files that exist', async () => {
    const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
      files.split(' '),
    );
    expect(copied.length).toBeGreaterThan(4);
    for (const file of copied) expect({ file, exists: existsSync(join(ROOT, file)) }).toEqual({ file, exists: true });
    const ignored = read('.dockerignore').split('\n');
    for (const file of copied) expect(ignored).toContain(`!${file}`);
    const calls = [...DOCKERFILE.matchAll(/CMD (\[.*\])/g)].map(([, words = '']) => JSON.parse(words) as string[]);
    const probes = [...GUIDE.matchAll(/command: \[cbos, (.*?)\]/g)].map(([, words = '']) => [
      'cbos',
      ...words.split(', '),
    ]);
    expect(calls).toContainEqual(['cbos', 'serve']);
    for (const [program, ...words] of [...calls, ...probes]) {
      expect(program).toBe('cbos');
      const help = await runCommand([words[0] ?? '', '--help'], { socket: '/nowhere', cwd: '/' });
      expect({ words, code: help.code }).toEqual({ words, code: 0 });
      for (const flag of words.slice(1)) expect(help.stdout).toMatch(new RegExp(`(^|\\s)${flag}\\b`, 'm'));
    }
    const { version } = JSON.parse(read('node_modules/@anthropic-ai/claude-code/package.json')) as { version: string };
    expect(DOCKERFILE).toContain(`CLAUDE_CODE_VERSION=${version}`);
    const known = [...SETTING_ROWS.map(({ environment }) => environment), ...JOINING];
    for (const [name] of `${DOCKERFILE}${GUIDE}`.matchAll(/CBOS_[A-Z_]+/g)) expect(known).toContain(name);
  });
});
