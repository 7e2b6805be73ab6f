import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Message, promptOf, readTurn } from '../../src/demo/messages-api/request.ts';
import { type ApiEvent, type MessagesApi, startMessagesApi } from '../../src/demo/messages-api/server.ts';
import { SCENE_NAMES } from '../../src/demo/scenes/catalogue.ts';
import { waitFor } from '../harness/wait-for.ts';

let api: MessagesApi;
let events: ApiEvent[];

beforeEach(async () => {
  events = [];
  api = await startMessagesApi({ pace: 0, onEvent: (event) => events.push(event) });
});

afterEach(() => api.close());

const TOOLS = [{ name: 'Bash' }];
const user = (content: Message['content']): Message => ({ role: 'user', content });
const assistant = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const result = (id: string) => user([{ type: 'tool_result', tool_use_id: id, content: 'done' }]);

function post(messages: unknown[], fields: Record<string, unknown> = {}): Promise<Response> {
  return fetch(`${api.url}/v1/messages?beta=true`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', tools: TOOLS, messages, ...fields }),
  });
}

interface Answer {
  content: { type: string; text?: string; name?: string; input?: unknown }[];
  stop_reason: string;
}

const answerTo = async (messages: unknown[], fields: Record<string, unknown> = {}): Promise<Answer> =>
  (await (await post(messages, fields)).json()) as Answer;

/** Joins the data of a stream's events, as a client does. */
async function streamed(messages: unknown[]): Promise<{ types: string[]; text: string; input: string }> {
  const body = await (await post(messages, { stream: true })).text();
  const data = [...body.matchAll(/^data: (.*)$/gm)].map(
    (match) => JSON.parse(match[1] ?? '') as { type: string; delta?: { text?: string; partial_json?: string } },
  );
  return {
    types: data.map((one) => one.type),
    text: data.map((one) => one.delta?.text ?? '').join(''),
    input: data.map((one) => one.delta?.partial_json ?? '').join(''),
  };
}

