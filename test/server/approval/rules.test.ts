import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditEntry, NewRule, Rule, RuleBook, RuleVerdict } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';

let server: FacesUnderTest;
let folder: string;
beforeEach(async () => {
  server = await startFaces();
  folder = server.world.projectDir;
  server.sessions.addWithoutRecording('AUTH', { path: folder });
});
afterEach(() => server[Symbol.asyncDispose]());

const homeFile = (text: string): void => writeFileSync(join(server.world.cbosHome, 'rules.toml'), text);
function projectFile(text: string): void {
  mkdirSync(join(folder, '.cbos'), { recursive: true });
  writeFileSync(join(folder, '.cbos/rules.toml'), text);
}
const book = async (): Promise<RuleBook> => (await server.call('/rules')).json() as RuleBook;
const add = async (body: NewRule): Promise<Rule> => (await server.call('/rules', { body })).json() as Rule;
const verdict = async (command: string, session = 'AUTH'): Promise<RuleVerdict> =>
  (await server.call('/rules/test', { body: { tool: 'Bash', input: { command }, session } })).json() as RuleVerdict;
const decision = async (command: string, session = 'AUTH'): Promise<string> =>
  (await verdict(command, session)).decision;

async function trust(): Promise<number> {
  const { files } = await book();
  const file = files.find((one) => one.folder !== null);
  return (await server.call('/rules/trust', { body: { path: folder, sha256: file?.sha256 } })).status;
}

/** What can be there instead of a rules file, how to create it, and what is wrong with it. */
const UNREAD: readonly [string, (path: string) => void, string][] = [
  ['a pipe', (path) => execFileSync('mkfifo', [path]), 'it is a pipe; replace it with a file'],
  ['a folder', (path) => mkdirSync(path), 'it is a folder; replace it with a file'],
  [
    'a dangling link',
    (path) => symlinkSync('/nowhere/rules.toml', path),
    'it is a link that leads to no file; replace it with a file',
  ],
  [
    'a link to itself',
    (path) => symlinkSync('rules.toml', path),
    'it is a link that leads to no file; replace it with a file',
  ],
  ['too large', (path) => writeFileSync(path, '#'.repeat(200_001)), 'it is longer than 200,000 bytes; make it shorter'],
];

const ALLOW = '[[allow]]\ncommand = ["git status", "npm **", "cat **"]\n';

