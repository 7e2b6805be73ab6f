import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { type Cbos, runCbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

/** Expects that nothing was launched, listed, or recorded. */
async function expectNothingChanged(): Promise<void> {
  expect((await cbos.call<Session[]>('GET', '/sessions')).body).toEqual([]);
  expect(readdirSync(world.screenDir)).toEqual([]);
  expect(readdirSync(world.streamDir)).toEqual([]);
  expect(existsSync(join(world.dir, 'pwned'))).toBe(false);
}

const BAD_SLUGS = [
  '../x',
  '-X',
  'a\nb',
  'A\n',
  '$(touch ../pwned)',
  '$(id)',
  'x'.repeat(200),
  '',
  'a b',
  'ä',
  'status',
  'waiting',
  'adopt',
  '.',
  'a/b',
  'a\u0000b',
];

describe('a session that cannot be launched', () => {
  test.each(BAD_SLUGS)('the slug %j is refused', async (slug) => {
    const refused = await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
    expect(refused).toMatchObject({
      status: 422,
      error: { code: 'invalid_slug', hint: expect.stringContaining('letters') },
    });
    await expectNothingChanged();
  });

  test('the same slugs are refused on the command line, in one line and with the exit code of wrong usage', async () => {
    for (const slug of ['../x', '$(id)', 'x'.repeat(200), '', 'status']) {
      const refused = await cbos.cli(['new', slug]);
      expect(refused.code, slug).toBe(2);
      expect(refused.stderr.trim().split('\n'), slug).toHaveLength(1);
      expect(refused.stdout).toBe('');
    }
    await expectNothingChanged();
  });

  test('a path that is missing, a file, or impossible is refused', async () => {
    const file = join(world.dir, 'a-file');
    writeFileSync(file, '');
    for (const path of [join(world.dir, 'missing'), file, 'a\u0000b', `/${'x'.repeat(5_000)}`]) {
      const refused = await cbos.call('POST', '/sessions', { slug: 'PATH', type: 'screen', path });
      expect(refused, path).toMatchObject({ status: 422, error: { code: 'no_such_path' } });
    }
    await expectNothingChanged();
  });

  test('unknown fields, wrong types and JSON sessions are refused', async () => {
    const body = { slug: 'BODY', path: world.projectDir };
    for (const wrong of [
      { ...body, colour: 'red' },
      { ...body, cols: 'wide' },
      { ...body, cols: 1 },
      { ...body, permission_mode: 'yolo' },
      [],
      'x',
    ]) {
      expect((await cbos.call('POST', '/sessions', wrong)).error?.code).toBe('invalid_request');
    }
    expect((await cbos.call('POST', '/sessions', { ...body, type: 'jason' })).error?.code).toBe('invalid_request');
    expect((await cbos.call('POST', '/sessions', { ...body, env: { CBOS_SESSION: 'x' } })).error?.code).toBe(
      'invalid_request',
    );
    expect((await cbos.call('POST', '/sessions', { ...body, prompt: '!rm -rf' })).error?.code).toBe('command_prefix');
    await expectNothingChanged();
  });

  test('broken JSON, a wrong token, a foreign Host and a foreign Origin are refused', async () => {
    const post = (headers: Record<string, string>, body = '{"slug":') =>
      fetch(`${cbos.url}/sessions`, { method: 'POST', headers, body }).then(async (response) => ({
        status: response.status,
        code: ((await response.json()) as { error: { code: string } }).error.code,
      }));
    const json = { 'content-type': 'application/json' };
    const authorization = `Bearer ${cbos.token}`;
    expect(await post({ ...json, authorization })).toEqual({ status: 422, code: 'invalid_request' });
    expect(await post(json)).toEqual({ status: 401, code: 'unauthorized' });
    expect(await post({ ...json, authorization: 'Bearer wrong' })).toEqual({ status: 401, code: 'unauthorized' });
    expect(await post({ ...json, authorization, origin: 'http://evil.example' })).toEqual({
      status: 403,
      code: 'forbidden_origin',
    });
    await expectNothingChanged();
  });

  test("a socket path beyond the system's limit is refused, although Screen itself would report nothing", async () => {
    const deep = join(world.dir, 'd'.repeat(60), 's'.repeat(10));
    mkdirSync(deep, { recursive: true, mode: 0o700 });
    await using other = await claudeWorld({ agent: 'stand-in' });
    const server = await startCbos(other, { SCREENDIR: deep });
    const refused = await server.call('POST', '/sessions', {
      slug: 'LONG-NAME-THAT-DOES-NOT-FIT',
      type: 'screen',
      path: other.projectDir,
    });
    expect(refused).toMatchObject({ status: 422, error: { code: 'path_too_long' } });
    expect(readdirSync(deep)).toEqual([]);
    expect((await server.call<Session[]>('GET', '/sessions')).body).toEqual([]);
  });

  test('a Claude Code that is missing or ends at once is reported, and nothing is left behind', async () => {
    await using other = await claudeWorld({ agent: 'stand-in' });
    const server = await startCbos(other, { CBOS_CLAUDE_COMMAND: 'no-such-claude' });
    const refused = await server.call('POST', '/sessions', { slug: 'NONE', type: 'screen', path: other.projectDir });
    expect(refused).toMatchObject({
      status: 422,
      error: { code: 'claude_not_found', hint: expect.stringContaining('npm install') },
    });
    expect(readdirSync(other.screenDir)).toEqual([]);
    expect(readdirSync(other.streamDir)).toEqual([]);
  });
});

describe('the command line', () => {
  test('reports what is missing, each with its own exit code', async () => {
    const cases: [string[], number][] = [
      [['show', 'NOBODY'], 3],
      [['kill', 'NOBODY'], 3],
      [['nonsense'], 2],
      [['ls', '--nonsense'], 2],
      [['new'], 2],
      [['ls', '--state', 'sleepy'], 2],
      [['adopt', '1.none'], 3],
      [['send', 'NOBODY', 'hi'], 3],
    ];
    for (const [args, code] of cases) {
      const result = await cbos.cli(args);
      expect(result.code, `${args.join(' ')}: ${result.stderr}`).toBe(code);
      expect(result.stderr).toMatch(/^cbos: /);
    }
  });

  test('explains how to start the server if none is running', async () => {
    await using other = await claudeWorld({ agent: 'stand-in' });
    const result = await runCbos(other, ['ls']);
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain('cbos up');
  });
});
