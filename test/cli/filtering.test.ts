import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { type CommandOptions, runCommand } from './command-line.ts';
import { HOSTILE_SESSION, OBEYED } from './hostile-session.ts';
import { WAITS_FOR_PERMISSION } from './some-questions.ts';

let server: FacesUnderTest;
let where: CommandOptions;

beforeAll(async () => {
  server = await startFaces();
  where = { socket: `${server.world.cbosHome}/cbos.sock` };
  server.sessions.add('AUTH', { path: '/src/auth', ...WAITS_FOR_PERMISSION });
  server.sessions.add('DOCS', { path: '/src/docs' });
  server.sessions.add('HOSTILE', HOSTILE_SESSION);
});
afterAll(() => server[Symbol.asyncDispose]());

describe('--jq', () => {
  test.each([
    ['strings unchanged, one on each line', '.[0:2][].slug', 'AUTH\nDOCS\n'],
    ['other values as JSON', '[.[0:2][] | {slug, path}][1]', '{\n  "slug": "DOCS",\n  "path": "/src/docs"\n}\n'],
    ['built-in features: definitions, reduce, formats', 'def n: length; map(.slug | n) | @csv', '4,4,7\n'],
    ['null and false, which are also outputs', 'null, false', 'null\nfalse\n'],
    ['nothing if there is no output', 'empty', ''],
  ])('prints %s', async (_, expression, stdout) => {
    expect(await runCommand(['ls', '--jq', expression], where)).toEqual({ code: 0, stdout, stderr: '' });
  });

  test('replaces --json, and can be combined with it', async () => {
    const alone = await runCommand(['show', 'AUTH', '--jq', '.state'], where);
    expect(alone).toEqual({ code: 0, stdout: 'waiting\n', stderr: '' });
    expect(await runCommand(['show', 'AUTH', '--json', '--jq', '.state'], where)).toEqual(alone);
  });

  test('prints an escape sequence of a session to a pipe, and never to a terminal', async () => {
    const name = ['show', 'HOSTILE', '--jq', '.model, [.model]'];
    expect((await runCommand(name, where)).stdout).toMatch(OBEYED);
    const { code, stdout } = await runCommand(name, { ...where, isTTY: true, columns: 80 });
    expect(code).toBe(0);
    expect(stdout).toContain('evil');
    expect(stdout).not.toMatch(OBEYED);
  });

  test('filters each line of a stream separately', async () => {
    const wait = ['wait', 'AUTH', 'HOSTILE', '--for', 'waiting', '--jq', '{slug}'];
    const { code, stdout } = await runCommand(wait, where);
    expect(code).toBe(0);
    expect(stdout.split('\n').sort()).toEqual(['', '{"slug":"AUTH"}', '{"slug":"HOSTILE"}']);
  });

  test('is refused before anything is done if it does not compile', async () => {
    const { code, stdout, stderr } = await runCommand(['rm', 'DOCS', '--yes', '--jq', '.['], where);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain("The --jq expression isn't valid: syntax error, unexpected end of file");
    expect(server.sessions.list().map(({ slug }) => slug)).toContain('DOCS');
  });

  test('reports a value on which it fails', async () => {
    const { code, stderr } = await runCommand(['ls', '--jq', '.[0].slug + 1'], where);
    expect(code).toBe(1);
    expect(stderr).toContain('The --jq expression failed: string ("AUTH") and number (1) cannot be added');
  });
});
