import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

/**
 * Runs a command in its own user namespace, in which no directory can be watched. Without watches, `inotify_add_watch`
 * fails with ENOSPC. Without instances, `inotify_init` fails with EMFILE.
 */
const without = (what: string): string[] => [
  'unshare',
  '--user',
  '--map-root-user',
  'sh',
  '-c',
  `echo 0 > /proc/sys/user/max_inotify_${what} && exec "$@"`,
  'sh',
];
const [command = '', ...args] = without('watches');
const isPossible = spawnSync(command, [...args, 'true']).status === 0;
const reason = isPossible ? '' : ' (skipped: no user namespace may be made here)';

test.skipIf(!isPossible).each(['watches', 'instances'])(
  `if the limit of inotify %s is reached, hooks, screens and recordings are still noticed soon${reason}`,
  async (what) => {
    await using world = await claudeWorld();
    // Screen cannot change the owner of a terminal in such a namespace, so the session is launched before.
    const seeing = await startCbos(world);
    const created = await seeing.call('POST', '/sessions', { slug: 'BLIND', type: 'screen', path: world.projectDir });
    expect(created.error).toBeNull();
    await seeing.untilStatus('BLIND', 'idle/ready');
    await seeing.stop();
    const cbos = await startCbos(world, {}, without(what));
    const log = readFileSync(join(world.cbosHome, 'server.log'), 'utf8');
    expect(log.split(`fs.inotify.max_user_${what} is reached`)).toHaveLength(2);
    expect(log).toContain(`sudo sysctl fs.inotify.max_user_${what}=`);
    const watcher = await cbos.watch();
    watcher.send({ type: 'subscribe', sessions: ['*'] });
    const sent = await cbos.call('POST', '/sessions/BLIND/send', { text: 'scene:hello please' });
    expect(sent.body).toMatchObject({ status: 'delivered' });
    const done = await cbos.untilStatus('BLIND', 'idle/waiting_input');
    expect(done.status.because.source).toBe('hook');
    const output = (): string =>
      watcher.frames.flatMap((frame) => (frame.type === 'stream' ? [frame.data] : [])).join('');
    await waitFor(() => output().includes('please'), { describe: 'its output is streamed' });
    await cbos.call('DELETE', '/sessions/BLIND');
  },
);