describe('the stand-in of the Messages API', () => {
  test('streams an answer in the order of the real service', async () => {
    const { types, text } = await streamed([user('scene:hello')]);
    expect(types[0]).toBe('message_start');
    expect(types[1]).toBe('content_block_start');
    expect(types.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop']);
    expect(text).toBe('Hello! I am ready when you are.');
  });

  test('reports when reasoning begins, and when the answer in words does', async () => {
    await streamed([user('scene:think please')]);
    expect(events.map((event) => event.kind)).toEqual(['request', 'first-byte', 'thinking', 'text', 'end']);
  });

  test('streams the input of a tool as pieces of JSON', async () => {
    const { types, input } = await streamed([user('scene:permission')]);
    expect(types.filter((type) => type === 'content_block_start')).toHaveLength(2);
    expect(JSON.parse(input)).toMatchObject({ command: 'touch ../marker.txt' });
  });

  test('answers in one piece if no stream is requested', async () => {
    expect(await answerTo([user('scene:tools')])).toMatchObject({
      content: [{ type: 'text' }, { type: 'tool_use', name: 'Bash', input: { command: './check.sh' } }],
      stop_reason: 'tool_use',
    });
  });

  test('follows each conversation by its own messages, many at once and in any order', async () => {
    const first = [user('go on with scene:permission-twice')];
    const second = [...first, assistant('…'), result('1')];
    const third = [...second, assistant('…'), result('2')];
    const command = ({ content }: Answer): unknown => content.find((block) => block.type === 'tool_use')?.input;
    const [c, a, b, other] = await Promise.all(
      [third, first, second, [user('scene:hello')]].map((one) => answerTo(one)),
    );
    expect(a && command(a)).toMatchObject({ command: 'touch ../first.txt' });
    expect(b && command(b)).toMatchObject({ command: 'touch ../second.txt' });
    expect(c).toMatchObject({ stop_reason: 'end_turn', content: [{ text: 'Both files are there.' }] });
    expect(other?.content[0]?.text).toContain('ready');
  });

  test('treats a new prompt in an old conversation as a new scene', async () => {
    const messages = [user('scene:permission'), assistant('…'), result('1'), assistant('done'), user('scene:query')];
    expect((await answerTo(messages)).content[0]?.text).toContain('Should I also add a test');
  });

  test('answers side calls, counts and unknown requests harmlessly', async () => {
    expect((await answerTo([user('scene:fail')], { tools: [] })).stop_reason).toBe('end_turn');
    const counted = await fetch(`${api.url}/v1/messages/count_tokens`, { method: 'POST', body: '{"messages":[]}' });
    expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) });
    expect((await fetch(api.url, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${api.url}/v1/elsewhere`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await fetch(`${api.url}/v1/messages`, { method: 'POST', body: 'nonsense' })).status).toBe(400);
  });

  test('fails as a scene specifies: always, or a number of times', async () => {
    expect((await post([user('scene:fail')])).status).toBe(400);
    expect((await post([user('scene:fail')])).status).toBe(400);
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await post([user('scene:overloaded')])).status);
    expect(statuses).toEqual([529, 529, 200]);
  });

  test('reports what it received and what it did', async () => {
    await answerTo([user('scene:tools please')]);
    expect(events.map((event) => event.kind)).toEqual(['request', 'first-byte', 'tool', 'end']);
    expect(events[0]).toMatchObject({ scene: 'tools', step: 0, prompt: 'scene:tools please' });
  });

  test('notices that the client disconnected, and drops the answer', async () => {
    const slow = await startMessagesApi({ onEvent: (event) => events.push(event) });
    try {
      const call = httpRequest(`${slow.url}/v1/messages`, { method: 'POST' });
      call.on('error', () => undefined);
      call.end(JSON.stringify({ model: 'm', stream: true, tools: TOOLS, messages: [user('scene:silent')] }));
      await waitFor(() => events.some((event) => event.kind === 'request'), { describe: 'the request is there' });
      call.destroy();
      await waitFor(() => events.some((event) => event.kind === 'aborted'), { describe: 'the hang-up is noticed' });
    } finally {
      await slow.close();
    }
  });

  test('ends at once even while answers are open', async () => {
    const slow = await startMessagesApi({ onEvent: (event) => events.push(event) });
    const call = fetch(`${slow.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', stream: true, tools: TOOLS, messages: [user('scene:silent')] }),
    }).catch((error: unknown) => error);
    await waitFor(() => events.some((event) => event.kind === 'request'), { describe: 'the request is there' });
    await slow.close();
    expect(await call).toBeInstanceOf(Error);
  });

  test('listens on loopback only', async () => {
    for (const host of ['0.0.0.0', '::', '127.evil.example', '192.168.0.1']) {
      await expect(startMessagesApi({ host }), host).rejects.toThrow('loopback only');
    }
  });
});

describe('a prompt in a request', () => {
  test('is what the user wrote, without what Claude Code adds to it', () => {
    expect(promptOf(user([{ type: 'text', text: '<system-reminder>\nx\n</system-reminder>' }]))).toBeNull();
    expect(promptOf(user([{ type: 'text', text: '[Request interrupted by user]' }]))).toBeNull();
    expect(promptOf(assistant('hello'))).toBeNull();
    const both = [
      { type: 'text', text: '<system-reminder>x</system-reminder>' },
      { type: 'text', text: ' a\n\tb ' },
    ];
    expect(promptOf(user(both))).toBe(' a\n\tb ');
  });

  test('is found inside the wrapping of a message that was queued during the turn', () => {
    const text =
      'The user sent a new message while you were working:\nand\n\nthis\n\nThis is how Claude Code surfaces messages the user sends.';
    expect(readTurn([user('first'), assistant('…'), user([{ type: 'tool_result' }, { type: 'text', text }])])).toEqual({
      prompt: 'and\n\nthis',
      prompts: ['first', 'and\n\nthis'],
      step: 0,
    });
  });
});

test('every scene answers its own prompt', async () => {
  for (const name of SCENE_NAMES) {
    const { status } = await post([user(`scene:${name}`)]);
    expect([200, 400, 429, 529], name).toContain(status);
  }
  const played = events.flatMap((event) => (event.kind === 'request' ? [event.scene] : []));
  expect(played).toEqual(SCENE_NAMES);
});
