import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CatalogueError } from '../../../src/protocol/index.ts';
import { startNtfy } from '../../harness/ntfy-server.ts';
import { BOT_TOKEN, startTelegram, type TelegramServer } from '../../harness/telegram-server.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { startWebhook } from '../../harness/webhook-server.ts';
import { SinkRig } from './sink-rig.ts';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

/** Returns a rig with a bot whose chat is 7. */
function withBot(telegram: TelegramServer, more: object = {}): SinkRig {
  const rig = new SinkRig();
  rig.add({ name: 'BOT', kind: 'telegram', url: telegram.url, token: BOT_TOKEN, chat: '7', answers: true, ...more });
  return rig;
}
const told = (telegram: TelegramServer): string[] => telegram.messages.map(({ text }) => text.split('\n')[0] ?? '');
const untilPressed = (telegram: TelegramServer, id: string) =>
  waitFor(() => telegram.toasts.find((toast) => toast.id === id), { describe: 'the press is answered' });

describe('a button', () => {
  test('answers its question, once, and the message shows the answer', async () => {
    await using telegram = await startTelegram();
    const rig = withBot(telegram);
    rig.ask('AUTH');
    await rig.untilDone();
    const [message] = telegram.messages;
    if (message === undefined) throw new Error('nothing was sent');
    expect(message.text).toContain('command: npm test');
    expect(message.buttons.map(({ text }) => text)).toEqual(['Yes', 'No']);
    const old = { ...message };
    const first = telegram.press(old, old.buttons[0]);
    expect(await untilPressed(telegram, first)).toMatchObject({ text: 'AUTH: Yes', isAlert: false });
    expect(rig.answered).toEqual([{ slug: 'AUTH', request: { choice: 'yes', question_id: 'q-AUTH' } }]);
    await rig.untilDone();
    expect(message.buttons).toEqual([]);
    expect(message.text).toMatch(/Answered here: Yes\.$/);
    const again = telegram.press(old, old.buttons[1]);
    expect(await untilPressed(telegram, again)).toMatchObject({ isAlert: true });
    expect(rig.answered).toHaveLength(1);
  });

  test('of an earlier question of the same session changes nothing about the open one', async () => {
    await using telegram = await startTelegram();
    const rig = withBot(telegram);
    rig.ask('AUTH', 'first');
    await rig.untilDone();
    const [old] = telegram.messages.map((message) => ({ ...message }));
    rig.ask('AUTH', 'second');
    await rig.untilDone();
    expect(telegram.messages).toHaveLength(2);
    if (old === undefined) throw new Error('nothing was sent');
    const press = telegram.press(old, old.buttons[0]);
    expect(await untilPressed(telegram, press)).toMatchObject({
      text: 'This question is no longer open. Nothing was changed.',
    });
    expect(rig.answered).toEqual([]);
  });

  test.each([
    ['of another chat', (code: string) => ({ chat: 8, data: `${code}.y` })],
    ['with a guessed code', () => ({ chat: 7, data: `${'A'.repeat(22)}.y` })],
    ['that was not offered', (code: string) => ({ chat: 7, data: `${code}.a` })],
    ['that is none', () => ({ chat: 7, data: '../../x' })],
  ])('%s changes nothing', async (_, forge) => {
    await using telegram = await startTelegram();
    const rig = withBot(telegram);
    rig.ask('AUTH');
    await rig.untilDone();
    const [message] = telegram.messages;
    if (message === undefined) throw new Error('nothing was sent');
    const { chat, data } = forge(message.buttons[0]?.callback_data.split('.')[0] ?? '');
    telegram.press({ ...message, chat: { id: chat } }, { text: 'Yes', callback_data: data });
    // A later press was received, so this one was received before it.
    const last = telegram.press(message, message.buttons[1]);
    await untilPressed(telegram, last);
    expect(rig.answered.map(({ request }) => request.choice)).toEqual(['no']);
  });

  test('of one sink does not work in another, and a sink without answers has none', async () => {
    await using telegram = await startTelegram();
    await using ntfy = await startNtfy();
    const rig = withBot(telegram);
    rig.add({ name: 'PHONE', kind: 'ntfy', url: ntfy.url, topic: 'mine' });
    rig.ask('AUTH');
    await rig.untilDone();
    expect(ntfy.shown('mine')[0]?.actions).toEqual([]);
    expect(ntfy.subscribers()).toBe(0);
  });

  test('of ntfy is received through the second topic, even if CBOS was not running at that time', async () => {
    const rig = new SinkRig();
    await using ntfy = await startNtfy({ now: rig.clock.now });
    rig.add({ name: 'PHONE', kind: 'ntfy', url: ntfy.url, topic: 'mine', answers: true });
    rig.ask('AUTH');
    rig.ask('DOCS');
    await rig.untilDone();
    const [auth, docs] = ntfy.shown('mine');
    await ntfy.press(auth?.actions?.[1]);
    await waitFor(() => rig.answered.length === 1, { describe: 'the answer arrives' });
    rig.sinks.dispose();
    await ntfy.press(docs?.actions?.[0]);
    await rig.kill();
    await waitFor(() => rig.answered.length === 2, { describe: 'the second answer arrives' });
    expect(rig.answered.map(({ slug, request }) => [slug, request.choice])).toEqual([
      ['AUTH', 'no'],
      ['DOCS', 'yes'],
    ]);
  });

  test('a receiver of webhooks answers in its response', async () => {
    const rig = new SinkRig();
    await using receiver = await startWebhook({ secret: SECRET, now: rig.clock.now });
    receiver.answer = 'n';
    rig.add({ name: 'OPS', kind: 'webhook', url: receiver.url, secret: SECRET, answers: true });
    rig.ask('AUTH');
    await rig.untilDone();
    expect(rig.answered.map(({ request }) => request)).toEqual([{ choice: 'no', question_id: 'q-AUTH' }]);
  });
});

