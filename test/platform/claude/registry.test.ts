import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  configDirectory,
  hasRegistry,
  parseRegistryRecord,
  type RegistryRecord,
  type RegistryWatch,
  readRegistry,
  readRegistryOf,
  registryDirectory,
  registryEvidence,
  watchRegistry,
} from '../../../src/platform/claude/index.ts';
import { runProgram } from '../../../src/platform/process/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let dir: string;
let watch: RegistryWatch | null = null;
const records: RegistryRecord[] = [];
const gone: number[] = [];
const faults: unknown[] = [];

beforeEach(() => {
  world = createWorld();
  dir = registryDirectory({ HOME: world.home });
  for (const list of [records, gone, faults]) list.length = 0;
});

afterEach(async () => {
  watch?.stop();
  watch = null;
  await world.dispose();
});

function startTimeOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Writes a record of this test's own process, which replaces a living Claude Code. */
function write(fields: Record<string, unknown>, pid = process.pid): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `${pid}.json`), JSON.stringify({ pid, procStart: startTimeOf(process.pid), ...fields }));
}

function watchAll(): RegistryWatch {
  watch = watchRegistry({
    dir,
    onRecord: (record) => records.push(record),
    onGone: (pid) => gone.push(pid),
    onError: (error) => faults.push(error),
  });
  return watch;
}

test('is kept by every version that is new enough or unknown', () => {
  expect(['2.0.77', '2.1.50', '2.1.150', '2.1.330', 'nightly', null].map(hasRegistry)).toEqual([
    ...[false, false, true],
    ...[true, true, true],
  ]);
});

test('waits for no pipe and reads no device among the records', async () => {
  write({ status: 'idle' });
  await runProgram('mkfifo', [join(dir, '1.json')], { env: world.env, timeoutMs: 5_000 });
  symlinkSync('/dev/zero', join(dir, '2.json'));
  expect(await readRegistry(dir)).toHaveLength(1);
});

test('is empty if its directory is a file', async () => {
  mkdirSync(dirname(dir), { recursive: true });
  writeFileSync(dir, '');
  expect(await readRegistry(dir)).toEqual([]);
  expect(await readRegistryOf(dir, process.pid)).toBeNull();
  await watchAll().ready;
  expect(faults).toEqual([]);
});

test('is ready once all records at the start have been reported', async () => {
  await watchAll().ready;
  watch?.stop();
  write({ status: 'idle' });
  write({ status: 'busy', procStart: startTimeOf(process.ppid) }, process.ppid);
  writeFileSync(join(dir, '3.json'), '{"pid":');
  await watchAll().ready;
  expect(records.map(({ status }) => status).sort()).toEqual(['busy', 'idle']);
});

test('reports records that exist, appear, change and disappear', async () => {
  write({ status: 'idle' });
  watchAll();
  await waitFor(() => records.length === 1, { describe: 'the record at the start' });
  write({ status: 'waiting', waitingFor: 'permission prompt' });
  await waitFor(() => records.at(-1)?.status === 'waiting', { describe: 'the change' });
  rmSync(join(dir, `${process.pid}.json`));
  await waitFor(() => gone.length === 1, { describe: 'the removal' });
  expect(gone).toEqual([process.pid]);
  expect(faults).toEqual([]);
});

test('watches a directory that Claude Code has not created yet', async () => {
  watchAll();
  expect(await readRegistry(dir)).toEqual([]);
  write({ status: 'busy' });
  await waitFor(() => records.length === 1, { describe: 'the first record' });
});

test('does not believe a record that a dead process left, even when its pid is in use again', async () => {
  write({ status: 'busy', procStart: '1' });
  write({ status: 'busy' }, 4_000_000);
  write({ status: 'busy', procStart: undefined }, 1);
  watchAll();
  expect(await readRegistry(dir)).toEqual([]);
  write({ status: 'idle' });
  await waitFor(() => records.length === 1, { describe: 'the living record' });
  expect(records[0]?.status).toBe('idle');
});

test('keeps the last state while a file is half written', async () => {
  write({ status: 'idle' });
  watchAll();
  await waitFor(() => records.length === 1, { describe: 'the record at the start' });
  writeFileSync(join(dir, `${process.pid}.json`), '{"pid": 1');
  write({ status: 'busy' });
  await waitFor(() => records.at(-1)?.status === 'busy', { describe: 'the whole record' });
  expect(gone).toEqual([]);
});

test('understands what it can of a record and treats everything else as unknown', () => {
  expect(parseRegistryRecord('nonsense')).toBeNull();
  expect(parseRegistryRecord('{"status":"idle"}')).toBeNull();
  const record = parseRegistryRecord('{"pid":7,"procStart":12,"status":"dreaming","waitingFor":3,"new":true}');
  expect(record).toMatchObject({ pid: 7, procStart: '12', status: null, waitingFor: null, sessionId: null, new: true });
  if (record !== null)
    expect(registryEvidence(record, 5)).toEqual({
      status: null,
      waitingFor: null,
      statusUpdatedAt: null,
      sessionId: null,
      readAt: 5,
    });
});

test('is looked up where the session has its configuration', () => {
  expect(configDirectory({ HOME: '/home/user' })).toBe('/home/user/.claude');
  expect(configDirectory({ HOME: '/home/user', CLAUDE_CONFIG_DIR: '/etc/c' })).toBe('/etc/c');
  expect(registryDirectory({ HOME: '/home/user', CLAUDE_CONFIG_DIR: '' })).toBe('/home/user/.claude/sessions');
});
