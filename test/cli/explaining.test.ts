import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeMisdetection } from '../../src/local/misdetection.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { type CommandOptions, runCommand } from './command-line.ts';
import { WAITS_FOR_PERMISSION } from './some-questions.ts';

let server: FacesUnderTest;
let where: CommandOptions;
beforeAll(async () => {
  server = await startFaces();
  server.sessions.add('AUTH', WAITS_FOR_PERMISSION);
  where = {
    socket: `${server.world.cbosHome}/cbos.sock`,
    host: {
      recordMisdetection: (request) => writeMisdetection(request, { home: server.world.cbosHome, version: '1.2.3' }),
    },
  };
});
afterAll(() => server[Symbol.asyncDispose]());

test('explain prints the verdict of each source, marks the one that won, and shows the screen', async () => {
  const { code, stdout } = await runCommand(['explain', 'AUTH'], where);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^AUTH {2}waiting\/permission for 1m 00s: it is the only source$/m);
  expect(stdout).toMatch(/^→ +\S+ +waiting\/permission .* ago/m);
  expect(stdout).toMatch(/^ {2}hooks +none received$/m);
  expect(stdout).toContain('  │ ● Read(src/secret.ts)');
});

test('explain --json prints the REST body', async () => {
  const { stdout } = await runCommand(['explain', 'AUTH', '--json'], where);
  expect(JSON.parse(stdout)).toMatchObject({ status: { primary: 'waiting' }, verdicts: [{ won: true }] });
});

test('record-misdetection writes a file that only its owner can read, without any text of the session, and prints its path', async () => {
  const { code, stdout } = await runCommand(
    ['record-misdetection', 'AUTH', '--should-be', 'active/using_tools'],
    where,
  );
  expect(code).toBe(0);
  const file = stdout.trim();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain('secret');
  expect(JSON.parse(text)).toMatchObject({
    should_be: 'active/using_tools',
    said: 'waiting/permission',
    cbos: '1.2.3',
  });
  expect(JSON.parse(text).evidence.screen.lines[0]).toBe('● Xxxx(xxx/xxxxxx.xx)'.replace('Xxxx', 'Read'));
});

test('record-misdetection of a correct status reports that the wrong one is gone', async () => {
  server.sessions.add('RIGHT', WAITS_FOR_PERMISSION);
  const argv = ['record-misdetection', 'RIGHT', '--should-be', 'waiting/permission'];
  const { code, stderr } = await runCommand(argv, where);
  expect(code).toBe(0);
  expect(stderr).toContain('RIGHT is waiting/permission now, which is correct');
});

test('record-misdetection requires a valid status', async () => {
  for (const word of ['sleeping', 'waiting/ready']) {
    const { code, stderr } = await runCommand(['record-misdetection', 'AUTH', '--should-be', word], where);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('waiting/permission') });
  }
  expect(await runCommand(['record-misdetection', 'AUTH'], where)).toMatchObject({ code: 2 });
});

test('a session that does not exist is refused', async () => {
  expect(await runCommand(['explain', 'NONE'], where)).toMatchObject({ code: 3 });
});
