import { describe, expect, test } from 'vitest';
import { editTags, UNLABELLED } from '../../../src/core/labels/index.ts';
import {
  groupName,
  groupSessionsBy,
  isTag,
  MOST_TAGS,
  matchesSelector,
  type SessionSelector,
} from '../../../src/protocol/index.ts';
import { WAITS_FOR_PERMISSION } from '../../cli/some-questions.ts';
import { someSession } from '../../harness/some-session.ts';

const tagged = (...tags: string[]) => ({ ...UNLABELLED, tags });

describe('the tags of a session', () => {
  test('keep the order in which they were given, each once', () => {
    expect(editTags(tagged('night'), { add: ['web', 'night', 'web'] }).tags).toEqual(['night', 'web']);
    expect(editTags(tagged('a', 'b', 'c'), { remove: ['a', 'x'], add: ['d'] }).tags).toEqual(['b', 'c', 'd']);
  });

  test('a tag that is removed and added goes to the end, so another one becomes its group', () => {
    expect(editTags(tagged('a', 'b'), { remove: ['a'], add: ['a'] }).tags).toEqual(['b', 'a']);
  });

  test('an edit without effect changes nothing, so nothing is stored or reported', () => {
    const before = tagged('a');
    expect(editTags(before, { add: ['a'], remove: ['b'] })).toBe(before);
  });

  test('one more than the limit is refused', () => {
    const many = Array.from({ length: MOST_TAGS }, (_, index) => `t${index}`);
    expect(editTags(UNLABELLED, { add: many }).tags).toHaveLength(MOST_TAGS);
    expect(() => editTags(tagged(...many), { add: ['more'] })).toThrow(/at most 20 tags/);
  });

  test.each([
    ['night', true],
    ['v1.2_b-c', true],
    ['a'.repeat(40), true],
    ['a'.repeat(41), false],
    ['', false],
    ['-old', false],
    ['+new', false],
    ['two words', false],
    ['a,b', false],
    ['ni\u202eght', false],
    ['näch', false],
  ])('%j is a tag: %s', (word, is) => expect(isTag(word)).toBe(is));
});

describe('a selection', () => {
  const session = someSession('AUTH', {
    ...WAITS_FOR_PERMISSION,
    tags: ['night', 'web'],
    repository: '/src/shop',
    path: '/src/shop/.claude/worktrees/AUTH',
  });
  test.each<[SessionSelector, boolean]>([
    [{}, true],
    [{ tags: ['night'] }, true],
    [{ tags: ['night', 'web'] }, true],
    [{ tags: ['night', 'day'] }, false],
    [{ state: 'needs-you' }, true],
    [{ state: 'done' }, false],
    [{ state: 'needs-you', tags: ['web'], repo: 'shop' }, true],
    [{ state: 'done', tags: ['web'], repo: 'shop' }, false],
    [{ repo: 'shop' }, true],
    [{ repo: 'sho' }, false],
    [{ repo: '/src/shop' }, true],
    [{ repo: '/src/shop/' }, true],
    [{ repo: '/src/shop/lib' }, true],
    [{ repo: '/src/shopping' }, false],
    [{ repo: '/src' }, false],
  ])('%j takes it: %s', (selector, takes) => expect(matchesSelector(session, selector)).toBe(takes));

  test('by repository never includes a session whose repository is unknown', () => {
    expect(matchesSelector(someSession('A', { repository: null }), { repo: '' })).toBe(false);
  });
});

describe('groups', () => {
  const sessions = [
    someSession('A', { tags: ['web', 'night'], repository: '/src/shop' }),
    someSession('B', { tags: [], repository: null }),
    someSession('C', { ...WAITS_FOR_PERMISSION, tags: ['night'], repository: '/src/api' }),
    someSession('D', { tags: ['night'], repository: '/src/shop' }),
  ];
  const shape = (by: 'tag' | 'repo') =>
    groupSessionsBy(sessions, by).map(({ key, sessions: members }) => [key, members.map(({ slug }) => slug)]);

  test('each session is in one group, with the most pressing group first and sessions without a name last', () => {
    expect(shape('tag')).toEqual([
      ['night', ['C', 'D']],
      ['web', ['A']],
      [null, ['B']],
    ]);
    expect(shape('repo')).toEqual([
      ['/src/api', ['C']],
      ['/src/shop', ['A', 'D']],
      [null, ['B']],
    ]);
  });

  test('two repositories of the same name are distinguished by the folder above', () => {
    const keys = ['/a/shop', '/b/shop', '/c/api', null];
    expect(keys.map((key) => groupName(key, 'repo', keys))).toEqual(['a/shop', 'b/shop', 'api', 'No repository']);
  });
});
