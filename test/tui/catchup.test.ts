import { expect, test } from 'vitest';
import { startFaces } from '../harness/faces.ts';
import { setHistory } from '../harness/past-changes.ts';
import { DONE } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';

test('/catchup shows what happened while the person was away', async () => {
  await using server = await startFaces({ awaySince: Date.parse('2026-11-20T15:00:00Z') });
  server.sessions.add('AUTH', DONE);
  setHistory(server.sessions, 'AUTH', [
    ['15:06:05', 'permission'],
    ['15:08:05', 'thinking'],
    ['15:09:05', 'waiting_input'],
  ]);
  const terminal = await openTerminal(server.world, { cols: 110, rows: 30 });
  await terminal.until(/q quit/, 'the list');
  await terminal.keys('/');
  await terminal.type('catchup');
  await terminal.keys('Enter');
  await terminal.until(
    /when you were last here: one session[\s\S]*one turn finished[\s\S]*asked for permission, for 2m 00s {3}cbos replay AUTH --from 0:01:58[\s\S]*finished a turn/,
    'what happened',
  );
  expect(server.sessions.answers).toEqual([]);
});
