/**
 * An MCP server over stdio, whose one tool asks the user. The tool's argument `ask` is the request that the server
 * sends (`elicitation/create`), and `giveUpAfterMs` is how long it waits for the answer. It adds each answer to the
 * file that ANSWERS names. The tool's result is `answered` or `gave up`. With `isSilent`, the server gives up without a
 * word, and otherwise it cancels its request. With `confirms`, it confirms that the user is done at the address, once
 * the file exists that CONFIRMED names. With `worksOn`, the call continues after the answer, until that file exists.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const ASK = {
  name: 'ask',
  description: 'Asks the user',
  // Claude Code makes the calls of one message at the same time only if they change nothing (2.1.330).
  annotations: { readOnlyHint: process.env.NAME !== undefined },
  inputSchema: {
    type: 'object',
    properties: {
      ask: { type: ['object', 'string'] },
      giveUpAfterMs: { type: 'number' },
      isSilent: { type: 'boolean' },
      confirms: { type: 'boolean' },
      worksOn: { type: 'boolean' },
    },
    required: ['ask'],
  },
};

let nextId = 1;
/** what to do with the answer to each request of this server */
const waiting = new Map();

const named = process.env.NAME === undefined ? {} : { server: process.env.NAME };

function whenConfirmed(go) {
  if (existsSync(process.env.CONFIRMED)) go();
  else setTimeout(whenConfirmed, 20, go);
}

const confirm = (elicitationId) =>
  whenConfirmed(() => write({ method: 'notifications/elicitation/complete', params: { elicitationId } }));

function ask({ ask: params, giveUpAfterMs, isSilent, confirms, worksOn }) {
  const id = `ask-${nextId++}`;
  return new Promise((resolve) => {
    waiting.set(id, (answer) => {
      appendFileSync(process.env.ANSWERS, `${JSON.stringify({ ...named, ...answer })}\n`);
      if (confirms === true) confirm(params.elicitationId);
      if (worksOn === true) whenConfirmed(() => resolve('answered'));
      else resolve('answered');
    });
    write({ id, method: 'elicitation/create', params: typeof params === 'string' ? JSON.parse(params) : params });
    if (giveUpAfterMs === undefined) return;
    setTimeout(() => {
      if (!waiting.delete(id)) return;
      if (isSilent !== true)
        write({ method: 'notifications/cancelled', params: { requestId: id, reason: 'timed out' } });
      resolve('gave up');
    }, giveUpAfterMs);
  });
}

const METHODS = {
  initialize: async ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'asking', version: '1.0.0' },
  }),
  ping: async () => ({}),
  'tools/list': async () => ({ tools: [ASK] }),
  'tools/call': async ({ arguments: given }) => ({ content: [{ type: 'text', text: await ask(given) }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.method === undefined) {
    waiting.get(message.id)?.(message.result ?? message.error);
    waiting.delete(message.id);
  } else if (message.id !== undefined) {
    METHODS[message.method]?.(message.params ?? {}).then((result) => write({ id: message.id, result })) ??
      write({ id: message.id, error: { code: -32601, message: `no ${message.method}` } });
  }
}
