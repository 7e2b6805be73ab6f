import pty from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openQuestions, type Question, type Session } from '../../src/protocol/index.ts';
import {
  answersOf,
  askingArguments,
  askingScene,
  CHOICE,
  FORM,
  formOf,
  untilConnected,
} from '../harness/asking-server.ts';
import { type Cbos, PROGRAM, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';

const SERVERS = ['asking', 'other'];
const scene = askingScene('both', { ask: CHOICE }, { ask: FORM, server: 'other' });

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [(prompt) => (prompt.includes('scene:both') ? scene : null)] });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

async function start(slug: string, type: string): Promise<void> {
  const body = { slug, path: world.projectDir, type, args: askingArguments(world, SERVERS) };
  expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
  await cbos.untilStatus(slug, 'idle/ready');
  await untilConnected(world, cbos, slug, SERVERS);
}

async function ask(slug: string): Promise<Session> {
  const sent = await cbos.cli(['send', slug, 'scene:both']);
  expect(sent.code, sent.stderr).toBe(0);
  return cbos.until(slug, ({ status }) => openQuestions(status).length === 2, 'asks both');
}

const formFrom = ({ status }: Session, server: string): Question | undefined =>
  openQuestions(status).find(({ asker }) => asker?.name === server);

describe.each(['json', 'screen'])('two MCP servers that ask at the same time in a %s session', (type) => {
  const slug = `BOTH-${type}`;

  test('are open questions with their own askers, and each gets the answer that names its question', async () => {
    await start(slug, type);
    const before = answersOf(world).length;
    const asking = await ask(slug);
    const [first, second] = SERVERS.map((server) => formFrom(asking, server)) as [Question, Question];
    expect(first).toMatchObject({ text: 'Deploy it?', asker: { kind: 'mcp_server' }, form: { server: 'asking' } });
    expect(second).toMatchObject({ text: 'Where should it go?', asker: { kind: 'mcp_server' } });

    const later = ['answer', slug, '--question', second.id as string];
    const given = await cbos.cli([...later, '--set', 'environment=staging']);
    expect(given.code, given.stderr).toBe(0);
    const left = await cbos.until(slug, ({ status }) => openQuestions(status).length === 1, 'asks one');
    expect(left.status).toMatchObject({ primary: 'waiting', question: { id: first.id } });
    expect((await cbos.cli([...later, '--set', 'environment=staging'])).stderr).toContain(
      'Another question is open now',
    );

    const earlier = await cbos.cli(['answer', slug, '--question', first.id as string, '1']);
    expect(earlier.code, earlier.stderr).toBe(0);
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(answersOf(world).slice(before)).toMatchObject([
      { server: 'other', action: 'accept', content: { environment: 'staging' } },
      { server: 'asking', action: 'accept', content: { ok: true } },
    ]);
  });
});

test('a person at the terminal gets the forms of two servers one after the other, and an answer closes only one', async () => {
  const slug = 'BOTH-screen';
  const before = answersOf(world).length;
  await ask(slug);
  const person = pty.spawn(process.execPath, [PROGRAM, 'attach', slug], { cols: 160, rows: 45, env: world.env });
  try {
    const isAlone = (one: Session): boolean =>
      openQuestions(one.status).length === 1 && formOf(one)?.form?.at_terminal === true;
    const isBefore = ({ status: { questions } }: Session): boolean => questions?.[1]?.behind === true;
    const both = await cbos.until(slug, isBefore, 'shows the first dialog');
    const first = formOf(both) as Question;
    expect((await cbos.cli(['answer', slug, 'no'])).code).toBe(0);
    const isNext = (one: Session): boolean => isAlone(one) && formOf(one)?.id !== first.id;
    const second = formOf(await cbos.until(slug, isNext, 'shows the second dialog')) as Question;
    expect(openQuestions(both.status).map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(new Set([first, second].map(({ asker }) => asker?.name))).toEqual(new Set(SERVERS));
    expect(answersOf(world).slice(before)).toEqual([{ server: first.asker?.name, action: 'cancel' }]);
    const stale = await cbos.cli(['answer', slug, 'no', '--question', first.id as string]);
    expect(stale.stderr).toContain('Another question is open now');
    expect((await cbos.cli(['answer', slug, 'no'])).code).toBe(0);
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(answersOf(world).slice(before + 1)).toEqual([{ server: second.asker?.name, action: 'cancel' }]);
  } finally {
    person.kill();
  }
});
