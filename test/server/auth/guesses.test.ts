import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createGuesses } from '../../../src/server/auth/guesses.ts';
import { call, startFaces, TOKEN } from '../../harness/faces.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

const OWN = 1000;
const SOMEBODY = 1001;
const clock = new ManualClock();
const guessesBy = (user: number | null) =>
  createGuesses({ accepts: (token) => token === 'right', clock, ownUser: OWN, userOf: () => user });

/** Returns whether the guess was accepted, or the code of the error. */
function tried(work: () => boolean): unknown {
  try {
    return work();
  } catch (error) {
    return (error as { code: unknown }).code;
  }
}

/** Returns the addresses of a request's socket. */
const at = (remoteAddress: string) => ({ remoteAddress, remotePort: 40_000, localPort: 32_205 });

const guess20 = (guesses: ReturnType<typeof guessesBy>, remoteAddress: string): void => {
  for (let guess = 0; guess < 20; guess += 1) expect(guesses.accepts('wrong', at(remoteAddress))).toBe(false);
};

describe('after twenty wrong tokens within a minute', () => {
  test('an address is ignored until the minute is over, whatever it sends; other addresses are not', () => {
    const guesses = guessesBy(null);
    guess20(guesses, '192.0.2.1');
    expect(tried(() => guesses.accepts('right', at('192.0.2.1')))).toBe('too_many_attempts');
    expect(guesses.accepts('right', at('192.0.2.2'))).toBe(true);
    clock.advance(60_000);
    expect(guesses.accepts('right', at('192.0.2.1'))).toBe(true);
  });

  test("another user of this machine is not either, but a process of the server's own user is", () => {
    for (const remoteAddress of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      const theirs = guessesBy(SOMEBODY);
      guess20(theirs, remoteAddress);
      expect(tried(() => theirs.accepts('right', at(remoteAddress)))).toBe('too_many_attempts');
      const own = guessesBy(OWN);
      guess20(own, remoteAddress);
      expect(tried(() => own.accepts('wrong', at(remoteAddress)))).toBe('too_many_attempts');
      expect(own.accepts('right', at(remoteAddress))).toBe(true);
    }
  });

  test('a network of IPv6 counts as one address', () => {
    const guesses = guessesBy(null);
    guess20(guesses, '2001:db8:0:1::5');
    for (const [remoteAddress, expected] of [
      ['2001:db8:0:1:a:b:c:d', 'too_many_attempts'],
      ['2001:db8:0:2::5', true],
    ] as const) {
      expect(tried(() => guesses.accepts('right', at(remoteAddress)))).toBe(expected);
    }
  });

  test('thousands of addresses of one attacker are counted together', () => {
    const guesses = guessesBy(null);
    for (let host = 0; host < 1_020; host += 1) {
      guesses.accepts('wrong', at(`192.0.${host >> 8}.${host & 255}`));
    }
    expect(tried(() => guesses.accepts('right', at('203.0.113.9')))).toBe('too_many_attempts');
  });
});

/** Makes requests one after the other, as another user of this machine. @returns their statuses */
async function askAs(uid: number, port: number, tokens: readonly string[]): Promise<number[]> {
  const script = `(async () => { for (const token of ${JSON.stringify(tokens)})
    console.log((await fetch('http://127.0.0.1:${port}/sessions', { headers: { authorization: 'Bearer ' + token } })).status) })()`;
  const child = spawn(process.execPath, ['-e', script], {
    uid,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, 'close');
  return text.trim().split('\n').map(Number);
}

test('over real connections: twenty wrong tokens get 429, on the form as well, and the right one still works', async () => {
  await using server = await startFaces();
  const wrong = (token: string) => server.call('/sessions', { token });
  for (let guess = 0; guess < 20; guess += 1) expect((await wrong(`wrong-${guess}`)).status).toBe(401);
  expect((await wrong('wrong')).code()).toBe('too_many_attempts');
  expect((await call({ port: server.port }, '/sign-in', { token: null, body: { token: 'wrong' } })).status).toBe(429);
  await expect(server.connectStream({ token: 'wrong' })).rejects.toThrow(/429/);
  expect((await server.call('/sessions')).status).toBe(200);
  expect((await call({ port: server.port }, '/sign-in', { token: null, body: { token: TOKEN } })).status).toBe(200);
});

const { getuid } = process;
test.skipIf(getuid === undefined || getuid() !== 0)(
  'another user of the machine cannot continue to guess, and locks nobody out',
  async () => {
    await using server = await startFaces();
    const statuses = await askAs(65_534, server.port, [...Array<string>(20).fill('wrong'), 'wrong', TOKEN]);
    expect(statuses).toEqual([...Array<number>(20).fill(401), 429, 429]);
    expect((await server.call('/sessions')).status).toBe(200);
  },
);
