import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.mjs';
import {
  ATTENTIONS,
  type Attending,
  attentionOf,
  DETAILS,
  Detail,
  matchesState,
  NEEDS,
  needOf,
  parseStateSelector,
  type RateLimit,
  sortByAttention,
} from '../../src/protocol/index.ts';
import { ATTENTION_TITLES, sessionGist, sessionIcon, sessionStyle, stateText } from '../../src/text/session-words.ts';
import { SINCE, someSession } from '../harness/some-session.ts';
import { asking, DONE } from '../harness/some-sessions.ts';

const { status } = someSession('X');
const REACHED: RateLimit = { status: 'rejected', kind: 'five_hour', resets_at: null, utilization: 1 };
const of = (primary: Attending['status']['primary'], detail: Detail | null = null): Attending => ({
  status: { primary, detail },
});
const seen = (session: Attending) => [
  attentionOf(session),
  sessionIcon(session),
  sessionStyle(session),
  stateText(session),
];

test.each([
  [of('waiting', 'permission'), ['needs_you', '○', 'yellow', 'asks permission']],
  [of('waiting', 'question'), ['needs_you', '○', 'yellow', 'asks']],
  [of('waiting', 'plan'), ['needs_you', '○', 'yellow', 'has a plan']],
  [of('waiting', 'setup'), ['needs_you', '○', 'yellow', 'needs set-up']],
  [of('idle', 'error'), ['needs_you', '✗', 'red', 'error']],
  [{ ...of('idle', 'error'), rate_limit: REACHED }, ['needs_you', '✗', 'red', 'limit reached']],
  [{ ...of('idle', 'waiting_input'), rate_limit: REACHED }, ['needs_you', '✗', 'red', 'limit reached']],
  [of('stuck'), ['needs_you', '!', 'magenta', 'no sign of life']],
  [of('idle', 'waiting_input'), ['done', '✓', 'green', 'done']],
  [{ ...of('active', 'thinking'), rate_limit: REACHED }, ['working', '◐', 'cyan', 'thinking']],
  [of('active', 'responding'), ['working', '◐', 'cyan', 'answering']],
  [of('active', 'using_tools'), ['working', '●', 'cyan', 'using tools']],
  [of('active', 'compacting'), ['working', '●', 'cyan', 'compacting']],
  [of('idle', 'ready'), ['new', '◌', null, 'new']],
  [{ status: { primary: null, detail: null, because: { source: 'none' } } } as const, ['new', '◌', null, 'starting']],
  [of(null), ['unknown', '?', 'dim', 'unknown']],
  [{ ...of('idle', 'waiting_input'), parked_at: SINCE }, ['parked', '☾', 'dim', 'parked']],
  [{ ...of('idle', 'error'), parked_at: SINCE }, ['parked', '☾', 'dim', 'parked']],
  [of('dead'), ['stopped', '⊘', 'dim', 'stopped']],
  [{ ...of('dead'), ended: { by: 'unknown' as const, at: SINCE } }, ['stopped', '⊘', 'dim', 'stopped']],
  [
    { ...of('dead'), ended: { by: 'unknown' as const, at: SINCE }, interrupted_at: SINCE },
    ['needs_you', '✗', 'red', 'ended'],
  ],
])('%j', (session, expected) => {
  expect(seen(session)).toEqual(expected);
});

test('each detail has its own words, and unknown words of a newer server do no harm', () => {
  const words = Detail.options.map((detail) => stateText(of(DETAILS[detail].primary, detail)));
  expect(new Set(words).size).toBe(words.length);
  const newer = { status: { primary: 'waiting', detail: 'vote' } } as unknown as Attending;
  expect([attentionOf(newer), needOf(newer)]).toEqual(['needs_you', NEEDS.question]);
  expect(attentionOf({ status: { primary: 'dreaming', detail: null } } as unknown as Attending)).toBe('unknown');
});

