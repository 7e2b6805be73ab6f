import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSavedViews } from '../../src/server/views/saved-views.ts';
import { startFaces } from '../harness/faces.ts';
import { callRoute } from '../harness/rest.ts';
import { createWorld } from '../harness/world.ts';

const NIGHT = { group: 'repo', filter: '#night' } as const;

test('saved views are kept by name for the next server, and a full home changes nothing', () => {
  const world = createWorld();
  onTestFinished(() => world.dispose());
  const file = join(world.dir, 'views.json');
  const views = createSavedViews(file);
  views.save('night', NIGHT);
  views.save('all', { group: 'none', filter: '' });
  views.save('night', { ...NIGHT, group: 'tag' });
  expect(createSavedViews(file).list()).toEqual([
    { name: 'all', group: 'none', filter: '' },
    { name: 'night', group: 'tag', filter: '#night' },
  ]);
  const before = readFileSync(file, 'utf8');
  for (let index = 2; index < 50; index++) views.save(`v${index}`, NIGHT);
  expect(() => views.save('one-more', NIGHT)).toThrow('There can be at most 50 saved views');
  views.save('night', NIGHT);
  expect(() => views.remove('nobody')).toThrow('No view is named "nobody"');
  expect(() => views.save('a b', NIGHT)).toThrow('a valid view name');
  // This place is not writable, so the list must show only the saved views.
  const other = join(world.dir, 'other.json');
  const broken = createSavedViews(other);
  mkdirSync(other);
  expect(() => broken.save('night', NIGHT)).toThrow();
  expect(broken.list()).toEqual([]);
  // A file of another version counts as empty.
  writeFileSync(file, before.replace('tag', 'moon'));
  expect(createSavedViews(file).list()).toEqual([]);
});

test('REST saves, lists and deletes views, and keeps them for the next server', async () => {
  await using server = await startFaces();
  const params = { name: 'night' };
  expect((await callRoute(server, 'saveView', { params, body: NIGHT })).json()).toEqual({ ...params, ...NIGHT });
  await server.stop();
  await server.startAgain();
  expect((await callRoute(server, 'listViews')).json()).toEqual([{ ...params, ...NIGHT }]);
  expect((await callRoute(server, 'removeView', { params })).status).toBe(200);
  expect((await callRoute(server, 'removeView', { params })).code()).toBe('no_such_view');
  expect((await callRoute(server, 'saveView', { params, body: { group: 'moon', filter: '' } })).status).toBe(422);
});
