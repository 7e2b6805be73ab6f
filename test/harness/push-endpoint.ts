import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { PushSubscription } from '../../src/protocol/index.ts';

/** A push service on this machine, and the browser behind it that can read its messages. */
export interface PushEndpoint {
  subscription: PushSubscription;
  /** the messages that were received, in order */
  received: { headers: IncomingHttpHeaders; body: Buffer }[];
  /** sets the status of the next responses, which is 201 at first */
  answerWith(status: number): void;
  /** the message as decrypted by the browser (RFC 8291, aes128gcm) */
  decrypt(body: Buffer): unknown;
  close(): Promise<void>;
}

export async function startPushEndpoint(): Promise<PushEndpoint> {
  const browser = createECDH('prime256v1');
  const browserKey = browser.generateKeys();
  const auth = randomBytes(16);
  const received: PushEndpoint['received'] = [];
  let status = 201;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    subscription: {
      endpoint: `http://127.0.0.1:${port}/push/secret-of-the-browser`,
      keys: { p256dh: browserKey.toString('base64url'), auth: auth.toString('base64url') },
    },
    received,
    answerWith: (next) => {
      status = next;
    },
    decrypt: (body) => {
      const salt = body.subarray(0, 16);
      const serverKey = body.subarray(21, 21 + body.readUInt8(20));
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), browserKey, serverKey]);
      const shared = Buffer.from(hkdfSync('sha256', browser.computeSecret(serverKey), auth, info, 32));
      const derive = (label: string, length: number) =>
        Buffer.from(hkdfSync('sha256', shared, salt, `Content-Encoding: ${label}\0`, length));
      const sealed = body.subarray(21 + serverKey.length);
      const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
      decipher.setAuthTag(sealed.subarray(-16));
      const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
      return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString());
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Returns the claims in a VAPID header that its key signed; throws otherwise. */
export function readVapid(header: string | undefined): {
  key: string;
  claims: { aud: string; sub: string; exp: number };
} {
  const { token = '', key = '' } = /^vapid t=(?<token>[^,]+), k=(?<key>.+)$/.exec(header ?? '')?.groups ?? {};
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), options, Buffer.from(signature, 'base64url'))) {
    throw new Error('the signature is not of this key');
  }
  return { key, claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) };
}
