import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld } from '../../harness/world.ts';

const world = createWorld();
const disk = join(world.dir, 'tiny-disk');
mkdirSync(disk);
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]).status === 0;
const reason = isMounted ? '' : ' (skipped: no file system may be mounted here)';

/** Far more than what is left of the last page when the disk is full. */
const LOST_BYTES = 40_000;

afterAll(async () => {
  if (isMounted) spawnSync('umount', [disk]);
  await world[Symbol.asyncDispose]();
});

test.skipIf(!isMounted)(
  `on a full disk script lets its command run on, loses what comes, and writes again when there is room${reason}`,
  async () => {
    const [output, timing, ballast] = ['o', 't', 'ballast'].map((name) => join(disk, name)) as [string, string, string];
    const untilThere = (name: string) => `until [ -e ${join(world.dir, name)} ]; do sleep 0.02; done`;
    const command = `echo BEFORE; ${untilThere('full')}; head -c ${LOST_BYTES} /dev/zero | tr '\\0' x; ${untilThere('freed')}; echo AFTER; exit 3`;
    const log = ['--log-out', output, '--log-timing', timing, '--logging-format', 'advanced'];
    const script = spawn('script', ['-q', '-f', '-e', ...log, '-c', command], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, SHELL: '/bin/sh' },
    });
    const ended = once(script, 'exit');
    let seen = 0;
    script.stdout.on('data', (bytes: Buffer) => {
      seen += bytes.length;
    });
    await waitFor(() => seen > 0 && readFileSync(output, 'utf8').includes('\nBEFORE'), { describe: 'it records' });
    expect(() => writeFileSync(ballast, Buffer.alloc(1_000_000))).toThrow('ENOSPC');
    writeFileSync(join(world.dir, 'full'), '');
    await waitFor(() => seen > LOST_BYTES, { describe: 'the command ran on, on the full disk' });
    expect(statSync(output).size).toBeLessThan(LOST_BYTES / 2);
    rmSync(ballast);
    writeFileSync(join(world.dir, 'freed'), '');
    expect((await ended)[0]).toBe(3);
    expect(readFileSync(output, 'utf8')).toContain('AFTER\r\n');
    expect(statSync(output).size).toBeLessThan(LOST_BYTES / 2);
  },
);
