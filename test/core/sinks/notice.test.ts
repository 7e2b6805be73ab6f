import { describe, expect, test } from 'vitest';
import { needsOf, noticeOf, questionOf } from '../../../src/core/sinks/notice.ts';
import type { Form } from '../../../src/protocol/index.ts';
import { maskSecrets } from '../../../src/text/mask-secrets.ts';
import { askingForm, SOME_CHOICE, SOME_FORM, someAddress } from '../../harness/some-forms.ts';
import { someSession } from '../../harness/some-session.ts';
import { asking, DONE, WORKING } from '../../harness/some-sessions.ts';

const about = (some: Parameters<typeof asking>[0], most = 8) =>
  noticeOf(someSession('AUTH', asking(some)), { mostButtons: most });
const bash = (command: string) => about({ tool: { name: 'Bash', input: { command } }, text: command });
const labels = ({ buttons }: { buttons: { label: string }[] }): string[] => buttons.map(({ label }) => label);
const choice = (label: string) => ({ key: '1', label, description: null, means: 'choice' as const });

describe('a message', () => {
  test('shows the whole call, and offers a yes for this one call and a no', () => {
    const notice = about({});
    expect(notice.title).toBe('AUTH asks permission');
    expect(notice.body).toContain('command: npm test');
    expect(notice.body).toContain('description: Run the tests');
    expect(notice.buttons).toEqual([
      { key: 'y', label: 'Yes', answer: { choice: 'yes' } },
      { key: 'n', label: 'No', answer: { choice: 'no' } },
    ]);
  });

  test.each([
    ['is longer than the message allows', bash(`echo ${'x'.repeat(4_000)}; rm -rf /`)],
    ['contains a secret', bash('curl -H "Authorization: Bearer abcdefghij0123456789" https://x.example')],
    ['was cut by Claude Code', about({ cut: true })],
  ])('about a call that %s offers no yes, and explains why', (_, notice) => {
    expect(labels(notice)).toEqual(['No']);
    expect(notice.body).toContain('To allow it, open CBOS');
    expect(notice.body).not.toContain('abcdefghij0123456789');
    expect(Buffer.byteLength(notice.body)).toBeLessThan(3_200);
  });

  test('says why Claude Code asks', () => {
    expect(about({ reason: 'This touches production' }).body).toContain('Reason: This touches production');
  });

  test('writes out hidden and reordering characters, and has no escape sequence', () => {
    const { body } = bash('echo \u202egnp.exe \u200b \u001b[2Kx');
    expect(body).toContain('\\u202e');
    expect(body).toContain('\\u200b');
    expect(body).not.toMatch(/[\u202a-\u202e\u200b\u001b]/u);
  });

  test('is cut between characters, by bytes', () => {
    const { body } = bash('🙂'.repeat(2_000));
    expect(body).not.toContain('\ufffd');
    expect(Buffer.byteLength(body)).toBeLessThan(3_200);
  });

  test('about a question offers its answers if all of them fit', () => {
    const some = {
      kind: 'question',
      tool: null,
      text: 'Where?',
      options: ['here', 'there', 'away'].map(choice),
    } as const;
    expect(about({ ...some, options: [...some.options] }, 3).buttons.map(({ answer }) => answer)).toEqual([
      { choice: 1 },
      { choice: 2 },
      { choice: 3 },
    ]);
    expect(about({ ...some, options: [...some.options] }, 2).buttons).toEqual([]);
    expect(about({ ...some, options: [...some.options] }, 0).buttons).toEqual([]);
  });

  test('about a form with one choice has a button for each value, and otherwise only one that declines', () => {
    const notice = (form: Form) => noticeOf(someSession('AUTH', askingForm(form)), { mostButtons: 3 });
    const one = notice(SOME_CHOICE);
    expect(one.title).toBe('AUTH asks');
    expect(one.body).toContain('Where should it go?');
    expect(one.buttons).toEqual([
      { key: '1', label: 'Deploy: yes', answer: { choice: 1 } },
      { key: '2', label: 'Deploy: no', answer: { choice: 2 } },
      { key: 'n', label: 'Decline', answer: { choice: 'no' } },
    ]);
    const several = notice(SOME_FORM);
    expect(several.body).toContain('count: a whole number from 1 to 5; default: 2');
    expect(several.buttons.map(({ label }) => label)).toEqual(['Decline']);
    expect(several.body).toContain('To fill in this form, open CBOS, or see `cbos show AUTH`');
    expect(one.body).not.toContain('To fill in');
    const many = noticeOf(someSession('AUTH', askingForm(SOME_CHOICE)), { mostButtons: 2 });
    expect(many.buttons).toEqual([]);
    expect(many.body).toContain('To fill in this form');
    expect(notice({ ...SOME_FORM, at_terminal: true }).body).not.toContain('To fill in');
    expect(notice(someAddress('https://example.com/login')).body).toContain('https://example.com/login');
  });

  test.each([
    ['several answers', { kind: 'question', multi: true, tool: null, text: 'Which?', options: [choice('a')] }],
    ['words at the end of a turn', { kind: 'closing', tool: null, text: 'Shall I go on?', options: [] }],
    ['set-up', { kind: 'setup', tool: null, text: 'Trust this folder?', options: [choice('Yes, I trust it')] }],
  ] as const)('that asks for %s has no buttons', (_, some) => {
    expect(about({ ...some, options: [...some.options] }).buttons).toEqual([]);
  });
});

test('needs are distinguished by question, and a session that works or is done needs nothing', () => {
  const need = (id: string): string => needsOf(someSession('AUTH', asking({ id }))).join();
  expect(need('q1')).not.toBe(need('q2'));
  expect(need('q1')).toBe(need('q1'));
  expect([WORKING, DONE].map((some) => needsOf(someSession('AUTH', some)))).toEqual([[], []]);
});

test('each need leads to its own question, also if several are open, and to none once that is answered', () => {
  const [one, two, gone] = ['q1', 'q2', 'q3'].map((id) => someSession('AUTH', asking({ id })));
  const questions = [one, two].flatMap((session) => session?.status.question ?? []);
  const both = someSession('AUTH', { status: { ...someSession('AUTH', asking()).status, questions } });
  expect(needsOf(both)).toHaveLength(2);
  expect(needsOf(both).map((need) => questionOf(both, need)?.id)).toEqual(['q1', 'q2']);
  const needs = gone === undefined ? [] : needsOf(gone);
  expect(needs.map((need) => questionOf(both, need))).toEqual([null]);
});

describe('what looks like a secret is masked', () => {
  test.each([
    ['export OPENAI_API_KEY=sk-proj-abcdefghijklmnopqrstuvwxyz', 'export OPENAI_API_KEY=••••'],
    ['git clone https://ada:hunter2hunter2@git.example/x', 'git clone https://ada:••••@git.example/x'],
    ['ghp_0123456789abcdefghijABCDEFGHIJ0123', '••••'],
    ['mysql --password hunter2hunter', 'mysql --password ••••'],
    ['{"token": "abcdef123456"}', '{"token": "••••"}'],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----', '••••'],
  ])('%s', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  test.each([
    'npm test',
    'echo "$TOKEN"',
    'git commit -m "Add the token refresh"',
    'curl -u "$USER:$PASSWORD" https://x',
  ])('%s stays', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });
});
