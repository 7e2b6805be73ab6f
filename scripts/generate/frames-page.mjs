import { fieldTable } from './schema-words.mjs';

/** @typedef {import('./schema-words.mjs').Schema} Schema */

const INTRODUCTION = `# WebSocket frames

The server has two WebSockets. \`/ws/stream\` transmits everything: the sessions, each status change, the bytes that
terminals write, and commands. \`/ws\` sends only the list of sessions, whenever it changes.

A program authenticates with the header \`Authorization: Bearer TOKEN\`. A script in a browser cannot set headers, so it
requests the subprotocols \`["cbos", "bearer.TOKEN"]\`. [The API, by example](../API.md) has a client in JavaScript and one in
Python.

Each frame is a JSON object. If a frame is not valid JSON or does not fit its schema, the server answers with
\`{"type": "error", "error": {…}}\`, and the connection stays open. \`ts\` and \`timestamp\` are Unix seconds with a fraction.

## Offsets

An offset is a byte position in the recording's file: the position after the last byte of \`data\`. After a disconnection, a client
subscribes again with its last offset in \`from\`. It then continues without a gap or a repetition. \`data\` never splits a character.
Invalid UTF-8 becomes U+FFFD in \`data\`, but the offset counts its raw bytes. \`GET /sessions/{slug}/stream\` returns the raw bytes.

If a client acknowledges offsets with \`ack\`, the server never sends more than one window of bytes beyond the last acknowledged offset. A
client that is too slow gets a fresh snapshot of the screen instead of the bytes that it missed.

\`npm run generate\` writes this page from the schemas that validate the frames. \`npm run check\` fails if the page is out of date.
`;

/** The meaning of each frame. The generator fails if a frame has no entry here. */
const MEANINGS = {
  commands: {
    subscribe:
      'Subscribes to the output of sessions. `"*"` means all sessions on this machine, including later ones. `machine/SESSION` is a session on another machine in the fleet, and is named like this in all its frames; processes inside a session may not subscribe to it. Answered by `subscribed`.',
    unsubscribe: 'Unsubscribes from the output of sessions. Answered by `subscribed` with the remaining sessions.',
    send: 'Sends a prompt to a session, as `POST /sessions/{slug}/send` does. Answered by `send_result`.',
    answer: 'Answers the open question, as `POST /sessions/{slug}/answer` does. Answered by `answer_result`.',
    interrupt: 'Interrupts the running turn. Answered by `interrupt_result`.',
    invoke:
      'Starts a turn in a JSON session. Answered by `invoke_result`; its events then arrive as `claude_event` frames.',
    get_buffer: 'Asks for the last bytes of the recording. Answered by `buffer`.',
    list_sessions: 'Asks for the list of sessions. Answered by `sessions`.',
    follow_fleet:
      'Asks for the sessions on the other machines in the fleet. Answered by `fleet` and `machine`, now and after each change.',
    keys: 'Types raw keystrokes, for clients that are terminals.',
    resize: "Changes the size of a session's terminal. Answered by `resized`.",
    ack: "Reports the offset up to which the client has processed a session's output.",
  },
  frames: {
    sessions: 'All sessions. Sent right after connecting, and as the answer to `list_sessions`.',
    available_streams: 'The names of the sessions that a client can subscribe to. Sent right after connecting.',
    subscribed: 'The sessions to which the client is now subscribed.',
    stream:
      'Output of a terminal session. The first frame is a snapshot of the screen, unless the client gave an offset.',
    send_result: 'The outcome of a `send`.',
    answer_result: 'The outcome of an `answer`.',
    interrupt_result: 'The outcome of an `interrupt`.',
    invoke_result: 'The outcome of an `invoke`.',
    claude_event: 'An event of a JSON session, with its number.',
    buffer: 'The last bytes of a recording, at most `max_buffer_size`.',
    resized: "The size of a session's terminal has changed.",
    session_state: "A session's status has changed. A JSON session's `state` is its `json_state`.",
    session_added: 'A session was added.',
    session_updated: 'Something else about a session has changed, such as its figures.',
    session_removed: 'A session was deleted.',
    session_renamed: 'A session was renamed.',
    schedules_changed: 'A schedule or one of its runs has changed; `GET /schedules` has the current state.',
    reset: "A session's recording was replaced. Its offsets start at 0 again.",
    rules_changed: 'An approval rule or a rules file has changed. `GET /rules` returns the current rules.',
    rule_decided:
      'A rule has made a decision, or the outcome of a decision is known. `GET /audit` returns the decisions.',
    fleet: 'The other machines in the fleet. If a machine is not listed, its sessions are gone.',
    machine:
      'All sessions on one other machine. Sent when one of them changes, and when the machine becomes unreachable or reachable.',
    error: 'A frame from the client could not be read, or a session could not be followed.',
  },
  listCommands: { send: 'Sends a prompt to a session. Answered by `send_result`.' },
  listFrames: {
    init: 'All sessions. Sent right after connecting.',
    refresh: 'All sessions again, after something changed.',
    send_result: 'The outcome of a `send`.',
    error: 'A frame from the client could not be read.',
  },
};

/**
 * Returns the page that lists all frames.
 * @param {Record<'commands' | 'frames' | 'listCommands' | 'listFrames', Schema>} schemas of the two WebSockets, in both
 *   directions
 * @returns {string} Markdown
 */
export function framesPage(schemas) {
  return `${[
    INTRODUCTION,
    ...part('/ws/stream: from the client', schemas.commands, MEANINGS.commands),
    ...part('/ws/stream: from the server', schemas.frames, MEANINGS.frames),
    ...part('/ws: from the client', schemas.listCommands, MEANINGS.listCommands),
    ...part('/ws: from the server', schemas.listFrames, MEANINGS.listFrames),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

/** @param {string} title @param {Schema} schema @param {Record<string, string>} meanings @returns {string[]} */
function part(title, schema, meanings) {
  const link = (/** @type {string} */ name) => `[${name}](rest.md#${name.toLowerCase()})`;
  const frames = schema.oneOf ?? schema.anyOf ?? [schema];
  return [
    `## ${title}`,
    '',
    ...frames.flatMap((frame) => {
      const { type, ...properties } = frame.properties ?? {};
      const name = String(type?.const);
      const meaning = meanings[name];
      if (meaning === undefined) throw new Error(`scripts/generate/frames-page.mjs has no line for the frame ${name}`);
      const fields = fieldTable({ ...frame, properties }, { link, head: 'field', marksOptional: true });
      return [`### ${name}`, '', meaning, '', ...fields];
    }),
  ];
}
