import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { CatalogueError, type Question } from '../../../src/protocol/index.ts';
import { readAnswer } from '../../../src/server/session/open-question.ts';
import { asking } from '../../harness/some-sessions.ts';

/** A form of a server that chooses the names of its fields as it likes. */
function formWith(...names: string[]): Question {
  const fields = names.map((name) => ({ name, title: null, description: null, type: 'text', required: true }));
  const form = { server: 'deploy', mode: 'form', fields, at_terminal: false };
  return { ...asking({ kind: 'form', options: [] }).status?.question, form } as unknown as Question;
}

function cureOf(question: Question): string {
  try {
    readAnswer({ slug: 'EL', record: { type: 'screen' } as never }, question, { choice: 'yes' });
  } catch (error) {
    if (error instanceof CatalogueError && error.code === 'invalid_values') return error.hint.split('`')[1] ?? '';
    throw error;
  }
  throw new Error('a form without its required values was accepted');
}

test('the command that fills in a form is the same words for a shell, whatever its server calls the fields', () => {
  const names = ['environment', 'a b', '$(touch x)', "it's; exit 1", '--yes', '*'];
  const command = cureOf(formWith(...names)).replace('cbos', "printf '%s\\n'");
  const words = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trimEnd().split('\n');
  expect(words.slice(0, 4)).toEqual(['answer', 'EL', '--question', 'q1']);
  expect(words.slice(4)).toEqual(names.flatMap((name) => ['--set', `${name}=…`]));
});
