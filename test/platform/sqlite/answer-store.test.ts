import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAnswerStore } from '../../../src/platform/sqlite/answer-store.ts';
import { openDatabase } from '../../../src/platform/sqlite/database.ts';
import { MIGRATIONS } from '../../../src/platform/sqlite/migrations/index.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

let home: string;
beforeEach(() => {
  home = makeTemporaryFolder();
});
afterEach(() => rmSync(home, { recursive: true }));

const BEFORE_MEMORY = MIGRATIONS.findIndex((step) => step.includes('ADD COLUMN asked'));

test('answers from before the memory are found again, and still lead to rules', () => {
  const file = join(home, 'cbos.db');
  const old = new DatabaseSync(file);
  for (const step of MIGRATIONS.slice(0, BEFORE_MEMORY)) old.exec(step);
  old.exec(`PRAGMA user_version = ${BEFORE_MEMORY}`);
  const insert = old.prepare('INSERT INTO answers (at, session, folder, input, said) VALUES (?, ?, ?, ?, ?)');
  insert.run(1, 'AUTH', '/src/shop', '{"command":"npm test","description":"Runs them"}', 'yes');
  insert.run(2, 'AUTH', '/src/shop', 'null', 'no');
  old.close();
  const database = openDatabase(file);
  const store = createAnswerStore(database);
  const tool = { name: 'Bash', input: { description: 'Runs the tests', command: 'npm test' } };
  const said = { said: 'yes', remark: null, chosen: [] };
  const before = { at: 1, session: 'AUTH', project: '/src/shop', about: 'npm test', ...said };
  expect(store.to({ project: '/src/shop', tool })).toMatchObject([before]);
  store.keep({
    ...{ at: 3, session: 'B', folder: '/src/w', project: '/src/shop', tool, about: 'npm test' },
    answer: { said: 'always', remark: null, chosen: [] },
  });
  store.keep({
    ...{ at: 4, session: 'B', folder: '/src/w', project: '/src/shop', about: 'secret.txt' },
    tool: { name: 'Write', input: { file_path: 'secret.txt', content: 'whole content' } },
    answer: { said: 'no', remark: null, chosen: [] },
  });
  expect(store.to({ project: '/src/shop', tool }).map(({ at }) => at)).toEqual([1, 3]);
  expect(store.to({ project: '/src', tool })).toEqual([]);
  expect(store.commands(10).map(({ at, said: word }) => [at, word])).toEqual([
    [1, 'yes'],
    [2, 'no'],
    [3, 'yes'],
  ]);
  // Only the inputs of commands are kept.
  expect(JSON.stringify(database.prepare('SELECT * FROM answers').all())).not.toContain('whole content');
  store.forget(store.all().map(({ id }) => id));
  expect(store.all()).toEqual([]);
  database.close();
});
