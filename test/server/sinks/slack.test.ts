import { expect, test } from 'vitest';
import {
  SLACK_APP_TOKEN,
  SLACK_CHANNEL,
  SLACK_TOKEN,
  type SlackServer,
  startSlack,
} from '../../harness/slack-server.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { SinkRig } from './sink-rig.ts';

/** Returns a rig with an app that is connected, and one message about a question of AUTH. */
async function asked(slack: SlackServer, rig = new SinkRig()) {
  const tokens = { token: SLACK_TOKEN, app_token: SLACK_APP_TOKEN };
  rig.add({ name: 'TEAM', kind: 'slack', url: slack.url, ...tokens, channel: SLACK_CHANNEL, answers: true });
  await waitFor(() => slack.connections() === 1, { describe: 'Slack is heard' });
  rig.ask('AUTH');
  await rig.untilDone();
  const [message] = slack.messages;
  if (message === undefined) throw new Error('nothing was sent');
  return { rig, message };
}

test('a button in Slack answers its question, once, and the message shows the answer', async () => {
  await using slack = await startSlack();
  const { rig, message } = await asked(slack);
  expect(message.text).toBe('AUTH asks permission');
  expect(message.shown).toContain('command: npm test');
  expect(message.buttons.map(({ text }) => text.text)).toEqual(['Yes', 'No']);
  const [yes, no] = message.buttons;
  const envelope = slack.press(message, yes);
  await waitFor(() => rig.answered.length === 1, { describe: 'the answer arrives' });
  expect(rig.answered).toEqual([{ slug: 'AUTH', request: { choice: 'yes', question_id: 'q-AUTH' } }]);
  await waitFor(() => slack.acknowledged.includes(envelope), { describe: 'the press is acknowledged' });
  await rig.untilDone();
  expect(message.buttons).toEqual([]);
  expect(message.shown).toMatch(/Answered here: Yes\.$/);
  slack.press(message, no);
  await waitFor(() => slack.notes.length === 1, { describe: 'the second press is explained' });
  expect(slack.notes).toEqual([{ user: 'U7', text: 'This question is no longer open. Nothing was changed.' }]);
  expect(rig.answered).toHaveLength(1);
});

test('a press in Slack from another channel, or with a guessed code, changes nothing and gets no answer', async () => {
  await using slack = await startSlack();
  const { rig, message } = await asked(slack);
  const [yes] = message.buttons;
  if (yes === undefined) throw new Error('there is no button');
  slack.press({ ...message, channel: 'C0000000000' }, yes);
  slack.press(message, { ...yes, value: '../../x' });
  slack.press(message, undefined);
  const last = slack.press(message, { ...yes, value: `${'A'.repeat(22)}.y` });
  await waitFor(() => slack.acknowledged.includes(last), { describe: 'all have arrived' });
  await waitFor(() => slack.notes.length === 1, { describe: 'the last one is refused' });
  expect(slack.notes[0]?.text).toContain('is no longer open');
  expect(rig.answered).toEqual([]);
  expect(message.buttons).toHaveLength(2);
});

test('a text in Slack can mention nobody and hides no link', async () => {
  await using slack = await startSlack();
  const rig = new SinkRig();
  rig.add({ name: 'TEAM', kind: 'slack', url: slack.url, token: SLACK_TOKEN, channel: SLACK_CHANNEL });
  const text = 'Shall <!channel> & <https://evil.example|a link> be read?';
  rig.ask('AUTH', 'q', { kind: 'question', text, tool: null, options: [] });
  await rig.untilDone();
  const [post] = slack.requests.filter(({ url }) => url.pathname === '/chat.postMessage');
  const body = JSON.parse(post?.body ?? '{}');
  expect(body.text).not.toMatch(/[<>]/);
  expect(body.blocks.map((block: { text: { type: string } }) => block.text.type)).toEqual(['plain_text', 'plain_text']);
  expect(slack.messages[0]?.shown).toContain(text);
});

test('CBOS opens a new connection when Slack announces the end of one, and says so if Socket Mode is turned off', async () => {
  await using slack = await startSlack();
  const { rig, message } = await asked(slack);
  const openings = () => slack.requests.filter(({ url }) => url.pathname === '/apps.connections.open').length;
  slack.refresh();
  await waitFor(() => openings() === 2 && slack.connections() === 1, { describe: 'there is a new connection' });
  expect(rig.sinks.list()).toMatchObject([{ fault: null }]);
  slack.refresh('link_disabled');
  await waitFor(() => rig.sinks.list()[0]?.fault !== null, { describe: 'the fault is shown' });
  expect(rig.sinks.list()).toMatchObject([{ fault: 'Socket Mode is turned off for the app' }]);
  await waitFor(() => slack.connections() === 0, { describe: 'the connection is closed' });
  rig.clock.advance(5_000);
  await waitFor(() => slack.connections() === 1, { describe: 'CBOS has tried again' });
  slack.press(message, message.buttons[1]);
  await waitFor(() => rig.answered.length === 1, { describe: 'the answer arrives' });
});

test('a message whose confirmation was lost is found in the history, however many others wrote since', async () => {
  const rig = new SinkRig();
  await using slack = await startSlack({ now: rig.clock.now, mostPerPage: 3 });
  slack.faultOf = () => {
    if (slack.messages.length === 0) return 'after';
    slack.faultOf = () => null;
    for (let other = 0; other < 10; other += 1) slack.say(SLACK_CHANNEL, `hello ${other}`);
    return null;
  };
  rig.add({ name: 'TEAM', kind: 'slack', url: slack.url, token: SLACK_TOKEN, channel: SLACK_CHANNEL });
  rig.ask('AUTH');
  await rig.untilDone();
  expect(slack.messages.filter(({ text }) => text === 'AUTH asks permission')).toHaveLength(1);
  const pages = slack.requests.filter(({ url }) => url.pathname === '/conversations.history');
  expect(pages.length).toBeGreaterThan(2);
  expect(rig.phases()).toEqual(['sent']);
});

test('an app with a wrong token reports what Slack says, and no log has the token', async () => {
  await using slack = await startSlack();
  const rig = new SinkRig();
  rig.add({ name: 'TEAM', kind: 'slack', url: slack.url, token: 'xoxb-wrong', channel: SLACK_CHANNEL });
  await expect(rig.sinks.test('TEAM')).rejects.toMatchObject({ code: 'sink_failed', message: 'TEAM: invalid_auth' });
  rig.ask('AUTH');
  await rig.untilDone();
  expect(rig.sinks.list()).toMatchObject([{ fault: 'invalid_auth' }]);
  expect(rig.log.join('\n')).not.toContain('xoxb-wrong');
});
