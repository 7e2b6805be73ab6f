import { createServer, type Server } from 'node:net';
import { fromPublic, fromSeed } from '@nats-io/nkeys';
import { expect, test, vi } from 'vitest';
import {
  createKey,
  isSignedBy,
  openNatsLink,
  openSharedLink,
  publicKeyOf,
  sign,
} from '../../../src/platform/nats/index.ts';
import { signLink } from '../../../src/platform/nats/signed-link.ts';

/** The first message of a NATS server, in clear text. */
const INFO = { server_id: 'X', version: '2.9.10', proto: 1, headers: true, max_payload: 1_000_000, nonce: 'abcdefgh' };

/** A man in the middle that can do everything except prove its identity. */
async function impostor(info: object): Promise<{ server: Server; port: number; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => void heard.push(data.toString('latin1')));
    socket.write(`INFO ${JSON.stringify({ ...INFO, ...info })}\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0, heard };
}

test.each([
  ['no TLS at all', {}],
  ['optional TLS, as a number', { tls_available: 1 }],
  ['optional TLS, as a word', { tls_available: 'yes' }],
])('nothing is signed for a server that does not prove its identity: %s', async (_, info) => {
  const { server, port, heard } = await impostor(info);
  try {
    const login = { host: '127.0.0.1', port, authority: '', ...createKey() };
    await expect(openNatsLink(login)).rejects.toThrow();
    const { id, seed } = createKey();
    const shared = { servers: [`127.0.0.1:${port}`], isTls: true, authority: null, credentials: createKey().seed };
    await expect(openSharedLink({ server: shared, id, seed, founder: id })).rejects.toMatchObject({
      ...{ code: 'nats_untrusted', message: expect.stringContaining('does not use TLS') },
    });
    expect(heard.join('')).not.toContain('CONNECT');
  } finally {
    server.close();
  }
});

test('a key signs, and only its own signature of the same text is valid', () => {
  const [one, other] = [createKey(), createKey()];
  const signature = sign(one.seed, 'text');
  expect(publicKeyOf(one.seed)).toBe(one.id);
  expect(publicKeyOf('no seed')).toBeNull();
  expect(isSignedBy(one.id, 'text', signature)).toBe(true);
  expect(isSignedBy(one.id, 'texts', signature)).toBe(false);
  expect(isSignedBy(other.id, 'text', signature)).toBe(false);
  expect(isSignedBy('nobody', 'text', signature)).toBe(false);
});

test("Node's signatures are those of the NATS library", () => {
  for (let count = 0; count < 4; count++) {
    const { id, seed } = createKey();
    const text = Buffer.from(`text ${count}`);
    const theirs = Buffer.from(fromSeed(Buffer.from(seed)).sign(text)).toString('base64url');
    expect(sign(seed, `text ${count}`)).toBe(theirs);
    expect(isSignedBy(id, `text ${count}`, theirs)).toBe(true);
    expect(fromPublic(id).verify(text, Buffer.from(theirs, 'base64url'))).toBe(true);
    // One wrong letter makes a key invalid, even though the 32 bytes of another key remain.
    const wrong = `${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}`;
    expect(isSignedBy(wrong, `text ${count}`, theirs)).toBe(false);
  }
});

test('requests add nothing to a connection that stays open, and end with the connection', async () => {
  let close = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const listening = vi.spyOn(closed, 'then');
  const ignore = async (): Promise<void> => undefined;
  const bare = { subscribe: ignore, publish: () => true, flush: ignore, closed, close: ignore };
  const signers = { ofMessage: () => null, ofAnswer: () => null };
  const link = signLink(bare, createKey(), signers, '_INBOX.x');
  const asked = Array.from({ length: 10 }, () => link.request('cbos.ask.a.b', 'text', 60_000));
  expect(listening).toHaveBeenCalledTimes(1);
  close();
  expect(await Promise.all(asked)).toEqual(asked.map(() => ({ kind: 'silent' })));
});
