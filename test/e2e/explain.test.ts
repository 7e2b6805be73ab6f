import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Explanation } from '../../src/protocol/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { claudeWorld, testedVersion } from '../harness/claude.ts';
import { parseMisdetection, sayOf } from '../harness/misdetection.ts';
import { waitFor } from '../harness/wait-for.ts';

const CONFIG = `stuck_threshold_ms = 60000

[status]
silent_end_ms = 900

[[rules]]
id = "deploying"
pattern = "^ *● Deploying to \\\\w+"
status = "active/using_tools"
`;

test("a status is explained, saved for a report without a word of the session, and changed by a user's own rule", async () => {
  await using world = await claudeWorld({
    agent: 'stand-in',
    choosers: [
      (prompt) =>
        prompt.includes('deploy')
          ? {
              name: 'deploy',
              about: 'an answer that reports work in progress',
              replies: [
                { kind: 'answer', firstByteDelayMs: 0, blocks: [{ kind: 'text', text: 'Deploying to staging' }] },
              ],
            }
          : null,
    ],
  });
  mkdirSync(world.cbosHome, { mode: 0o700 });
  writeFileSync(join(world.cbosHome, 'config.toml'), CONFIG);
  let cbos = await startCbos(world);
  const explained = async (): Promise<Explanation> =>
    JSON.parse((await cbos.cli(['explain', 'WHY', '--json'])).stdout) as Explanation;

  await cbos.call('POST', '/sessions', {
    slug: 'WHY',
    type: 'screen',
    path: world.projectDir,
    prompt: 'scene:permission for Hildegard',
  });
  await cbos.until('WHY', ({ status }) => (status.question?.options.length ?? 0) > 0, 'shows its dialog');
  // A hook reports the dialog before the screen shows it, and the registry follows a moment later.
  await waitFor(
    async () => {
      const { verdicts } = (await cbos.call<Explanation>('GET', '/sessions/WHY/explain')).body;
      return verdicts.filter(({ primary }) => primary === 'waiting').length === 3;
    },
    { describe: 'all three sources have the dialog' },
  );
  const { verdicts, why, evidence, ...facts } = await explained();
  expect(verdicts.map(({ source, primary, detail, won }) => [source, primary, detail, won])).toEqual([
    ['hook', 'waiting', 'permission', false],
    ['screen', 'waiting', 'permission', true],
    ['registry', 'waiting', 'permission', false],
  ]);
  expect(why).toBe('both report waiting; the screen shows the options');
  expect(evidence.hooks?.prompt?.text).toContain('Hildegard');
  expect(facts).toMatchObject({
    claude_version: testedVersion(),
    stuck_threshold_ms: 60_000,
    thresholds: { silent_end_ms: 900, draw_lag_ms: 1_000 },
  });
  const shown = await cbos.cli(['show', 'WHY', '--verbose']);
  expect(shown.stdout).toContain('screen.dialog.permission');

  const recorded = await cbos.cli(['record-misdetection', 'WHY', '--should-be', 'waiting/permission']);
  const file = recorded.stdout.trim();
  expect(file.startsWith(world.cbosHome)).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toMatch(/Hildegard|project|curl/);
  expect(sayOf(parseMisdetection(text))).toBe('waiting/permission');

  await cbos.call('POST', '/sessions/WHY/answer', { choice: 'yes' });
  await cbos.untilStatus('WHY', 'idle/waiting_input');
  await cbos.call('POST', '/sessions/WHY/send', { text: 'Now deploy it' });
  const ruled = await cbos.until('WHY', ({ status }) => status.because.source === 'user', 'follows the rule');
  expect(ruled.status).toMatchObject({
    primary: 'active',
    detail: 'using_tools',
    because: { rule: 'user.deploying', evidence: '● Deploying to staging' },
  });
  const after = await explained();
  expect(after.why).toBe('your own rules take precedence over all others');
  expect(after.verdicts.find(({ source }) => source === 'hook')).toMatchObject({ won: false });

  const process = async () => (await cbos.cli(['explain', 'WHY'])).stdout.match(/^ {2}process .*$/m)?.[0];
  expect(await process()).toMatch(/^ {2}process +alive, started .* ago$/);
  await cbos.stop();
  cbos = await startCbos(world);
  expect(await process()).toMatch(/^ {2}process +alive$/);
});

test('a JSON session is explained by its events, and its wrong status is replayed from its file', async () => {
  await using world = await claudeWorld({ agent: 'stand-in' });
  const cbos = await startCbos(world);
  const prompt = 'scene:permission for Hildegard';
  await cbos.call('POST', '/sessions', { slug: 'WHY', type: 'json', path: world.projectDir, prompt });
  await cbos.untilStatus('WHY', 'waiting/permission');
  const { stdout } = await cbos.cli(['explain', 'WHY']);
  expect(stdout).toContain('the events of a JSON session are exact');
  expect(stdout).toMatch(/^ {2}asks +Bash \(.* ago\)$/m);
  expect(stdout).not.toMatch(/^ {2}(?:hooks|screen|process) /m);

  const recorded = await cbos.cli(['record-misdetection', 'WHY', '--should-be', 'waiting/permission']);
  const text = readFileSync(recorded.stdout.trim(), 'utf8');
  expect(text).not.toMatch(/Hildegard|project|curl/);
  expect(sayOf(parseMisdetection(text))).toBe('waiting/permission');
});
