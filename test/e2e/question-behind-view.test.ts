import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { typeAtTerminal } from '../harness/claude-in-screen.ts';

const SLUG = 'BEHIND';
/** The model thinks before it calls a tool, so a person has time to open a view, also on a busy machine. */
const LATE = {
  name: 'late',
  about: 'asks for permission after a while',
  replies: [
    {
      kind: 'answer' as const,
      firstByteDelayMs: 16_000,
      blocks: [{ kind: 'tool' as const, name: 'Bash', input: { command: 'touch late' } }],
    },
    { kind: 'answer' as const, blocks: [{ kind: 'text' as const, text: 'late done' }] },
  ],
};

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [(prompt) => (prompt.includes('late ask') ? LATE : null)] });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

async function start(slug: string): Promise<string> {
  await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir, permission_mode: 'default' });
  return (await cbos.untilStatus(slug, 'idle/ready')).screen_id ?? '';
}
const send = (slug: string, text: string, command = false) =>
  cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text, command });

test.each([[['\x0f'], 'transcript']])(
  'a question behind a view is answered, and an interrupt closes the view: %j',
  async (keys, view) => {
    const slug = `${SLUG}-${view}`;
    const screenId = await start(slug);
    await send(slug, 'late ask');
    await cbos.until(slug, ({ status }) => status.primary === 'active', 'works');
    const [typed = '', enter = ''] = keys;
    await typeAtTerminal(world.env, screenId, typed);
    if (enter !== '') {
      await cbos.until(slug, ({ buffer_tail: tail }) => tail?.includes(`❯ ${typed}`) === true, 'shows what was typed');
      await typeAtTerminal(world.env, screenId, enter);
    }
    await cbos.until(slug, ({ view: open }) => open?.name === view, `shows the view ${view}`);
    await cbos.untilStatus(slug, 'waiting/permission');
    expect((await cbos.session(slug)).view?.name).toBe(view);
    const answered = await cbos.cli(['answer', slug, 'no']);
    expect([answered.code, answered.stderr]).toEqual([0, '']);
    const closed = await cbos.cli(['interrupt', slug]);
    expect([closed.code, closed.stderr]).toEqual([0, '']);
    await cbos.until(slug, ({ view: open, status }) => open === undefined && status.primary === 'idle', 'is ready');
    expect((await send(slug, 'scene:hello again')).body.status).toBe('delivered');
  },
  120_000,
);

test('a view that CBOS cannot name is refused with a cure that works', async () => {
  const unbound = { escape: null };
  const bindings = ['Help', 'Settings', 'Select', 'Confirmation'].map((context) => ({ context, bindings: unbound }));
  writeFileSync(join(world.home, '.claude', 'keybindings.json'), JSON.stringify({ bindings }));
  await start('UNNAMED');
  await send('UNNAMED', 'scene:hello');
  await cbos.untilStatus('UNNAMED', 'idle/waiting_input');
  await send('UNNAMED', '/help', true);
  await cbos.untilStatus('UNNAMED', 'waiting/setup');
  for (const words of [
    ['send', 'UNNAMED', 'scene:hello'],
    ['interrupt', 'UNNAMED'],
  ]) {
    const { code, stderr } = await cbos.cli(words);
    expect([code, stderr]).toEqual([4, expect.stringMatching(/cannot read — `cbos attach UNNAMED` .*keybindings/)]);
  }
});
