import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAnswerStore } from '../../../src/platform/sqlite/answer-store.ts';
import { openDatabase } from '../../../src/platform/sqlite/database.ts';
import { createRuleStore, type RuleStore } from '../../../src/platform/sqlite/rule-store.ts';
import { createApprovals } from '../../../src/server/approval/approvals.ts';
import { type CallGuard, createCallGuard } from '../../../src/server/approval/call-guard.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let store: RuleStore;
let guard: CallGuard;
let stop: () => void;
let spoolDir: string;
const faults: unknown[] = [];
let changes = 0;

beforeEach(async () => {
  world = createWorld();
  const home = world.cbosHome;
  spoolDir = join(home, 'hooks');
  mkdirSync(spoolDir, { recursive: true });
  const database = openDatabase(':memory:');
  store = createRuleStore(database);
  const answers = createAnswerStore(database);
  faults.length = 0;
  const log = { warn: () => undefined, error: (fields: object) => void faults.push(fields) };
  const clock = { now: () => Date.now() };
  const approvals = createApprovals({
    home,
    userHome: world.home,
    store,
    answers,
    clock,
    log,
    onDecided: () => undefined,
  });
  changes = 0;
  guard = createCallGuard({ spoolDir, home, approvals, log, onChange: () => void changes++ });
  stop = await guard.start();
});
afterEach(() => {
  stop();
  return world.dispose();
});

const file = (): string => join(spoolDir, '.guard');
const shown = (): string[] => (existsSync(file()) ? readFileSync(file(), 'utf8').trim().split('\n').slice(1) : []);
const rules = (text: string): void => writeFileSync(join(world.cbosHome, 'rules.toml'), text);
const untilShown = (...tools: string[]) =>
  waitFor(() => shown().join() === tools.join(), {
    describe: `calls of ${tools.join()} are shown`,
    actual: () => shown().join(),
  });

test('calls are shown from the moment when a file of rules denies something, until it no longer does', async () => {
  expect([shown(), guard.isOn()]).toEqual([[], false]);
  rules('[[allow]]\ncommand = "ls"\n[[deny]]\ncommand = "git push"\n');
  await untilShown('Bash');
  expect(readFileSync(file(), 'utf8')).toMatch(new RegExp(`^${process.pid}\n`));
  expect(guard.isOn()).toBe(true);
  rules('[[deny]\n');
  await untilShown('*');
  rules('[[allow]]\ncommand = "ls"\n');
  await untilShown();
  rules('[[ask]]\ntool = "mcp__billing__*"\n');
  await untilShown('mcp__billing__*');
  rmSync(join(world.cbosHome, 'rules.toml'));
  await untilShown();
  expect(guard.isOn()).toBe(false);
});

test('rules that are in no file count too, even if somebody removed the guard, or the spool', async () => {
  store.add({ id: 'r1', sessionId: null, effect: 'deny', fields: { tool: 'WebFetch' }, createdAt: 1 });
  await guard.refresh();
  expect(shown()).toEqual(['WebFetch']);
  rmSync(spoolDir, { recursive: true });
  await guard.refresh();
  expect(shown()).toEqual(['WebFetch']);
  store.remove('r1');
  await guard.refresh();
  expect(shown()).toEqual([]);
});

test('a guard that cannot be written is reported', async () => {
  rmSync(spoolDir, { recursive: true });
  writeFileSync(spoolDir, '');
  rules('[[deny]]\ntool = "X"\n');
  await waitFor(() => faults.length > 0, { describe: 'it is told' });
});

test('changed rules are reported once, even if a trusted project changes its file; the same rules are not', async () => {
  const told = (count: number) =>
    waitFor(() => changes === count, { describe: `${count} changes`, actual: () => changes });
  rules('[[deny]]\ncommand = "git push"\n');
  await untilShown('Bash');
  await told(1);
  await guard.refresh();
  expect(changes).toBe(1);
  const folder = world.project('ruled');
  mkdirSync(join(folder, '.cbos'));
  const file = join(folder, '.cbos', 'rules.toml');
  const content = '[[deny]]\ntool = "X"\n';
  writeFileSync(file, content);
  const { createHash } = await import('node:crypto');
  store.trust({ folder, sha256: createHash('sha256').update(content).digest('hex'), content }, 1);
  await guard.refresh();
  expect(changes).toBe(2);
  writeFileSync(file, '[[ask]]\ntool = "X"\n');
  await told(3);
  store.untrust(folder);
  await guard.refresh();
  expect(changes).toBe(4);
});
