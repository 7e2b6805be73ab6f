import type { FacesUnderTest } from './faces.ts';
import { startWebhook } from './webhook-server.ts';

const SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;

/** Adds a sink without a receiver. */
export function addDeafSink({ sinks }: Pick<FacesUnderTest, 'sinks'>, name: string): void {
  sinks.add({ name, kind: 'webhook', url: 'http://127.0.0.1:1/', secret: SECRET });
}

/** Adds a sink with a receiver. @returns its name */
export async function addHearingSink({ sinks, world }: FacesUnderTest): Promise<string> {
  const receiver = await startWebhook({ secret: SECRET });
  world.onDispose(async () => receiver[Symbol.asyncDispose]());
  sinks.add({ name: 'TRIED', kind: 'webhook', url: receiver.url, secret: SECRET });
  return 'TRIED';
}
