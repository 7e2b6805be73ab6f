import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { askingForm, SOME_FORM } from '../harness/some-forms.ts';
import { openTerminal } from '../harness/tmux.ts';

let server: FacesUnderTest;
beforeAll(async () => {
  server = await startFaces();
});
afterAll(() => server[Symbol.asyncDispose]());

test('the terminal UI shows the fields of a form, s opens them, and Enter sends what was filled in', async () => {
  server.sessions.add('FORM', askingForm(SOME_FORM));
  const terminal = await openTerminal(server.world, { cols: 120, rows: 34 });
  await terminal.until(/MCP server deploy asks you to fill in a form/, 'the form');
  await terminal.until(/count: a whole number from 1 to 5; default: 2/, 'its fields');
  await terminal.keys('s');
  await terminal.until(/required; one of staging \(Staging\), production \(Production\)/, 'the page');
  await terminal.keys('staging', 'Down', 'BSpace', '4', 'Enter');
  await terminal.until(/was answered/, 'the answer');
  expect(server.sessions.answers[0]).toMatchObject({ values: { environment: 'staging', count: '4' } });
});
