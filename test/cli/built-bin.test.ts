import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { waitFor } from '../harness/wait-for.ts';
import { WAITS_FOR_PERMISSION, WORKS } from './some-questions.ts';

const BIN = fileURLToPath(new URL('../../dist/cbos.js', import.meta.url));

let server: FacesUnderTest;

beforeAll(async () => {
  server = await startFaces();
  server.sessions.add('AUTH', WAITS_FOR_PERMISSION);
});
afterAll(() => server[Symbol.asyncDispose]());

function start(...argv: string[]) {
  const child = spawn(process.execPath, [BIN, ...argv], { env: server.world.env, cwd: server.world.projectDir });
  server.world.onDispose(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes: Buffer) => {
    stdout += bytes.toString();
  });
  child.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

/** `npm test` builds first, but a run of this file alone may not have a build. */
describe.skipIf(!existsSync(BIN))('the program as it is installed', () => {
  test('lists sessions over the local socket of its home', async () => {
    const run = start('ls', '--json');
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(JSON.parse(run.stdout())).toMatchObject([{ slug: 'AUTH' }]);
  });

  test('exits with the exit code of its error', async () => {
    expect(await start('show', 'NOPE').ended).toEqual({ code: 3, signal: null });
    expect(await start('nonsense').ended).toEqual({ code: 2, signal: null });
  });

  test('prints all of an output that is longer than a pipe holds', async () => {
    const recording = server.sessions.add('LARGE');
    recording.write('x'.repeat(1_000_000));
    const run = start('logs', 'LARGE', '--raw');
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stdout().length).toBe(recording.end());
  });

  test.each([['--help'], ['ls'], ['config', '--json']])(
    'reports that a full disk did not take its output: %s',
    async (...argv) => {
      const toFullDisk = ['-c', 'exec "$@" >/dev/full', 'sh', process.execPath, BIN, ...argv];
      const run = spawn('/bin/sh', toFullDisk, { env: server.world.env, stdio: ['ignore', 'ignore', 'pipe'] });
      const stderr = text(run.stderr);
      const [code] = await once(run, 'close');
      expect(code).toBe(1);
      expect(await stderr).toContain('cbos: The output is incomplete: ENOSPC');
    },
  );

  test('watch ends cleanly on SIGINT', async () => {
    const run = start('watch');
    await waitFor(
      () => {
        server.sessions.change('AUTH', server.sessions.get('AUTH').state === 'working' ? WAITS_FOR_PERMISSION : WORKS);
        return run.stdout().includes('AUTH');
      },
      { describe: 'it prints a change' },
    );
    run.child.kill('SIGINT');
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stderr()).not.toContain('fault');
  });

  test('watch ends cleanly when its reader goes away', async () => {
    const run = start('watch');
    run.child.stdout.once('data', () => run.child.stdout.destroy());
    let isOver = false;
    void run.ended.then(() => {
      isOver = true;
    });
    await waitFor(
      () => {
        server.sessions.change('AUTH', server.sessions.get('AUTH').state === 'working' ? WAITS_FOR_PERMISSION : WORKS);
        return isOver;
      },
      { describe: 'it ends', actual: () => run.stderr() },
    );
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stderr()).not.toContain('EPIPE');
  });
});
