import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '../../protocol/index.ts';
import { type ChooseScene, chooseByName, chooseScene, replyFor } from '../scenes/choose.ts';
import type { Block, Reply } from '../scenes/scene.ts';
import { type MessageHead, streamEvents, wholeMessage } from './events.ts';
import { fillPlaceholders } from './placeholders.ts';
import { isSideCall, MessagesRequest, readTurn } from './request.ts';

/** What the stand-in has done, in order. `request` is the number of the request, counted from 1. */
export type ApiEvent =
  /** `scene` is null for a side call, such as for a title or a summary, which does not play a scene */
  | { kind: 'request'; request: number; scene: string | null; step: number; prompt: string; body: MessagesRequest }
  | { kind: 'first-byte'; request: number }
  /** the stand-in begins to send a block of thinking or of the answer's text */
  | { kind: 'thinking' | 'text'; request: number }
  | { kind: 'tool'; request: number; name: string; input: unknown }
  | { kind: 'end'; request: number }
  /** the stand-in responded with an error, as the scene specifies */
  | { kind: 'failed'; request: number; status: number }
  /** Claude Code closed the connection before the answer was complete */
  | { kind: 'aborted'; request: number };

export interface MessagesApiOptions {
  /** the port to listen on; 0, or omitted, for any free port */
  port?: number;
  /** the host to listen on; only loopback addresses are accepted */
  host?: string;
  /**
   * asked in order for a scene; if none of them chooses one, the prompt may name a scene (`scene:ask`), and otherwise
   * gets a short answer
   */
  choosers?: readonly ChooseScene[];
  /** the factor by which all delays are multiplied, 1 by default; or the factors of some scenes, by their names */
  pace?: number | Readonly<Record<string, number>>;
  /** called synchronously for everything that the stand-in does */
  onEvent?: (event: ApiEvent) => void;
}

export interface MessagesApi {
  /** for ANTHROPIC_BASE_URL */
  url: string;
  port: number;
  /** closes the server, including connections on which an answer is still being sent */
  close(): Promise<void>;
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '::1', 'localhost'];

/**
 * The maximum size of a request, in bytes. A request contains the whole conversation and the descriptions of all tools,
 * and is usually about 200 kB in size.
 */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

const SIDE_CALL_TEXT = 'Work on the project';

/**
 * Starts a stand-in for the Messages API. It answers a real Claude Code from scenes instead of a model, without a real
 * key and at no cost. The only thing it remembers is how often each request was sent. It derives everything else from
 * the request.
 * @throws Error if the host is not a loopback address, because clients elsewhere could mistake the stand-in for the
 * real service
 */
export async function startMessagesApi(options: MessagesApiOptions = {}): Promise<MessagesApi> {
  const host = options.host ?? '127.0.0.1';
  if (!LOOPBACK.includes(host)) throw new Error(`the stand-in listens on loopback only, not on ${host}`);
  const answerer = createAnswerer(options);
  const server = createServer((request, response) => {
    handle(request, response, answerer).catch((error: unknown) => {
      if (response.destroyed) return;
      sendError(response, { status: 500, type: 'api_error', message: String(error) });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host === '::1' ? '[::1]' : host}:${port}`,
    port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

type Answer = (body: MessagesRequest, response: ServerResponse) => Promise<void>;

async function handle(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://stand-in').pathname;
  if (request.method !== 'POST') {
    // Claude Code checks whether the service is reachable (HEAD /), and sends other requests whose answers do not
    // matter here.
    sendJson(response, 200, {});
    return;
  }
  const text = await readBody(request);
  if (path.endsWith('/v1/messages/count_tokens')) {
    sendJson(response, 200, { input_tokens: Math.ceil(text.length / 4) });
    return;
  }
  if (!path.endsWith('/v1/messages')) {
    sendError(response, { status: 404, type: 'not_found_error', message: `no such address: ${path}` });
    return;
  }
  const body = MessagesRequest.safeParse(parseJson(text));
  if (!body.success) {
    sendError(response, { status: 400, type: 'invalid_request_error', message: body.error.message });
    return;
  }
  await answer(body.data, response);
}

function createAnswerer(options: MessagesApiOptions): Answer {
  const emit = options.onEvent ?? (() => undefined);
  const paceOf = (scene: string): number =>
    (typeof options.pace === 'object' ? options.pace[scene] : options.pace) ?? 1;
  const choosers = [...(options.choosers ?? []), chooseByName];
  const attempts = new Map<string, number>();
  let count = 0;

  return async (body, response) => {
    count += 1;
    const request = count;
    const turn = readTurn(body.messages);
    const scene = isSideCall(body) ? null : chooseScene(turn.prompt, choosers);
    const pace = paceOf(scene?.name ?? '');
    const key = JSON.stringify([body.metadata?.user_id, turn.prompts.length, turn.prompt, turn.step]);
    const attempt = attempts.get(key) ?? 0;
    const reply: Reply = scene === null ? sideReply() : replyFor(scene, turn.step, attempt);
    if (scene !== null) attempts.set(key, attempt + 1);
    emit({ kind: 'request', request, scene: scene?.name ?? null, step: turn.step, prompt: turn.prompt, body });

    if (reply.kind === 'error') {
      for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
      sendError(response, reply);
      emit({ kind: 'failed', request, status: reply.status });
      return;
    }
    const blocks = fillPlaceholders(reply.blocks, body);
    const head: MessageHead = {
      id: `msg_${String(request).padStart(8, '0')}`,
      model: body.model,
      inputTokens: Math.ceil(JSON.stringify(body.messages).length / 4),
    };
    const hangUp = new AbortController();
    response.once('close', () => hangUp.abort());
    try {
      await pause((reply.firstByteDelayMs ?? 0) * pace, hangUp.signal);
      emit({ kind: 'first-byte', request });
      for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
      const onBlock = (kind: Block['kind']): void => {
        if (kind !== 'tool') emit({ kind, request });
      };
      if (body.stream) await stream(response, { head, blocks, pace, signal: hangUp.signal, onBlock });
      else sendJson(response, 200, wholeMessage(head, blocks));
    } catch (error) {
      if (!hangUp.signal.aborted) throw error;
      emit({ kind: 'aborted', request });
      return;
    }
    for (const block of blocks) {
      if (block.kind === 'tool') emit({ kind: 'tool', request, name: block.name, input: block.input });
    }
    emit({ kind: 'end', request });
  };
}

/**
 * Answers a request for a title or a summary. Claude Code accepts any short text, and ignores text that it cannot use.
 */
function sideReply(): Reply {
  return { kind: 'answer', blocks: [{ kind: 'text', text: SIDE_CALL_TEXT, chunkDelayMs: 0 }] };
}

/** @throws AbortError if the client disconnects before the answer is complete */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms > 0) await delay(ms, undefined, { signal });
}

interface StreamedAnswer {
  head: MessageHead;
  blocks: readonly Block[];
  pace: number;
  signal: AbortSignal;
  /** called at the beginning of each block */
  onBlock(kind: Block['kind']): void;
}

async function stream(response: ServerResponse, answer: StreamedAnswer): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { delayMs, event } of streamEvents(answer.head, answer.blocks)) {
    await pause(delayMs * answer.pace, answer.signal);
    const begun = event.type === 'content_block_start' ? answer.blocks[event.index as number] : undefined;
    if (begun !== undefined) answer.onBlock(begun.kind);
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function sendError(response: ServerResponse, error: { status: number; type: string; message: string }): void {
  sendJson(response, error.status, { type: 'error', error: { type: error.type, message: error.message } });
}