test('the list shows sessions that ask before those that failed, with the longest first, then the others in the order of the glossary', () => {
  const at = (slug: string, { status: { primary, detail } }: Attending, minute: number) =>
    someSession(slug, {
      status: { ...status, primary, detail, since: `2026-11-20T15:${String(minute).padStart(2, '0')}:00.000Z` },
    });
  const listed = sortByAttention([
    at('STOPPED', of('dead'), 1),
    at('DONE-2', of('idle', 'waiting_input'), 9),
    at('DONE-1', of('idle', 'waiting_input'), 2),
    at('WORKS', of('active', 'thinking'), 1),
    at('NEW', of('idle', 'ready'), 1),
    at('STUCK', of('stuck'), 1),
    at('FAILED', of('idle', 'error'), 1),
    at('PLAN', of('waiting', 'plan'), 5),
    at('ASKS', of('waiting', 'question'), 8),
  ]);
  expect(listed.map(({ slug }) => slug)).toEqual([
    'PLAN',
    'ASKS',
    'FAILED',
    'STUCK',
    'DONE-1',
    'DONE-2',
    'WORKS',
    'NEW',
    'STOPPED',
  ]);
});

describe('a state can be selected by what a session wants', () => {
  test.each([
    ['needs-you', ['ASKS', 'FAILED']],
    ['done', ['DONE']],
    ['parked', ['PARKED']],
    ['stopped', ['STOPPED']],
    // The former name of `stopped`.
    ['waiting', ['ASKS', 'DONE', 'PARKED']],
    ['dead', ['STOPPED']],
  ])('%s', (word, expected) => {
    const selector = parseStateSelector(word);
    const sessions = [
      someSession('ASKS', { state: 'waiting', status: { ...status, primary: 'waiting', detail: 'permission' } }),
      someSession('FAILED', { state: 'error', status: { ...status, primary: 'idle', detail: 'error' } }),
      someSession('DONE', { state: 'waiting', status: { ...status, primary: 'idle', detail: 'waiting_input' } }),
      someSession('PARKED', {
        state: 'waiting',
        parked_at: SINCE,
        status: { ...status, primary: 'idle', detail: 'waiting_input' },
      }),
      someSession('STOPPED', { state: 'dead', status: { ...status, primary: 'dead', detail: null } }),
    ];
    expect(sessions.filter((one) => selector !== null && matchesState(one, selector)).map(({ slug }) => slug)).toEqual(
      expected,
    );
  });
});

describe('a session in one line', () => {
  const asks = (name: string, input: object) => asking({ tool: { name, input } });
  const ended = { source: 'hook', rule: 'hook.Stop', evidence: 'I ran the tests.\n\nAll 214 pass.\n' } as const;
  test.each([
    ['the command that it wants to run', asks('Bash', { command: '/src/auth/run.sh' }), 'Bash: /src/auth/run.sh'],
    ['a file in its folder, by its relative path', asks('Write', { file_path: '/src/auth/a/b.ts' }), 'Write: a/b.ts'],
    ['any other file, by its absolute path', asks('Edit', { file_path: '/src/author/b.ts' }), 'Edit: /src/author/b.ts'],
    ['hidden characters in a question, written out', asking({ tool: null, text: 'Go\u202eon?' }), 'Go\\u202eon?'],
    ['how its last answer ended', { ...DONE, status: { ...status, ...DONE.status, because: ended } }, 'All 214 pass.'],
  ])('%s', (_, some, expected) => {
    expect(sessionGist(someSession('X', { path: '/src/auth', ...some }))).toBe(expected);
  });
});

test('the glossary has the words', () => {
  const glossary = readFileSync(join(ROOT, 'docs/GLOSSARY.md'), 'utf8');
  for (const attention of ATTENTIONS)
    expect(glossary).toContain(`| **${ATTENTION_TITLES[attention].toLowerCase()}** |`);
});
