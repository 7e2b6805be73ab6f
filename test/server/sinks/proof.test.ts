import { expect, test } from 'vitest';
import { startDesktop } from '../../harness/desktop.ts';
import { startMail } from '../../harness/mail-server.ts';
import { type NtfyEvent, startNtfy } from '../../harness/ntfy-server.ts';
import type { SinkFault, SinkServer } from '../../harness/sink-server.ts';
import { SLACK_APP_TOKEN, SLACK_CHANNEL, SLACK_TOKEN, startSlack } from '../../harness/slack-server.ts';
import { BOT_TOKEN, startTelegram } from '../../harness/telegram-server.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { startWebhook } from '../../harness/webhook-server.ts';
import { SinkRig } from './sink-rig.ts';

/** How many questions are asked. `CBOS_QUESTIONS=1000` asks the number that the promise names. */
const QUESTIONS = Number(process.env.CBOS_QUESTIONS ?? 120);
const SEED = Number(process.env.CBOS_QUESTIONS_SEED ?? 7);
const FAULTS: readonly SinkFault[] = ['before', 'after', 'busy', 'broken'];
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Asks all questions while half of the requests fail, and kills the server again and again. */
async function askAll(
  rig: SinkRig,
  server: Pick<SinkServer, 'faultOf'> & { requests: readonly unknown[] },
): Promise<void> {
  const random = randomNumbers(SEED);
  server.faultOf = () => (random(2) === 0 ? null : (FAULTS[random(FAULTS.length)] ?? null));
  for (let asked = 0; asked < QUESTIONS; asked += 1) {
    rig.ask(`S${asked}`);
    if (random(20) !== 0) continue;
    const done = server.requests.length + random(6);
    // The server may die at any time, between two requests or during one.
    await waitFor(() => server.requests.length >= done || isIdle(rig), { describe: 'some requests are made' });
    await rig.kill();
  }
  await rig.untilDone();
  expect(new Set(rig.phases())).toEqual(new Set(['sent']));
  server.faultOf = () => null;
}

/** Lets some time pass for waiting work. @returns whether no work is waiting */
function isIdle(rig: SinkRig): boolean {
  rig.clock.advance(1_000);
  return rig.unfinished() === 0;
}

const tally = <T>(all: readonly T[], of: (one: T) => string): number[] => {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(of(one), (counts.get(of(one)) ?? 0) + 1);
  return [...counts.values()];
};
const onceEach = Array.from({ length: QUESTIONS }, () => 1);

test('Telegram: one message for each question, although half of the requests fail and the server is killed; old buttons change nothing', async () => {
  await using telegram = await startTelegram();
  const rig = new SinkRig();
  rig.add({ name: 'BOT', kind: 'telegram', url: telegram.url, token: BOT_TOKEN, chat: '7', answers: true });
  await rig.sinks.test('BOT');
  const [trial] = telegram.messages.splice(0);
  expect(trial?.text).toContain('a test');
  await askAll(rig, telegram);
  expect(tally(telegram.messages, ({ text }) => text.split('\n')[0] ?? '')).toEqual(onceEach);

  const old = telegram.messages.map((message) => ({ ...message }));
  for (const { slug } of rig.memory.list()) rig.work(slug);
  await rig.untilDone();
  expect(
    telegram.messages.every(({ text, buttons }) => buttons.length === 0 && text.endsWith('no longer needs an answer.')),
  ).toBe(true);
  for (const message of old.slice(0, 20)) telegram.press(message, message.buttons[0]);
  // The last request for presses may have failed. The next one follows after a while.
  const areAnswered = (): boolean => {
    rig.clock.advance(5_000);
    return telegram.toasts.length >= 20;
  };
  await waitFor(areAnswered, { describe: 'each press is answered' });
  expect(telegram.toasts.every(({ text, isAlert }) => isAlert && text.includes('is no longer open'))).toBe(true);
  expect(rig.answered).toEqual([]);
});

test('ntfy: one notification for each question, and old buttons change nothing', async () => {
  const rig = new SinkRig();
  await using ntfy = await startNtfy({ now: rig.clock.now });
  rig.add({ name: 'PHONE', kind: 'ntfy', url: ntfy.url, topic: 'mine', answers: true });
  await askAll(rig, ntfy);
  expect(
    tally(
      ntfy.events.filter(({ topic }) => topic === 'mine'),
      ({ title = '' }) => title,
    ),
  ).toEqual(onceEach);

  const old: NtfyEvent[] = ntfy.shown('mine');
  for (const { slug } of rig.memory.list()) rig.work(slug);
  await rig.untilDone();
  expect(ntfy.shown('mine')).toEqual([]);
  const isHeard = (): boolean => {
    rig.clock.advance(5_000);
    return ntfy.subscribers() === 1;
  };
  await waitFor(isHeard, { describe: 'ntfy is heard' });
  for (const { actions } of old.slice(0, 20)) await ntfy.press(actions?.[0]);
  await waitFor(() => ntfy.shown('mine').length === 20, { describe: 'each press is answered' });
  expect(
    ntfy.shown('mine').every(({ message, priority }) => priority === 1 && message?.includes('is no longer open')),
  ).toBe(true);
  expect(rig.answered).toEqual([]);
});