describe("the home's rules", () => {
  test('are off until there are some, and count from the moment when they are written', async () => {
    expect(await verdict('git status')).toMatchObject({ decision: 'ask', reason: 'no_rules' });
    homeFile(ALLOW);
    expect(await decision('git status')).toBe('allow');
    homeFile('[[deny]]\ncommand = "git status"\n');
    expect(await decision('git status')).toBe('deny');
    rmSync(join(server.world.cbosHome, 'rules.toml'));
    expect(await decision('git status')).toBe('ask');
  });

  test.each([
    ['no TOML', `${ALLOW}[[deny]]\ncommand = git push\n`, 'line 4'],
    ['an unknown field', `${ALLOW}[[deny]]\ncomand = "git push"\n`, 'comand'],
    ['an unknown table', `${ALLOW}[[denied]]\ncommand = "git push"\n`, 'denied'],
    ['a rule that allows everything', `${ALLOW}[[allow]]\ntool = "Bash"\n`, 'commands'],
    ['too many rules', `${ALLOW}# ${'x'.repeat(300_000)}\n`, 'longer'],
  ])('with %s allow nothing, and report it; other denies still deny', async (_, text, words) => {
    await add({ effect: 'allow', command: 'ls' });
    await add({ effect: 'deny', command: 'npm publish' });
    homeFile(text);
    for (const command of ['git status', 'ls']) {
      expect(await verdict(command)).toMatchObject({ decision: 'ask', reason: 'broken_file' });
    }
    expect(await decision('npm publish')).toBe('deny');
    expect((await book()).files).toMatchObject([{ state: 'broken', error: expect.stringContaining(words) }]);
    expect(server.log.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('that never match are marked and logged once, and the other rules stay in force', async () => {
    homeFile(`${ALLOW}[[deny]]\ncommand = "cd / && npm publish"\n[[deny]]\ncommand = "npm publish"\n`);
    expect([await decision('git status'), await decision('npm publish')]).toEqual(['allow', 'deny']);
    const { rules, files } = await book();
    expect(files).toMatchObject([{ state: 'counts', error: null }]);
    const never = expect.stringMatching(/^cd \/ && npm publish: .*Instead: command = "npm publish"$/);
    expect(rules.map(({ never_matches: why }) => why)).toEqual([null, never, null]);
    expect(server.log.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { reason: never } }]);
  });

  test('that are a directory, or a pipe, are broken, and block nothing', async () => {
    mkdirSync(join(server.world.cbosHome, 'rules.toml'));
    expect(await verdict('git status')).toMatchObject({ reason: 'broken_file' });
  });

  test('follow links on the real disk: a path out of the folder, or to a protected place, asks', async () => {
    homeFile(`${ALLOW}[[allow]]\ntool = ["Read", "Write"]\npath = "**"\n`);
    symlinkSync('/etc', join(folder, 'out'));
    symlinkSync(server.world.cbosHome, join(folder, 'own'));
    symlinkSync(join(folder, 'nothing', 'there'), join(folder, 'dangling'));
    const write = async (path: string): Promise<string> => {
      const body = { tool: 'Write', input: { file_path: path, content: '' }, session: 'AUTH' };
      return ((await server.call('/rules/test', { body })).json() as RuleVerdict).decision;
    };
    expect(await decision('cat a.txt')).toBe('allow');
    expect(await write('a/new/file')).toBe('allow');
    for (const path of ['out/passwd', 'own/token', 'dangling', 'out/../x', '/etc/passwd', '.git/config']) {
      expect([path, await decision(`cat ${path}`), await write(path)]).toEqual([path, 'ask', 'ask']);
    }
  });
});

describe('added rules', () => {
  test('apply to all sessions or to one, and can be removed', async () => {
    server.sessions.addWithoutRecording('B', { path: folder });
    const one = await add({ effect: 'allow', command: 'git status', only: 'AUTH', note: 'n', count: 3 });
    expect(one).toMatchObject({ origin: 'added', only: 'AUTH', count: 3, used: 0 });
    const all = await add({ effect: 'allow', command: 'npm test' });
    expect([await decision('git status'), await decision('git status', 'B'), await decision('npm test', 'B')]).toEqual([
      ...['allow', 'ask', 'allow'],
    ]);
    expect((await book()).rules.map(({ id }) => id)).toEqual([one.id, all.id]);
    expect((await server.call(`/rules/${one.id}`, { method: 'DELETE' })).status).toBe(200);
    expect(await decision('git status')).toBe('ask');
    expect((await server.call(`/rules/${one.id}`, { method: 'DELETE' })).code()).toBe('no_such_rule');
  });

  test.each([
    [{ effect: 'allow', tool: 'Bash' }, 'invalid_rule'],
    [{ effect: 'allow', command: 'bash **' }, 'invalid_rule'],
    [{ effect: 'deny', session: 'A' }, 'invalid_rule'],
    [{ effect: 'deny', command: 'cd / && rm -rf x' }, 'invalid_rule'],
    [{ effect: 'allow', command: ['ls', 'npm test | tail'] }, 'invalid_rule'],
    [{ effect: 'ask', tool: 'Bsh' }, 'invalid_rule'],
    [{ effect: 'allow', command: 'ls', expires: '2020-01-01T00:00:00Z' }, 'invalid_rule'],
    [{ effect: 'allow', command: 'ls', only: 'NONE' }, 'no_such_session'],
    [{ effect: 'maybe', command: 'ls' }, 'invalid_request'],
    [{ effect: 'allow', command: 'ls', more: 1 }, 'invalid_request'],
    [{ effect: 'allow', command: 'ls', expires: 'soon' }, 'invalid_request'],
  ])('%j is refused: %s', async (body, code) => {
    expect((await server.call('/rules', { body })).code()).toBe(code);
    expect((await book()).rules).toEqual([]);
  });

  test('a rule from a file is removed there', async () => {
    homeFile(ALLOW);
    const [rule] = (await book()).rules;
    expect((await server.call(`/rules/${rule?.id}`, { method: 'DELETE' })).code()).toBe('rule_in_file');
  });
});

describe("a project's own rules", () => {
  beforeEach(() => homeFile(ALLOW));

  test('count once they are trusted, exactly as they were read', async () => {
    projectFile('[[deny]]\ncommand = "git status"\n');
    expect((await book()).files).toMatchObject([{ state: 'counts' }, { state: 'untrusted', error: null }]);
    expect(await decision('git status')).toBe('allow');
    expect(await trust()).toBe(200);
    expect(await decision('git status')).toBe('deny');
    expect((await server.call('/rules/untrust', { body: { path: folder } })).status).toBe(200);
    expect(await decision('git status')).toBe('allow');
  });

  test('that are changed or removed afterwards still deny, and nothing is allowed there until then', async () => {
    projectFile('[[deny]]\ncommand = "git status"\n');
    await trust();
    for (const change of [
      () => projectFile('[[ask]]\ntool = "X"\n'),
      () => projectFile('broken'),
      () => rmSync(join(folder, '.cbos'), { recursive: true }),
    ]) {
      change();
      expect(await decision('git status')).toBe('deny');
      expect(await verdict('npm test')).toMatchObject({ decision: 'ask', reason: 'broken_file' });
      expect((await book()).files).toMatchObject([{ state: 'counts' }, { state: 'changed' }]);
    }
    // A session of another project is not affected.
    server.sessions.addWithoutRecording('B', { path: server.world.project('other') });
    expect(await decision('npm test', 'B')).toBe('allow');
  });

  test.each(UNREAD)(
    'that are %s cannot be trusted, and the list says why, also if an earlier file was trusted',
    async (_, create, why) => {
      const path = join(folder, '.cbos/rules.toml');
      mkdirSync(join(folder, '.cbos'));
      const sha256 = '0'.repeat(64);
      for (const state of ['untrusted', 'changed']) {
        create(path);
        expect((await book()).files[1]).toMatchObject({ path, state, content: null, error: why });
        const refused = await server.call('/rules/trust', { body: { path: folder, sha256 } });
        expect(refused.code()).toBe('invalid_rule');
        expect(refused.text).toContain(`${path}: ${why}`);
        // The advice helps.
        rmSync(path, { recursive: true });
        projectFile('[[deny]]\ncommand = "git status"\n');
        expect(await trust()).toBe(200);
        expect(await decision('git status')).toBe('deny');
        rmSync(path);
      }
    },
  );

  test('never allow: a file with an allow cannot be trusted, and neither can one that is broken or has changed since it was read', async () => {
    projectFile('[[allow]]\ncommand = "rm **"\n');
    const content = { path: folder, sha256: (await book()).files.find((one) => one.folder !== null)?.sha256 };
    expect((await server.call('/rules/trust', { body: content })).code()).toBe('invalid_rule');
    projectFile('[[deny]]\ncommand = "rm"\n');
    expect((await server.call('/rules/trust', { body: content })).code()).toBe('rules_changed');
    projectFile('[[deny]\n');
    expect(await trust()).toBe(422);
    expect((await server.call('/rules/trust', { body: { ...content, path: '/nowhere' } })).code()).toBe('no_such_path');
    expect(await decision('rm x')).toBe('ask');
  });
});

describe('the audit', () => {
  const decided = (asked: string, rules: Rule[] = []) =>
    server.rules.decide({
      ...{ at: Date.now(), sessionId: 'AUTH', session: 'AUTH', asked, decision: 'allow', rules, tool: 'Bash' },
      ...{ input: { command: 'git status' }, place: { epoch: 1, offset: 99 }, seq: null },
    });

  test('has each decision once, with the whole input and its outcome', async () => {
    const rule = await add({ effect: 'allow', command: 'git status', count: 2 });
    const id = decided('q1', [rule]) ?? 0;
    expect(decided('q1', [rule])).toBeNull();
    const read = async (path = '/audit'): Promise<AuditEntry[]> => (await server.call(path)).json() as AuditEntry[];
    expect(await read()).toMatchObject([
      {
        session: 'AUTH',
        decision: 'allow',
        input: { command: 'git status' },
        offset: 99,
        epoch: 1,
        outcome: 'started',
      },
    ]);
    server.rules.conclude(id, 'given', Date.now());
    expect(await read()).toMatchObject([{ outcome: 'given', rules: [{ id: rule.id }] }]);
    expect(await read('/audit?session=B')).toEqual([]);
    expect(await read(`/audit?since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    decided('q2', [rule]);
    expect(await read('/audit?limit=1')).toMatchObject([{ outcome: 'started' }]);
  });

  test('counts the uses of a rule, even by two sessions at the same moment', async () => {
    const rule = await add({ effect: 'allow', command: 'git status', count: 2 });
    expect(await decision('git status')).toBe('allow');
    expect(decided('q1', [rule])).not.toBeNull();
    expect(decided('q2', [rule])).not.toBeNull();
    expect(decided('q3', [rule])).toBeNull();
    expect(await decision('git status')).toBe('ask');
    expect((await book()).rules).toMatchObject([{ used: 2 }]);
  });
});
