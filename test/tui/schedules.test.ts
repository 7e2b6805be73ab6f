import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { DONE } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';

let server: FacesUnderTest;
beforeAll(async () => {
  server = await startFaces();
});
afterAll(() => server[Symbol.asyncDispose]());

test('a person adds a schedule after seeing its next times, edits, pauses, runs and deletes it, and sees changes by others', async () => {
  const { sessions, schedules } = server;
  sessions.add('CI', DONE);
  const terminal = await openTerminal(server.world, { cols: 120, rows: 34, env: { TZ: 'America/New_York' } });
  await terminal.until(/CI[\s\S]*q quit/, 'the list');
  await terminal.keys('/');
  await terminal.type('schedule');
  await terminal.keys('Enter');
  await terminal.until(/No schedules yet/, 'that there is none');
  await terminal.keys('a');
  await terminal.until(/A new schedule/, 'the form');
  await terminal.type('NIGHTLY');
  await terminal.keys('Tab', 'Tab', 'Tab', 'C-u');
  await terminal.type('0 7 1 7');
  await terminal.until(/a pattern needs 5 fields/, 'what is wrong with the pattern');
  await terminal.keys('Enter');
  expect(schedules.list()).toEqual([]);
  await terminal.type(' *');
  await terminal.keys('Tab', 'C-u');
  await terminal.type('Europe/Berlin');
  await terminal.keys('Tab');
  await terminal.type('run the tests');
  // Seven o'clock in Berlin is one o'clock in New York, the reader's zone.
  await terminal.until(/(07-01 01:00 \(07:00 Europe\/Berlin\)[\s\S]*){5}/, 'the next five times');
  await terminal.keys('Enter');
  await terminal.until(/NIGHTLY → CI · next \w{3} 20\d\d-07-01 01:00 \(07:00 Europe\/Berlin\)/, 'the schedule');
  expect(schedules.list()).toMatchObject([{ cron: '0 7 1 7 *', session: 'CI', prompt: 'run the tests' }]);

  await terminal.keys('r');
  await terminal.until(/last: sent/, 'that it ran');
  await terminal.keys('Enter');
  await terminal.until(/Runs of NIGHTLY[\s\S]*by hand[\s\S]*sent[\s\S]*CI, delivery d\d/, 'its run');
  await terminal.keys('Escape');
  await terminal.until(/NIGHTLY → CI/, 'the schedules again');
  schedules.pause('NIGHTLY', true);
  await terminal.until(/NIGHTLY → CI · paused/, 'that somebody else has paused it');
  await terminal.keys('p');
  await terminal.until(/NIGHTLY → CI · next/, 'that it is resumed');

  await terminal.keys('e');
  await terminal.until(/Edit NIGHTLY/, 'the form');
  await terminal.keys('Tab', 'Tab');
  await terminal.type(' twice');
  await terminal.until(/07-01 01:00/, 'its next times');
  await terminal.keys('Enter');
  await terminal.until(/Schedules: 1[\s\S]*run the tests twice/, 'the changed prompt');
  await terminal.keys('a');
  await terminal.until(/A new schedule/, 'the form');
  await terminal.type('EACH');
  await terminal.keys('Tab', 'C-u', 'Tab');
  await terminal.type('/tmp');
  await terminal.until(/worktree/, 'the fields of a new session');
  await terminal.keys('Tab', 'Space', 'Tab', 'Tab');
  await terminal.type('night');
  await terminal.keys('Tab');
  await terminal.type('5');
  await terminal.keys('Tab', 'Tab', 'Tab');
  await terminal.type('update the dependencies');
  await terminal.until(/next +\w{3} 20/, 'its next times');
  await terminal.keys('Enter');
  await terminal.until(/EACH → a new session EACH-N each time/, 'the schedule');
  await terminal.until(/in \/tmp, own worktree, #night, 5 stay listed/, 'what it launches');
  expect(schedules.list()[1]).toMatchObject({
    session: null,
    launch: { name: 'EACH', path: '/tmp', type: 'screen', worktree: {}, tags: ['night'], keep: 5 },
  });
  schedules.remove('EACH');
  await terminal.untilGone(/EACH/, 'the deleted one');
  await terminal.keys('w');
  await terminal.until(/Webhook of NIGHTLY[\s\S]*No webhook can run this schedule/, 'that no webhook can run it');
  await terminal.keys('c');
  await terminal.until(
    /Address: http\S+\/triggers\/[\s\S]*Secret: {2}whsec_[\s\S]*does not show it again/,
    'its secret',
  );
  expect(schedules.list()).toMatchObject([{ trigger: { url: expect.stringContaining('/triggers/') } }]);
  await terminal.keys('Escape');
  await terminal.until(/NIGHTLY → CI · next .* · webhook/, 'that a webhook can run it');
  await terminal.keys('w');
  await terminal.until(/Address: http/, 'its address');
  await terminal.untilGone(/whsec_/, 'the secret');
  await terminal.keys('d');
  await terminal.until(/No webhook can run this schedule/, 'that it is removed');
  await terminal.keys('Escape');
  await terminal.until(/Schedules: 1/, 'the schedules');
  await terminal.keys('d');
  await terminal.until(/Delete the schedule NIGHTLY\? \(y\/n\)/, 'the question');
  expect(schedules.list()).toMatchObject([{ prompt: 'run the tests twice' }]);
  await terminal.keys('y');
  await terminal.until(/No schedules yet/, 'that it is gone');
  expect(schedules.list()).toEqual([]);
});