describe('a question', () => {
  test('that is answered before its time is sent to nobody', async () => {
    await using telegram = await startTelegram();
    const rig = withBot(telegram, { after_s: 15 });
    rig.ask('AUTH');
    rig.clock.advance(14_000);
    rig.work('AUTH');
    await rig.untilDone();
    rig.clock.advance(60_000);
    await rig.sinks.settled();
    expect(telegram.messages).toEqual([]);
    expect(rig.phases()).toEqual(['dropped']);
  });

  test('is sent if nobody was at the desk for as long as the rule requires', async () => {
    await using telegram = await startTelegram();
    const rig = withBot(telegram, { away_s: 60 });
    rig.looked = rig.clock.elapsed();
    rig.ask('AUTH');
    rig.clock.advance(59_000);
    await rig.sinks.settled();
    expect(telegram.messages).toEqual([]);
    rig.clock.advance(1_000);
    await rig.sinks.settled();
    expect(told(telegram)).toEqual(['AUTH asks permission']);
  });

  test.each(['while the server runs', 'while no server runs'])(
    'waits no longer if the clock is set back %s, and neither does its next attempt',
    async (when) => {
      await using telegram = await startTelegram();
      const rig = withBot(telegram, { after_s: 60 });
      const setBack = async (): Promise<void> => {
        if (when === 'while no server runs') rig.sinks.dispose();
        rig.clock.step(-3 * 3_600_000);
        if (when === 'while no server runs') await rig.kill();
        await rig.sinks.settled();
      };
      rig.ask('AUTH');
      await setBack();
      rig.clock.advance(60_000);
      await rig.sinks.settled();
      expect(told(telegram)).toEqual(['AUTH asks permission']);
      telegram.faultOf = () => 'broken';
      rig.ask('DOCS');
      rig.clock.advance(60_000);
      await rig.sinks.settled();
      telegram.faultOf = () => null;
      await setBack();
      rig.clock.advance(300_000);
      await rig.sinks.settled();
      expect(told(telegram)).toEqual(['AUTH asks permission', 'DOCS asks permission']);
    },
  );

  test('goes to a second sink if it is open for longer', async () => {
    await using telegram = await startTelegram();
    const rig = withBot(telegram);
    rig.add({ name: 'LATE', kind: 'telegram', url: telegram.url, token: BOT_TOKEN, chat: '8', after_s: 600 });
    rig.ask('AUTH');
    rig.ask('DOCS');
    await rig.sinks.settled();
    rig.work('DOCS');
    rig.clock.advance(600_000);
    await rig.untilDone();
    expect(telegram.messages.map(({ chat, text }) => `${chat.id} ${text.split('\n')[0]}`)).toEqual([
      '7 AUTH asks permission',
      '7 DOCS asks permission',
      '8 AUTH asks permission',
    ]);
  });

  test('that is snoozed is closed, and sent again with new buttons when it wakes', async () => {
    await using telegram = await startTelegram();
    const rig = withBot(telegram);
    rig.ask('AUTH');
    await rig.untilDone();
    const until = new Date(rig.clock.now() + 3_600_000).toISOString();
    rig.attended.sessions.snooze('AUTH', { until });
    await rig.untilDone();
    expect(telegram.messages[0]?.buttons).toEqual([]);
    rig.clock.advance(3_600_000);
    await rig.untilDone();
    expect(told(telegram)).toEqual(['AUTH asks permission', 'AUTH asks permission']);
  });

  test('stays with its session when it is renamed, and is closed when it is deleted', async () => {
    await using telegram = await startTelegram();
    const rig = withBot(telegram);
    rig.ask('AUTH');
    await rig.untilDone();
    await rig.memory.patch('AUTH', { slug: 'LOGIN' });
    await rig.untilDone();
    const [message] = telegram.messages;
    expect(message?.buttons).toHaveLength(2);
    if (message !== undefined) await untilPressed(telegram, telegram.press({ ...message }, message.buttons[1]));
    expect(rig.answered.map(({ slug }) => slug)).toEqual(['LOGIN']);
    rig.ask('LOGIN', 'another');
    await rig.untilDone();
    expect(telegram.messages[1]?.buttons).toHaveLength(2);
    await rig.memory.remove('LOGIN');
    await rig.untilDone();
    expect(telegram.messages[1]?.buttons).toEqual([]);
  });

  test('is sent by the next server, if one was killed before', async () => {
    await using telegram = await startTelegram();
    const rig = withBot(telegram, { after_s: 30 });
    rig.ask('AUTH');
    rig.clock.advance(10_000);
    await rig.kill();
    rig.clock.advance(20_000);
    await rig.untilDone();
    expect(told(telegram)).toEqual(['AUTH asks permission']);
    await rig.kill();
    await rig.untilDone();
    expect(telegram.messages).toHaveLength(1);
  });

  test('stays one notification of ntfy, even if a killed server has sent it and the next one looks before it arrives', async () => {
    const rig = new SinkRig();
    await using ntfy = await startNtfy({ now: rig.clock.now });
    rig.add({ name: 'PHONE', kind: 'ntfy', url: ntfy.url, topic: 'mine', answers: true });
    let arrive: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const sent = () => ntfy.requests.filter(({ method }) => method === 'POST').length;
    ntfy.arrivalOf = ({ method }) => (method === 'POST' && sent() === 1 ? arrival : null);
    rig.ask('AUTH');
    await waitFor(() => sent() === 1, { describe: 'the message is on its way' });
    rig.killOnTheWay();
    await rig.untilDone();
    arrive();
    const published = () => ntfy.events.filter(({ topic }) => topic === 'mine');
    await waitFor(() => published().length === 2, { describe: 'both have arrived' });
    const [first, second] = published();
    expect(second).toEqual({ ...first, id: second?.id });
    expect(ntfy.shown('mine')).toHaveLength(1);
    rig.work('AUTH');
    await rig.untilDone();
    expect(ntfy.shown('mine')).toEqual([]);
  });
});

