import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { startForeign } from '../harness/foreign-screen.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let claudePid: number;
let slug = '';
let sessions = 0;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

/** The placeholder that Claude Code shows for a large paste. */
const PLACEHOLDER = /\[Pasted text #\d+/;

/** Takes a new name for each attempt, because a second attempt would find the session and the texts of the first. */
const newSlug = (): void => {
  sessions += 1;
  slug = `CRASH-${sessions}`;
};
const send = (body: object) => cbos.call<Delivery>('POST', `/sessions/${slug}/send`, body);
const prompts = (mark: string): string[] =>
  world.promptsReceived().filter((prompt) => prompt.includes(`${slug} ${mark}`));

/**
 * Kills the server as soon as the typed text is in the prompt, before Enter. With texts as long as these, the server
 * waits before it presses Enter.
 */
async function killWhenShown(shown: RegExp, body: { text: string }): Promise<void> {
  const sending = send(body).catch(() => null);
  await waitFor(async () => shown.test((await cbos.session(slug)).buffer_tail ?? ''), {
    describe: 'it is shown',
    isBrief: true,
  });
  await cbos.stop('SIGKILL');
  expect(phaseOf(body.text)).toBe('typing');
  await sending;
}

/** Kills the server as soon as it has saved that a text reached this phase. */
async function killWhen(phase: 'typing' | 'entering', body: { text: string }): Promise<void> {
  const sending = send(body).catch(() => null);
  await waitFor(() => phaseOf(body.text) === phase, {
    describe: `${body.text} has got to ${phase}`,
    actual: () => phaseOf(body.text),
    isBrief: true,
  });
  await cbos.stop('SIGKILL');
  await sending;
}

function phaseOf(text: string): string | null {
  const database = new DatabaseSync(join(world.cbosHome, 'cbos.db'), { readOnly: true });
  try {
    const row = database.prepare('SELECT phase FROM deliveries WHERE text = ?').get(text);
    return (row as { phase: string } | undefined)?.phase ?? null;
  } finally {
    database.close();
  }
}

async function restart(): Promise<void> {
  cbos = await startCbos(world);
}

function untilTold(body: object, status: Delivery['status']): Promise<Delivery> {
  let last: Delivery | null = null;
  return waitFor(
    async () => {
      last = (await send(body)).body;
      return last.status === status ? last : null;
    },
    { describe: `a client that asks again is informed: ${status}`, actual: () => last },
  );
}

test('a text that a killed server left in the prompt of an adopted session, which no hook reports: it is removed, and reported as not arrived', async () => {
  newSlug();
  await startForeign(world, slug);
  await waitFor(async () => (await cbos.call('GET', `/sessions/${slug}`)).status === 200, { describe: 'it is listed' });
  expect((await cbos.call('POST', '/sessions/adopt', { screen_id: slug })).error).toBeNull();
  await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is idle');
  await killWhenShown(/words over words/, {
    text: `scene:hello ${slug} standing ${'words over words '.repeat(1_500)}end`,
  });
  await restart();
  const told = async () => (await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body[0];
  await waitFor(async () => (await told())?.status === 'failed', { describe: 'it has failed', actual: told });
  await untilTold({ text: `scene:hello ${slug} after it`, idempotency_key: 'after' }, 'delivered');
  await cbos.until(slug, ({ status }) => status.detail === 'waiting_input', 'has answered');
  expect(prompts('standing')).toEqual([]);
});

describe('a server that is killed while it sends a text', () => {
  beforeEach(async () => {
    newSlug();
    await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
    claudePid = (await cbos.untilStatus(slug, 'idle/ready')).pid ?? 0;
  });

  test('before Enter: the text with a key is sent once, and the same key reports it', async () => {
    const body = { text: `scene:hello ${slug} typed`, idempotency_key: 'typed' };
    await killWhen('typing', body);
    await restart();
    await untilTold(body, 'delivered');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts('typed')).toEqual([`scene:hello ${slug} typed`]);
  });

  test('as it presses Enter: the text is sent once, whether Claude Code took it or not', async () => {
    const body = { text: `scene:hello ${slug} entered`, idempotency_key: 'entered' };
    await killWhen('entering', body);
    await restart();
    await untilTold(body, 'delivered');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts('entered')).toEqual([`scene:hello ${slug} entered`]);
  });

  test('before Enter, with nobody who can ask for it again: it has failed, reports it, and does not block the next text', async () => {
    await killWhen('typing', { text: `scene:hello ${slug} keyless` });
    await restart();
    const failed = (await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body[0];
    expect(failed).toMatchObject({ status: 'failed', note: expect.stringContaining('Send it again') });
    await untilTold({ text: `scene:hello ${slug} once more`, idempotency_key: 'more' }, 'delivered');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts('keyless')).toEqual([]);
    expect(prompts('once more')).toEqual([`scene:hello ${slug} once more`]);
  });

  test('before Enter, of a text that fills the window: it is sent once', async () => {
    const text = `scene:hello ${slug} filling ${'words over words '.repeat(500)}end`;
    const body = { text, idempotency_key: 'filling' };
    await killWhen('typing', body);
    await restart();
    await untilTold(body, 'delivered');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts('filling')).toEqual([text]);
  });

  test('before Enter, of a text that is in the prompt as a placeholder: it is sent once', async () => {
    const text = `scene:hello ${slug} huge ${'words over words '.repeat(3_500)}end`;
    const body = { text, idempotency_key: 'huge' };
    await killWhenShown(PLACEHOLDER, body);
    await restart();
    await untilTold(body, 'delivered');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts('huge')).toHaveLength(1);
  });

  test('before Enter, while it types a text that nobody can ask for again: the text is removed from the prompt, and does not block the next text', async () => {
    await killWhenShown(PLACEHOLDER, { text: `scene:hello ${slug} heavy ${'words over words '.repeat(3_500)}end` });
    await restart();
    await untilTold({ text: `scene:hello ${slug} light`, idempotency_key: 'light' }, 'delivered');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts('heavy')).toEqual([]);
  });

  test('before Enter, and the session ends with it: the text has failed, and the same key reports it', async () => {
    const body = { text: `scene:hello ${slug} lost`, idempotency_key: 'lost' };
    await killWhen('typing', body);
    process.kill(claudePid, 'SIGKILL');
    await restart();
    expect(await untilTold(body, 'failed')).toMatchObject({ note: expect.stringContaining('did not arrive') });
    expect(prompts('lost')).toEqual([]);
  });
});

