import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchPresence } from '../../src/server/presence.ts';
import { attendInMemory } from '../harness/attended.ts';
import { ManualClock } from '../harness/manual-clock.ts';
import { MemorySessions } from '../harness/memory-sessions.ts';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';

function newFile(): string {
  const folder = makeTemporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'presence.json');
}

test('a person who looks or acts in a face is at the desk; reading alone does not count, nor does a session that sends', async () => {
  const clock = new ManualClock();
  const memory = new MemorySessions('/tmp');
  const { acted, lookedMsAgo } = watchPresence({ file: newFile(), clock, log: { warn: () => undefined } });
  const { sessions, dispose } = attendInMemory(memory, { clock, acted });
  onTestFinished(dispose);
  memory.addWithoutRecording('AUTH');
  sessions.list();
  sessions.get('AUTH');
  await sessions.send('AUTH', Object.assign({ text: 'hello' }, { from: 'DOCS' }));
  expect(lookedMsAgo()).toBeNull();
  sessions.seen('AUTH', {});
  clock.advance(5_000);
  expect(lookedMsAgo()).toBe(5_000);
  await sessions.send('AUTH', { text: 'hello' });
  expect(lookedMsAgo()).toBe(0);
});

test('the next server knows since when a person was away, and no action fails if that cannot be saved', () => {
  const clock = new ManualClock();
  const file = newFile();
  const warned: string[] = [];
  const watch = (at = file) => watchPresence({ file: at, clock, log: { warn: (_, text) => void warned.push(text) } });
  const first = watch();
  expect(first.awaySince()).toBeNull();
  first.acted();
  const left = clock.now();
  clock.advance(3_600_000);
  const second = watch();
  expect(second.awaySince()).toBe(left);
  // Back again: the absence is still the one that is caught up on.
  second.acted();
  clock.advance(5_000);
  expect([second.awaySince(), watch().awaySince()]).toEqual([left, left]);
  writeFileSync(file, '{"torn');
  expect(watch().awaySince()).toBeNull();
  expect(warned).toEqual([]);
  // A file is where the folder would be. The server starts, and the look counts.
  watch(join(file, 'presence.json')).acted();
  expect(warned).toEqual([expect.stringContaining('read'), expect.stringContaining('saved')]);
});
