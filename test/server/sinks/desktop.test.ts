import { expect, test } from 'vitest';
import { startDesktop } from '../../harness/desktop.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { SinkRig } from './sink-rig.ts';

/** Returns a rig with one notification about a question of AUTH. */
async function asked(desktop: Awaited<ReturnType<typeof startDesktop>>, some: object = {}) {
  const rig = new SinkRig({ bus: desktop.bus });
  rig.add({ name: 'DESK', kind: 'desktop', answers: true });
  rig.ask('AUTH', 'q-AUTH', some);
  await rig.untilDone();
  const [notification] = desktop.shown.values();
  if (notification === undefined) throw new Error('nothing was shown');
  return { rig, notification };
}

test('a button on the desktop answers its question, once, and the notification goes', async () => {
  await using desktop = await startDesktop();
  const { rig, notification } = await asked(desktop);
  expect(notification).toMatchObject({ title: 'AUTH asks permission', urgency: 1 });
  expect(notification.body).toContain('command: npm test');
  expect(notification.actions.map(({ label }) => label)).toEqual(['Yes', 'No']);
  const [yes, no] = notification.actions;
  desktop.press(notification, yes);
  await waitFor(() => rig.answered.length === 1, { describe: 'the answer arrives' });
  expect(rig.answered).toEqual([{ slug: 'AUTH', request: { choice: 'yes', question_id: 'q-AUTH' } }]);
  await rig.untilDone();
  expect(desktop.shown.size).toBe(0);
  desktop.press(notification, no);
  await waitFor(() => desktop.shown.size === 1, { describe: 'the second press is explained' });
  expect([...desktop.shown.values()]).toMatchObject([
    { body: 'This question is no longer open. Nothing was changed.', actions: [] },
  ]);
  expect(rig.answered).toHaveLength(1);
});

test('a press in the name of another program, or of a button that CBOS never made, changes nothing', async () => {
  await using desktop = await startDesktop();
  const { rig, notification } = await asked(desktop);
  await desktop.forge(notification, notification.actions[0]);
  desktop.press(notification, { key: 'default' });
  desktop.press(notification, { key: `${'A'.repeat(22)}.y` });
  const no = notification.actions.find(({ label }) => label === 'No');
  desktop.press(notification, no);
  await waitFor(() => rig.answered.length > 0, { describe: 'the last press arrives' });
  expect(rig.answered).toEqual([{ slug: 'AUTH', request: { choice: 'no', question_id: 'q-AUTH' } }]);
});

test.each([
  ['of many lines', Array.from({ length: 8 }, (_, line) => `echo ${line}`).join('\n')],
  ['of many characters', `echo ${'x'.repeat(300)}`],
])('a call %s has no yes on the desktop, because the desktop may cut it', async (_, command) => {
  await using desktop = await startDesktop();
  const { notification } = await asked(desktop, { tool: { name: 'Bash', input: { command } } });
  expect(notification.actions.map(({ label }) => label)).toEqual(['No']);
  expect(notification.body).toContain('To allow it, open CBOS');
});

test('a text on the desktop cannot hide a link or add a picture', async () => {
  await using desktop = await startDesktop();
  const { notification } = await asked(desktop, { tool: { name: 'Bash', input: { command: 'cat <img src=x> & ls' } } });
  expect(notification.body).toContain('cat &lt;img src=x&gt; &amp; ls');
  await using plain = await startDesktop({ capabilities: ['body'] });
  const other = await asked(plain, { tool: { name: 'Bash', input: { command: 'cat <img>' } } });
  expect(other.notification).toMatchObject({ actions: [] });
  expect(other.notification.body).toContain('cat <img>');
});

test('a desktop that starts anew gets later questions, and presses on them count', async () => {
  await using desktop = await startDesktop();
  const { rig } = await asked(desktop);
  await desktop.restart();
  rig.work('AUTH');
  rig.ask('AUTH', 'second');
  await rig.untilDone();
  const next = await waitFor(() => [...desktop.shown.values()].at(-1), { describe: 'the next question is shown' });
  desktop.press(next, next.actions[0]);
  await waitFor(() => rig.answered.length === 1, { describe: 'the answer arrives' });
});

test('a server without a desktop reports it', async () => {
  const rig = new SinkRig();
  rig.add({ name: 'DESK', kind: 'desktop' });
  await expect(rig.sinks.test('DESK')).rejects.toThrow('DBUS_SESSION_BUS_ADDRESS is not set');
  const gone = new SinkRig({ bus: 'unix:path=/none/bus' });
  gone.add({ name: 'DESK', kind: 'desktop' });
  await expect(gone.sinks.test('DESK')).rejects.toThrow('ENOENT');
});