describe('the sinks of a home', () => {
  test('are in one private file, and no face has their secrets', async () => {
    const rig = new SinkRig();
    rig.add({ name: 'BOT', kind: 'telegram', url: 'http://127.0.0.1:1', token: BOT_TOKEN, chat: '7' });
    const { shown_once: topic } = rig.sinks.add({ name: 'PHONE', kind: 'ntfy', url: 'http://127.0.0.1:1' });
    const { shown_once: secret } = rig.sinks.add({ name: 'OPS', kind: 'webhook', url: 'http://127.0.0.1:1/p?k=v' });
    expect(topic).toMatch(/^cbos-[\w-]{22}$/);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const file = join(rig.home, 'sinks.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const listed = JSON.stringify(rig.sinks.list());
    for (const hidden of [BOT_TOKEN, topic ?? '-', secret ?? '-', 'k=v']) {
      expect(readFileSync(file, 'utf8')).toContain(hidden);
      expect(listed).not.toContain(hidden);
    }
    rig.sinks.remove('BOT');
    expect(readFileSync(file, 'utf8')).not.toContain(BOT_TOKEN);
  });

  test('report what is wrong, and no log has a token', async () => {
    await using telegram = await startTelegram();
    const rig = new SinkRig();
    rig.add({ name: 'BOT', kind: 'telegram', url: telegram.url, token: '1:wrong', chat: '7', answers: true });
    await expect(rig.sinks.test('BOT')).rejects.toMatchObject({ code: 'sink_failed', message: 'BOT: Unauthorized' });
    rig.ask('AUTH');
    await rig.untilDone();
    expect(rig.sinks.list()).toMatchObject([{ fault: 'Unauthorized', waiting: 0, sent: 0 }]);
    expect(rig.log.join('\n')).toContain('Unauthorized');
    expect(rig.log.join('\n')).not.toContain('1:wrong');
  });

  test.each([
    ['sink_taken', { name: 'A', kind: 'webhook', url: 'http://127.0.0.1:1' }],
    ['invalid_sink', { name: 'B', kind: 'webhook', url: 'http://127.0.0.1:1', quiet: '25:00-07:00' }],
    [
      'invalid_sink',
      { name: 'B', kind: 'webhook', url: 'http://127.0.0.1:1', quiet: '22:00-07:00', timezone: 'No/Where' },
    ],
  ] as const)('refuse invalid values: %s', (code, sink) => {
    const rig = new SinkRig();
    rig.add({ name: 'A', kind: 'webhook', url: 'http://127.0.0.1:1' });
    expect(() => rig.sinks.add(sink)).toThrow(expect.objectContaining({ code }));
    expect(rig.sinks.list()).toHaveLength(1);
    expect(() => rig.sinks.remove('NONE')).toThrow(CatalogueError);
  });
});
