import { expect, onTestFinished, test } from 'vitest';
import { watchPresence } from '../../../src/server/sinks/presence.ts';
import { attendInMemory } from '../../harness/attended.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { MemorySessions } from '../../harness/memory-sessions.ts';

test('a person who looks or acts in a face is at the desk; reading alone does not count, nor does a session that sends', async () => {
  const clock = new ManualClock();
  const memory = new MemorySessions('/tmp');
  const attended = attendInMemory(memory, { clock });
  onTestFinished(attended.dispose);
  memory.addWithoutRecording('AUTH');
  const { sessions, lookedMsAgo } = watchPresence(attended.sessions, clock);
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
