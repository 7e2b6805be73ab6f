import { expect, test } from 'vitest';
import { saidTo } from '../../../src/core/answer/said.ts';
import type { Answer, Question } from '../../../src/protocol/index.ts';
import { asking } from '../../harness/some-sessions.ts';

const permission = asking({
  options: [
    { key: '1', label: 'Yes', description: null, means: 'yes' },
    { key: '2', label: "Yes, and don't ask again", description: null, means: 'always' },
    { key: '3', label: 'No', description: null, means: 'no' },
  ],
}).status?.question as Question;

test.each<[Answer, 'yes' | 'no' | null]>([
  [{ choice: 'yes' }, 'yes'],
  [{ choice: 'always' }, 'yes'],
  [{ choice: 2 }, 'yes'],
  [{ choice: 'no' }, 'no'],
  [{ choice: 3, text: 'not now' }, 'no'],
  [{ choice: 9 }, null],
])('%j to a permission says %s', (answer, said) => {
  expect(saidTo(permission, answer)).toBe(said);
  expect(saidTo({ ...permission, kind: 'plan' }, answer)).toBeNull();
  expect(saidTo({ ...permission, cut: true }, answer)).toBe(said === 'yes' ? null : said);
});
