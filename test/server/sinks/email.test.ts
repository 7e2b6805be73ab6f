import { expect, test } from 'vitest';
import { startMail } from '../../harness/mail-server.ts';
import { SinkRig } from './sink-rig.ts';

const ADDRESSES = { from: 'cbos@example.org', to: 'ada@example.org' };

test('an e-mail says what a session asks, and how to answer', async () => {
  await using mail = await startMail({ password: 'open sesame' });
  const rig = new SinkRig();
  const url = mail.url.replace('//', '//ada@');
  rig.add({ name: 'MAIL', kind: 'email', url, ...ADDRESSES, password: 'open sesame' });
  expect(rig.sinks.list()).toMatchObject([{ kind: 'email', to: 'ada@example.org, through 127.0.0.1', answers: false }]);
  await rig.sinks.test('MAIL');
  rig.ask('AUTH');
  await rig.untilDone();
  const [trial, message] = mail.mails;
  expect(trial?.headers.get('subject')).toBe('CBOS: a test');
  expect(message).toMatchObject({ from: ADDRESSES.from, to: [ADDRESSES.to] });
  expect(message?.headers.get('subject')).toBe('AUTH asks permission');
  expect(message?.headers.get('auto-submitted')).toBe('auto-generated');
  expect(message?.body).toContain('command: npm test');
  expect(message?.body).toContain('cbos answer AUTH');
  rig.work('AUTH');
  await rig.untilDone();
  expect(mail.mails).toHaveLength(2);
});

test('a text cannot add a header or a receiver to an e-mail', async () => {
  await using mail = await startMail();
  const rig = new SinkRig();
  rig.add({ name: 'MAIL', kind: 'email', url: mail.url, ...ADDRESSES });
  rig.ask('AUTH', 'q', {
    kind: 'question',
    text: 'one\r\n.\r\nRCPT TO:<eve@example.org>\r\nBcc: eve@example.org',
    tool: null,
  });
  await rig.untilDone();
  expect(mail.mails).toHaveLength(1);
  expect(mail.mails[0]?.to).toEqual([ADDRESSES.to]);
  expect(mail.mails[0]?.headers.has('bcc')).toBe(false);
});

test.each([
  ['a wrong password', 'sekret', /Invalid login/],
  ['a server that is not there', null, /ECONNREFUSED/],
])('a sink of e-mail with %s reports it, and no log has the password', async (_, password, fault) => {
  await using mail = await startMail({ password: 'open sesame' });
  const rig = new SinkRig();
  const url = password === null ? 'smtp://ada@127.0.0.1:1' : mail.url.replace('//', '//ada@');
  rig.add({ name: 'MAIL', kind: 'email', url, ...ADDRESSES, password: password ?? 'sekret' });
  await expect(rig.sinks.test('MAIL')).rejects.toMatchObject({ code: 'sink_failed' });
  rig.ask('AUTH');
  await rig.sinks.settled();
  expect(rig.sinks.list()[0]?.fault).toMatch(fault);
  expect(rig.log.join('\n')).not.toContain('sekret');
  expect(JSON.stringify(rig.sinks.list())).not.toContain('sekret');
  expect(mail.mails).toEqual([]);
});
