import { describe, expect, test } from 'vitest';
import { NOTHING_REPORTED } from '../../../src/platform/sqlite/reported.ts';
import { changeByReport } from '../../../src/server/session/reports.ts';

const [ID, OTHER] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const asking = (asked: 'resume' | 'fork' | null, instead: string | null = null) => ({
  claudeSessionId: ID,
  path: '/work',
  reported: { ...NOTHING_REPORTED, isBegun: true, asked, instead },
});

describe('a launch that is to continue a conversation', () => {
  test.each<[string, 'resume' | 'fork', object]>([
    ['the registry names the conversation', 'resume', { sessionId: ID }],
    ['the hook says so', 'resume', { sessionId: ID, source: 'resume' }],
    ['the hook names a copy that a wrapper asked for', 'resume', { sessionId: OTHER, source: 'fork' }],
    ['the hook names the copy', 'fork', { sessionId: ID, source: 'fork' }],
    ['a person continues a conversation with /resume', 'resume', { sessionId: OTHER, source: 'resume' }],
    ['a person begins a conversation with /clear', 'resume', { sessionId: OTHER, source: 'clear' }],
  ])('has done so if %s', (_, asked, report) => {
    const change = changeByReport(asking(asked), report);
    const { sessionId: claudeSessionId } = report as { sessionId: string };
    expect(change).toMatchObject({ claudeSessionId, reported: { asked: null, instead: null } });
  });

  test.each<[string, 'resume' | 'fork', object, object]>([
    ['the registry names another one', 'resume', { sessionId: OTHER }, { claudeSessionId: ID }],
    ['the hook says that it begins', 'resume', { sessionId: ID, source: 'startup' }, { claudeSessionId: ID }],
    ['the copy begins empty', 'fork', { sessionId: ID, source: 'startup' }, { claudeSessionId: null }],
  ])('has begun another one if %s', (_, asked, report, own) => {
    const { sessionId: instead } = report as { sessionId: string };
    const change = changeByReport(asking(asked), report);
    expect(change).toMatchObject({ ...own, reported: { asked: null, instead, isBegun: true } });
  });

  test('is not yet judged by the id of a copy, which says nothing about what is in it', () => {
    expect(changeByReport(asking('fork'), { sessionId: ID })).toBeNull();
  });

  test('stays judged while the other conversation reports, until the right one is back', () => {
    expect(changeByReport(asking(null, OTHER), { sessionId: OTHER, isBegun: true })).toBeNull();
    const back = changeByReport(asking(null, OTHER), { sessionId: ID });
    expect(back).toMatchObject({ claudeSessionId: ID, reported: { instead: null } });
  });
});
