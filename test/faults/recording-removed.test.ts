import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { startForeign } from '../harness/foreign-screen.ts';
import { waitFor } from '../harness/wait-for.ts';
import { logOf } from './harness/files.ts';
import { cutOff, deleteRecording, movedTo, moveRecording, recordingOf } from './harness/recordings.ts';
import { putFileInPlaceOfDirectory } from './harness/sockets.ts';

/** A session that CBOS launched, which `script` records, and an adopted one, which Screen records. */
const SLUGS = ['AUTH', 'mine'];

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
  await startForeign(world, 'mine');
  expect((await cbos.cli(['new', 'AUTH', '--cols', '100', '--rows', '30'])).code).toBe(0);
  await waitFor(async () => (await cbos.call('GET', '/sessions/mine')).status === 200, { describe: 'mine is listed' });
  await cbos.until('mine', (one) => one.status.primary === 'idle', 'is idle');
  expect((await cbos.cli(['adopt', 'mine'])).code).toBe(0);
  await each((slug) => cbos.until(slug, (one) => one.status.primary === 'idle', 'is idle'));
});
afterAll(() => world.dispose());

const each = (work: (slug: string) => unknown): Promise<unknown> => Promise.all(SLUGS.map(work));

const ask = () =>
  each(async (slug) => {
    const sent = await cbos.call('POST', `/sessions/${slug}/send`, { text: 'scene:permission' });
    expect(sent.error).toBeNull();
  });

/** Waits until the options are shown. Only the screen contains them. */
const untilSeen = () =>
  each((slug) =>
    cbos.until(
      slug,
      ({ status: { question, primary } }) => primary === 'waiting' && question?.options.length === 3,
      'asks',
    ),
  );

/**
 * Answers yes. A restarted server may draw the screen of the adopted session once more while the answer is on its way.
 * No hook tells whether the dialog is still the same one, so the answer is refused, and a person gives it again.
 */
const answer = () =>
  each(async (slug) => {
    await waitFor(
      async () => {
        const { error } = await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 'yes' });
        if (slug === 'mine' && error?.code === 'stale_question') return false;
        expect(error).toBeNull();
        return true;
      },
      { describe: `${slug} is answered` },
    );
    await cbos.until(slug, (one) => one.status.primary === 'idle', 'is done');
  });

async function restart(meanwhile: () => void = () => undefined): Promise<void> {
  await cbos.stop('SIGKILL');
  meanwhile();
  cbos = await startCbos(world);
}

/** Expects that the file of this name contains the last output of the session, and continues to grow. */
async function expectRecorded(slug: string): Promise<void> {
  const file = recordingOf(world, slug);
  await waitFor(() => existsSync(file) && readFileSync(file, 'utf8').includes('proceed'), {
    describe: `${slug} is recorded in ${file}`,
  });
  await waitFor(() => (statSync(file).mode & 0o777) === 0o600, { describe: `nobody else may read ${file}` });
  expect(await cbos.session(slug)).toMatchObject({ recording_stopped_at: null, recording_stopped_because: null });
}

/** Damages the recordings while the server runs, then while a dialog is open and no server runs. */
async function expectToHold(damage: (slug: string) => void): Promise<void> {
  const damageAll = (): void => SLUGS.forEach(damage);
  damageAll();
  await ask();
  await untilSeen();
  await restart();
  await untilSeen();
  await answer();
  await each(expectRecorded);

  await ask();
  await untilSeen();
  await restart(damageAll);
  await untilSeen();
  await answer();
  await each(expectRecorded);
}

const older = (slug: string): string[] =>
  readdirSync(world.streamDir).filter((name) => new RegExp(`^${slug}\\.\\d+\\.typescript$`).test(name));

describe('a recording is written, dialogs are seen and answered, also after a restart of the server,', () => {
  test('when its file is moved away: that of a launched session has both names', async () => {
    const before = statSync(recordingOf(world, 'AUTH')).ino;
    await expectToHold((slug) => moveRecording(world, slug));
    expect(statSync(recordingOf(world, 'AUTH')).ino).toBe(before);
    expect(statSync(movedTo(world, 'AUTH')).ino).toBe(before);
    expect(readFileSync(movedTo(world, 'mine'), 'utf8')).not.toBe('');
  });

  test('when its file is cut off: the loss is reported', async () => {
    await expectToHold((slug) => cutOff(world, slug));
    expect(logOf(world)).toContain("another program truncated the session's recording");
    expect((await cbos.cli(['status'])).stdout).toMatch(
      /dropped: the oldest .* of (AUTH|mine) \(truncated by another program/,
    );
    expect((await cbos.cli(['doctor'])).stdout).toMatch(/of (AUTH|mine) \(truncated by another program\)/);
  });

  test('when its files are deleted: their content is saved as an older recording', async () => {
    await expectToHold((slug) => deleteRecording(world, slug));
    await each((slug) => expect(older(slug).length, slug).toBeGreaterThan(0));
    const { body } = await cbos.call<{ size_bytes: number }[]>('GET', '/sessions/AUTH/recordings');
    expect(body[0]?.size_bytes).toBeGreaterThan(0);
    expect(logOf(world)).toContain("another program deleted the session's recording");
  });

  test('while Screen cannot be reached, the session shows that nothing is recorded, and recording continues afterwards', async () => {
    putFileInPlaceOfDirectory(world);
    await cbos.until('AUTH', (one) => one.status.because.rule === 'process.unreachable', 'is unreachable');
    const untilSaid = (command: string, words: RegExp) =>
      waitFor(
        async () => {
          // Screen creates the file again on its own when Claude Code happens to draw something.
          if (existsSync(recordingOf(world, 'AUTH'))) deleteRecording(world, 'AUTH');
          if ((await cbos.session('AUTH')).recording_stopped_because !== 'removed') return false;
          return words.test((await cbos.cli([command])).stdout);
        },
        { describe: `${command} says ${words}` },
      );
    await untilSaid('ls', /not recorded since .*: its files were removed/);
    await untilSaid('doctor', /the files of AUTH were removed/);
    rmSync(world.screenDir);
    mkdirSync(world.screenDir, { mode: 0o700 });
    await cbos.until('AUTH', (one) => one.recording_stopped_because === null, 'is recorded again');
    expect(existsSync(recordingOf(world, 'AUTH'))).toBe(true);
  });
});
