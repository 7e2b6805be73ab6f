import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredFile } from '../../src/protocol/index.ts';
import { readWords } from '../../src/tui/send-file.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { openTerminal } from '../harness/tmux.ts';

let server: FacesUnderTest;
beforeAll(async () => {
  server = await startFaces();
  server.sessions.add('AUTH');
});
afterAll(() => server[Symbol.asyncDispose]());

test('/file sends a file with a text, and reports a file that is not there', async () => {
  const shot = join(server.world.projectDir, 'my shot.png');
  writeFileSync(shot, 'a picture');
  const terminal = await openTerminal(server.world, { cols: 130, rows: 34 });
  await terminal.until(/▌[^\n]*AUTH/, 'the session');
  const enter = async (command: string): Promise<void> => {
    await terminal.keys(':');
    await terminal.type(command);
    await terminal.keys('Enter');
  };
  await enter('file');
  await terminal.until(/No file given — \/file PATH \[TEXT\]/, 'that a path is missing');
  await enter('file none.png');
  await terminal.until(/none\.png cannot be read/, 'that it is not there');
  await enter(`file "${shot}" what is this?`);
  await terminal.until(/Sent|delivered/i, 'that it is sent');
  const [file] = (await server.call('/sessions/AUTH/files')).json() as StoredFile[];
  expect(readFileSync(file?.path ?? '', 'utf8')).toBe('a picture');
  expect(server.sessions.deliveries('AUTH')[0]?.text).toBe(`what is this?\n\n@${file?.path}`);
});

test.each([
  ['shot.png', { path: 'shot.png', text: '' }],
  ['shot.png why is this red?', { path: 'shot.png', text: 'why is this red?' }],
  ['"my shot.png" why?', { path: 'my shot.png', text: 'why?' }],
  ["'my shot.png'", { path: 'my shot.png', text: '' }],
  ['/tmp/my\\ shot\\ \\(1\\).png why?', { path: '/tmp/my shot (1).png', text: 'why?' }],
  ['~/shot.png', { path: '/home/me/shot.png', text: '' }],
  ['', null],
  ['  ', null],
])('the words %j name %j', (words, expected) => {
  expect(readWords(words, '/home/me')).toEqual(expected);
});