test('a webhook: one event for each question by its id, and one that reports its end', async () => {
  const rig = new SinkRig();
  await using receiver = await startWebhook({ secret: SECRET, now: rig.clock.now });
  rig.add({ name: 'OPS', kind: 'webhook', url: receiver.url, secret: SECRET });
  await askAll(rig, receiver);
  const of = (type: string) => [...receiver.events.values()].filter((event) => event.type === type);
  expect(tally(of('question.asked'), ({ data }) => data.title)).toEqual(onceEach);
  // Lost answers made CBOS repeat messages. Otherwise this test would prove nothing.
  expect(receiver.repeated()).toBeGreaterThan(0);
  for (const { slug } of rig.memory.list()) rig.work(slug);
  await rig.untilDone();
  expect(tally(of('question.closed'), ({ data }) => data.title)).toEqual(onceEach);
});

test('Slack: one message for each question, and old buttons change nothing', async () => {
  const rig = new SinkRig();
  await using slack = await startSlack({ now: rig.clock.now });
  const tokens = { token: SLACK_TOKEN, app_token: SLACK_APP_TOKEN };
  rig.add({ name: 'TEAM', kind: 'slack', url: slack.url, ...tokens, channel: SLACK_CHANNEL, answers: true });
  await askAll(rig, slack);
  expect(tally(slack.messages, ({ text }) => text)).toEqual(onceEach);

  const old = slack.messages.map((message) => ({ ...message }));
  for (const { slug } of rig.memory.list()) rig.work(slug);
  await rig.untilDone();
  expect(
    slack.messages.every(({ shown, buttons }) => buttons.length === 0 && shown.endsWith('no longer needs an answer.')),
  ).toBe(true);
  const isHeard = (): boolean => {
    rig.clock.advance(5_000);
    return slack.connections() === 1;
  };
  await waitFor(isHeard, { describe: 'Slack is heard' });
  for (const message of old.slice(0, 20)) slack.press(message, message.buttons[0]);
  await waitFor(() => slack.notes.length === 20, { describe: 'each press is answered' });
  expect(slack.notes.every(({ user, text }) => user === 'U7' && text.includes('is no longer open'))).toBe(true);
  await waitFor(() => slack.acknowledged.length === 20, { describe: 'each press is acknowledged' });
  expect(rig.answered).toEqual([]);
});

test('e-mail: one message for each question by its id', async () => {
  const rig = new SinkRig();
  await using mail = await startMail();
  rig.add({ name: 'MAIL', kind: 'email', url: mail.url, from: 'cbos@example.org', to: 'ada@example.org' });
  await askAll(rig, mail);
  const byId = new Map(mail.mails.map(({ headers }) => [headers.get('message-id'), headers.get('subject')]));
  expect(tally([...byId.values()], (subject) => subject ?? '')).toEqual(onceEach);
  // Lost confirmations made CBOS repeat messages. Otherwise this test would prove nothing.
  expect(mail.mails.length).toBeGreaterThan(byId.size);
});

test('the desktop: one notification for each question, and old buttons change nothing', async () => {
  await using desktop = await startDesktop();
  const rig = new SinkRig({ bus: desktop.bus });
  rig.add({ name: 'DESK', kind: 'desktop', answers: true });
  await askAll(rig, desktop);
  expect(tally([...desktop.shown.values()], ({ title }) => title)).toEqual(onceEach);
  // Lost answers made CBOS repeat notifications. Otherwise this test would prove nothing.
  expect(desktop.all.length).toBeGreaterThan(QUESTIONS);

  const old = [...desktop.shown.values()];
  for (const { slug } of rig.memory.list()) rig.work(slug);
  await rig.untilDone();
  expect(desktop.shown.size).toBe(0);
  // The connection of the last server may still be opening.
  const isHeard = (): boolean => {
    for (const one of old.slice(0, 20)) desktop.press(one, one.actions[0]);
    return desktop.shown.size > 0;
  };
  await waitFor(isHeard, { describe: 'a press is answered' });
  await waitFor(() => desktop.shown.size === 20, { describe: 'each press is answered' });
  expect([...desktop.shown.values()].every(({ body }) => body.includes('is no longer open'))).toBe(true);
  expect(rig.answered).toEqual([]);
});