test.each(['screen', 'json'])(
  'a server that is killed right after it has started the process of a %s session: the next one finds that process',
  async (type) => {
    newSlug();
    await cbos.call('POST', '/sessions', { slug, type, path: world.projectDir });
    await cbos.untilStatus(slug, 'idle/ready');
    await send({ text: `scene:hello ${slug} one` });
    const before = await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(before.pid).toEqual(expect.any(Number));
    await cbos.stop('SIGKILL');
    forgetProcesses(slug);
    await restart();
    await cbos.until(slug, ({ pid }) => pid === before.pid, 'has its process');
    expect((await cbos.session(slug)).screen_id).toBe(before.screen_id);
    await send({ text: `scene:hello ${slug} two` });
    await cbos.until(slug, ({ pid }) => pid === before.pid, 'still has it');
    await waitFor(() => prompts('two').length === 1, { describe: 'the next prompt has arrived' });
  },
);

/** Removes from the database what a server saves only once it has started the processes of a session. */
function forgetProcesses(name: string): void {
  const database = new DatabaseSync(join(world.cbosHome, 'cbos.db'));
  try {
    database
      .prepare(
        'UPDATE sessions SET screen_id = NULL, daemon_pid = NULL, daemon_start = NULL, agent_pid = NULL, agent_start = NULL WHERE slug = ?',
      )
      .run(name);
  } finally {
    database.close();
  }
}

test('the files from which a killed server typed are removed, but not those of another process', async () => {
  const run = join(world.cbosHome, 'run');
  await cbos.stop('SIGKILL');
  const dead = spawnSync('/bin/true').pid;
  const left = [`keys-${dead}-1`, `ack-${dead}-2`];
  const used = `keys-${process.pid}-1`;
  for (const name of [...left, used]) writeFileSync(join(run, name), 'a text', { mode: 0o600 });
  await restart();
  expect(readdirSync(run).filter((name) => /^(keys|ack)-/.test(name))).toEqual([used]);
  rmSync(join(run, used));
});
