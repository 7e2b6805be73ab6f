// Sends requests to the Messages API at ANTHROPIC_BASE_URL, which in a test is the stand-in for the model.
import { request } from 'node:http';

/** A refused request. */
export class ApiError extends Error {
  /** @param {number} status @param {string} type @param {string} message @param {Record<string, any>} headers */
  constructor(status, type, message, headers) {
    super(message);
    this.status = status;
    this.type = type;
    this.headers = headers;
  }
}

/** Claude Code ends a connection to which nothing answers. */
export class ConnectionError extends Error {}

/**
 * @param {{ body: Record<string, unknown>, signal: AbortSignal, onEvent?: (event: any, message: any) => void }} options
 * @returns {Promise<{ message: any, headers: Record<string, any> }>} the whole message, with its content blocks
 */
export function send({ body, signal, onEvent = () => undefined }) {
  const base = process.env.ANTHROPIC_BASE_URL ?? 'http://127.0.0.1:1';
  return new Promise((resolve, reject) => {
    const call = request(
      new URL('/v1/messages?beta=true', base),
      {
        method: 'POST',
        signal,
        headers: { 'content-type': 'application/json', 'x-api-key': process.env.ANTHROPIC_API_KEY ?? '' },
      },
      (response) => {
        let text = '';
        const reader = new EventReader(onEvent);
        const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
        response.setEncoding('utf8').on('data', (part) => {
          if (isStream) reader.read(part);
          else text += part;
        });
        response.on('error', (error) => reject(signal.aborted ? error : new ConnectionError(error.message)));
        response.on('end', () => {
          const { statusCode = 0, headers } = response;
          if (isStream) return resolve({ message: reader.message, headers });
          const answer = parse(text);
          if (statusCode < 400) return resolve({ message: answer, headers });
          reject(new ApiError(statusCode, answer?.error?.type ?? 'api_error', answer?.error?.message ?? text, headers));
        });
      },
    );
    call.on('error', (error) => reject(signal.aborted ? error : new ConnectionError(error.message)));
    call.end(JSON.stringify(body));
  });
}

/** Puts a streamed message together. */
class EventReader {
  #rest = '';
  /** @type {any} */
  message = null;

  /** @param {(event: any, message: any) => void} onEvent the message is the part that has arrived */
  constructor(onEvent) {
    this.onEvent = onEvent;
  }

  /** @param {string} part */
  read(part) {
    const events = (this.#rest + part).split('\n\n');
    this.#rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      if (data === undefined) continue;
      const value = JSON.parse(data.slice('data: '.length));
      this.#take(value);
      this.onEvent(value, this.message);
    }
  }

  /** @param {any} event */
  #take(event) {
    const { message } = this;
    if (event.type === 'message_start') this.message = { ...event.message, content: [] };
    else if (event.type === 'content_block_start') {
      message.content[event.index] = { ...event.content_block };
      if (event.content_block.type === 'tool_use') message.content[event.index].input = '';
    } else if (event.type === 'content_block_delta') {
      const block = message.content[event.index];
      const { type, text, thinking, signature, partial_json: json } = event.delta;
      if (type === 'text_delta') block.text += text;
      else if (type === 'thinking_delta') block.thinking += thinking;
      else if (type === 'signature_delta') block.signature = signature;
      else if (type === 'input_json_delta') block.input += json;
    } else if (event.type === 'content_block_stop') {
      const block = message.content[event.index];
      if (block.type === 'tool_use') block.input = block.input === '' ? {} : JSON.parse(block.input);
    } else if (event.type === 'message_delta') {
      Object.assign(message, event.delta);
      Object.assign(message.usage, event.usage);
    }
  }
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
