import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';

// Without settings, Claude Code 2.1.330 starts in auto mode. Its safety check does not get through to the tests' API.
let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

const send = (slug: string, text: string) => cbos.cli(['send', slug, `scene:permission ${text}`, '--wait']);
const answer = async (slug: string, word: string): Promise<void> => {
  expect(await cbos.cli(['answer', slug, word])).toMatchObject({ code: 0, stderr: '' });
};

test('the dialog about the safety check of auto mode is a question with an option for each of its keys', async () => {
  await cbos.cli(['new', 'AUTO', world.projectDir, '--', '--setting-sources=']);
  const asked = await send('AUTO', 'one');
  expect(asked).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('3. cancel') });
  expect((await cbos.session('AUTO')).status).toMatchObject({
    primary: 'waiting',
    detail: 'setup',
    question: {
      text: expect.stringMatching(/^Auto mode can.t check actions in this session\n/),
      options: [
        { key: '1', label: 'stay in auto mode' },
        { key: '2', label: 'leave for accept edits mode and stop' },
        { key: '3', label: 'cancel', means: 'no' },
      ],
    },
  });
  await answer('AUTO', 'no');
  await cbos.untilStatus('AUTO', 'idle/waiting_input');

  await send('AUTO', 'two');
  await answer('AUTO', '1');
  const { status } = await cbos.untilStatus('AUTO', 'waiting/permission');
  expect(status.question?.text).toContain('so this one needs your approval');
  await answer('AUTO', 'no');
  // Claude Code has drawn its notice about the check in the colour of an error.
  await cbos.untilStatus('AUTO', 'idle/waiting_input');
});

test('an option of this dialog may change the permission mode, once the window shows the whole dialog', async () => {
  const small = { cols: 80, rows: 20, args: ['--setting-sources='] };
  await cbos.call('POST', '/sessions', { slug: 'LEAVE', type: 'screen', path: world.projectDir, ...small });
  await cbos.untilStatus('LEAVE', 'idle/ready');
  await send('LEAVE', 'three');
  // Claude Code offers this option only if its window shows all that the option does.
  const refused = await cbos.cli(['answer', 'LEAVE', '2']);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('only in a taller window') });
  await cbos.call('POST', '/sessions/LEAVE/resize', { cols: 80, rows: 40 });
  const isWhole = ({ status: { question } }: Session): boolean =>
    /^Auto mode/.test(question?.text ?? '') && question?.options[1]?.label === 'leave for accept edits mode and stop';
  await cbos.until('LEAVE', isWhole, 'shows the whole dialog');
  await answer('LEAVE', '2');
  await cbos.untilStatus('LEAVE', 'idle/waiting_input');
  const { body } = await cbos.call<{ buffer: string }>('GET', '/sessions/LEAVE/buffer?lines=45');
  expect(body.buffer).toContain('accept edits on');
});
