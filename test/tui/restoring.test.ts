import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { LOST } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';

let server: FacesUnderTest;
beforeAll(async () => {
  server = await startFaces();
});
afterAll(() => server[Symbol.asyncDispose]());

test('/restore shows which sessions are lost and how, brings them back only on y, and shows each outcome', async () => {
  const { sessions } = server;
  for (const slug of ['AUTH', 'DOCS']) sessions.add(slug, LOST);
  sessions.restores = (slug) => ({ outcome: slug === 'AUTH' ? 'restored' : 'not_tried' });
  const terminal = await openTerminal(server.world, { cols: 110, rows: 30 });
  await terminal.until(/q quit/, 'the list');
  const restore = async (): Promise<void> => {
    await terminal.keys('/');
    await terminal.type('restore');
    await terminal.keys('Enter');
  };
  await restore();
  await terminal.until(
    /AUTH would come back with its conversation \(the machine was restarted\)[\s\S]*DOCS/,
    'the plan',
  );
  await terminal.until(/y bring 2 back/, 'the key');
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list, with nothing done');
  expect(sessions.get('AUTH').lost).toBe('reboot');
  await restore();
  await terminal.until(/y bring 2 back/, 'the key again');
  await terminal.keys('y');
  await terminal.until(
    /AUTH is running again, with its conversation[\s\S]*DOCS not tried[\s\S]*1 not tried/,
    'the outcomes',
  );
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list');
  sessions.restores = () => ({ outcome: 'restored' });
  await restore();
  await terminal.until(/y bring it back/, 'the one that is left');
  await terminal.keys('y');
  await terminal.until(/DOCS is running again/, 'that it runs');
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list once more');
  await restore();
  await terminal.until(/No session is lost/, 'that none is left');
});
