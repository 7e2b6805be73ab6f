import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';
import { waitFor } from '../harness/wait-for.ts';

const variables = { CBOS_JSON_IDLE_TIMEOUT: '1' };

let world: ClaudeWorld;
let cbos: Cbos;
let kept: KeptConversations;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in', projects: ['other'] });
  cbos = await startCbos(world, variables);
  kept = keptConversations(world, () => cbos);
});
afterEach(() => kept.clear());
afterAll(() => world.dispose());

describe('a conversation that is gone is never replaced by an empty one without a request:', () => {
  test('a parked session is not woken, by a prompt or otherwise, and a running one is not converted', async () => {
    await kept.begin('ASLEEP', { path: join(world.dir, 'other') });
    const file = await kept.transcriptOf('ASLEEP');
    renameSync(file, `${file}.cleaned`);
    const converted = await cbos.cli(['convert', 'ASLEEP', 'json']);
    expect([converted.code, converted.stderr]).toEqual([3, expect.stringContaining('--new-conversation')]);
    expect((await cbos.session('ASLEEP')).type).toBe('screen');
    renameSync(`${file}.cleaned`, file);
    expect((await cbos.cli(['park', 'ASLEEP'])).stderr).toBe('');
    renameSync(file, `${file}.cleaned`);
    for (const args of [
      ['wake', 'ASLEEP'],
      ['send', 'ASLEEP', 'scene:hello into nothing'],
    ]) {
      const refused = await cbos.cli(args);
      expect([args, refused.code, refused.stderr]).toEqual([args, 3, expect.stringContaining('--new-conversation')]);
    }
    expect(await cbos.session('ASLEEP')).toMatchObject({ pid: null, missing_conversation: expect.any(String) });
    expect(world.promptsReceived()).not.toContain('scene:hello into nothing');
    expect((await cbos.cli(['restart', 'ASLEEP', '--new-conversation'])).stderr).toBe('');
    await kept.ask('ASLEEP', 'scene:hello again');
    expect(kept.remembers('ASLEEP')).toBe(false);
  });

  test('a lost session is not restored', async () => {
    await kept.begin('LOST', { path: join(world.dir, 'other') });
    const file = await kept.transcriptOf('LOST');
    const { screen_id: screen, pid } = await cbos.session('LOST');
    for (const one of [pid, Number(screen?.split('.')[0])]) process.kill(one ?? 0, 'SIGKILL');
    await cbos.until('LOST', ({ lost }) => lost !== undefined, 'is lost');
    renameSync(file, `${file}.cleaned`);
    const restored = await cbos.cli(['restore', '--yes']);
    expect(restored.stdout + restored.stderr).toMatch(/LOST.*conversation/);
    expect(await cbos.session('LOST')).toMatchObject({ state: 'dead' });
    renameSync(`${file}.cleaned`, file);
    await cbos.cli(['restore', '--yes']);
    await kept.ask('LOST', 'scene:hello again');
    expect(kept.remembers('LOST')).toBe(true);
  });

  test('a prompt to a JSON session is refused, and a queued one stays in the queue until it can be sent', async () => {
    await kept.begin('QUIET', { type: 'json', path: join(world.dir, 'other') });
    await kept.untilQuiet('QUIET');
    const file = await kept.transcriptOf('QUIET');
    renameSync(file, `${file}.cleaned`);
    const refused = await cbos.cli(['send', 'QUIET', 'scene:hello into nothing']);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('--new-conversation')]);
    expect(world.promptsReceived()).not.toContain('scene:hello into nothing');
    renameSync(`${file}.cleaned`, file);

    // An interrupt pauses the queue, and the process ends before somebody resumes the queue.
    await cbos.call('POST', '/sessions/QUIET/invoke', { prompt: 'scene:silent' });
    const queued = await cbos.call<Delivery>('POST', '/sessions/QUIET/send', {
      text: 'scene:hello later',
      queue: true,
    });
    expect(queued.body.status).toBe('queued');
    expect((await cbos.cli(['interrupt', 'QUIET'])).code).toBe(0);
    await kept.untilQuiet('QUIET');
    renameSync(file, `${file}.cleaned`);
    await cbos.call('POST', '/sessions/QUIET/queue/resume');
    await cbos.until('QUIET', (one) => one.missing_conversation !== undefined, 'has lost its conversation');
    await cbos.until('QUIET', (one) => one.queue_stopped_at !== null, 'has a paused queue');
    expect((await cbos.call<Delivery>('GET', `/sessions/QUIET/deliveries/${queued.body.id}`)).body.status).toBe(
      'queued',
    );
    expect(world.promptsReceived()).not.toContain('scene:hello later');

    // Another server shows why it holds the prompt, too.
    await cbos.stop();
    cbos = await startCbos(world, variables);
    await cbos.until('QUIET', (one) => one.missing_conversation !== undefined, 'still lacks its conversation');

    expect((await cbos.cli(['restart', 'QUIET', '--new-conversation'])).code).toBe(0);
    await waitFor(() => world.promptsReceived().includes('scene:hello later'), { describe: 'the held prompt arrives' });
    expect(kept.remembers('QUIET')).toBe(false);
  });

  test('a file that has come back is continued', async () => {
    await kept.begin('BACK', { type: 'json', path: join(world.dir, 'other') });
    await kept.untilQuiet('BACK');
    const file = await kept.transcriptOf('BACK');
    renameSync(file, `${file}.cleaned`);
    expect((await cbos.cli(['send', 'BACK', 'scene:hello'])).code).toBe(3);
    renameSync(`${file}.cleaned`, file);
    await kept.ask('BACK', 'scene:hello again');
    expect(kept.remembers('BACK')).toBe(true);
    expect(await cbos.session('BACK')).not.toHaveProperty('missing_conversation');
  });
});
