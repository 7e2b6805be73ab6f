import { WebSocket } from 'ws';
import { z } from 'zod';
import { parseJson } from '../../protocol/index.ts';
import { causeOf, isThisMachine, REQUEST_LIMIT_MS } from './http-request.ts';

/** How long a connection may be silent before it counts as dead. Slack sends a ping every few seconds. */
const SILENCE_MS = 60_000;
/** The maximum length of a message about a button press, which contains the whole message. */
const LONGEST_FRAME_BYTES = 1_000_000;

const Frame = z.object({
  type: z.string(),
  envelope_id: z.string().optional(),
  payload: z.unknown().optional(),
  reason: z.string().optional(),
});
/** The reason that Slack gives when it closes a connection because someone has turned off Socket Mode for the app. */
const TURNED_OFF = 'link_disabled';

/**
 * Receives what people do with an app's messages, over Slack's Socket Mode.
 * @param url the address that Slack assigned to this connection; it contains a ticket, so it is never logged
 * @param options.isLocal whether a server on this machine, which needs no TLS, plays the role of Slack
 * @returns when and why the connection closed; a null fault means that Slack asked for a new connection
 */
export function openSlackSocket(
  url: string,
  options: {
    isLocal: boolean;
    signal: AbortSignal;
    onOpen(): void;
    onInteraction(payload: unknown): Promise<void>;
  },
): Promise<{ fault: string | null }> {
  const { isLocal, signal, onOpen, onInteraction } = options;
  if (!isAllowed(url, isLocal)) return Promise.resolve({ fault: 'Slack returned an address that is not wss:' });
  return new Promise((resolve, reject) => {
    let isOpen = false;
    const socket = new WebSocket(url, { handshakeTimeout: REQUEST_LIMIT_MS, maxPayload: LONGEST_FRAME_BYTES });
    let silence: NodeJS.Timeout | undefined;
    const leave = (): void => {
      clearTimeout(silence);
      signal.removeEventListener('abort', onAbort);
      // An error on a socket that is being closed does not matter to anyone.
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      socket.terminate();
    };
    const end = (fault: string | null): void => {
      leave();
      resolve({ fault });
    };
    const onAbort = (): void => end(null);
    const heard = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => end('the server sent nothing for too long'), SILENCE_MS);
    };
    heard();
    signal.addEventListener('abort', onAbort);
    socket.on('error', (error) => end(causeOf(error).message));
    socket.on('close', () => end('the server closed the connection'));
    socket.on('ping', heard);
    socket.on('message', (data) => {
      heard();
      const { data: frame } = Frame.safeParse(parseJson(String(data)));
      if (frame === undefined) return;
      // Slack shows the user an error if this takes three seconds, so the acknowledgement is sent before the question
      // is answered.
      if (frame.envelope_id !== undefined) socket.send(JSON.stringify({ envelope_id: frame.envelope_id }));
      switch (frame.type) {
        case 'hello':
          isOpen = true;
          return onOpen();
        case 'disconnect':
          if (frame.reason === TURNED_OFF) return end('Socket Mode is turned off for the app');
          return end(isOpen ? null : 'the server closed the connection');
        case 'interactive':
          return void onInteraction(frame.payload).catch((cause: unknown) => {
            leave();
            reject(cause);
          });
        default:
      }
    });
    if (signal.aborted) onAbort();
  });
}

function isAllowed(address: string, isLocal: boolean): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return url.protocol === 'wss:' || (isLocal && url.protocol === 'ws:' && isThisMachine(url));
}
