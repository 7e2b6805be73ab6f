// The transcript: `projects/CWD-WITH-DASHES/SESSION.jsonl`, with lines like those of Claude Code 2.1.330.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { configDirectory } from './settings.mjs';

const projectsDirectory = () => join(configDirectory(), 'projects');

/** @param {string} cwd @param {string} sessionId */
export const transcriptOf = (cwd, sessionId) =>
  join(projectsDirectory(), cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), `${sessionId}.jsonl`);

/** Finds the file of a conversation, wherever it took place. @param {string} sessionId */
export function findTranscript(sessionId) {
  const folders = existsSync(projectsDirectory()) ? readdirSync(projectsDirectory()) : [];
  return (
    folders.map((folder) => join(projectsDirectory(), folder, `${sessionId}.jsonl`)).find((file) => existsSync(file)) ??
    null
  );
}

/** @param {string} file @returns {Record<string, any>[]} */
export function readLines(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line)];
      } catch {
        return []; // half of a line, which a killed process left behind
      }
    });
}

export class Transcript {
  /** @type {string | null} */
  #last = null;

  /** @param {{ file: string, sessionId: string, cwd: string, version: string, entrypoint: string }} options */
  constructor({ file, sessionId, cwd, version, entrypoint }) {
    this.file = file;
    this.sessionId = sessionId;
    this.common = { userType: 'external', entrypoint, cwd, sessionId, version, gitBranch: 'HEAD' };
  }

  /** Continues after the last line of an earlier process. @param {string | null} uuid */
  continueAfter(uuid) {
    this.#last = uuid;
  }

  /**
   * Appends a line of the conversation, which has a place in its chain.
   * @param {Record<string, unknown>} fields @returns {string} the line's id
   */
  add({ uuid = randomUUID(), ...fields }) {
    const line = { parentUuid: this.#last, isSidechain: false, ...fields, uuid, timestamp: new Date().toISOString() };
    this.#append({ ...line, ...this.common });
    this.#last = String(uuid);
    return this.#last;
  }

  /** Appends a line that has no place in the chain. @param {Record<string, unknown>} fields */
  note(fields) {
    this.#append({ ...fields, timestamp: new Date().toISOString(), sessionId: this.sessionId });
  }

  /** @param {object} line */
  #append(line) {
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
      appendFileSync(this.file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch {
      // The disk is full. Claude Code continues.
    }
  }
}

/**
 * Returns the messages of a conversation as the next request contains them, and the id of its last line.
 * @param {string} file
 */
export function readConversation(file) {
  const lines = readLines(file).filter(({ uuid, isSidechain }) => typeof uuid === 'string' && isSidechain !== true);
  const boundary = lines.findLastIndex(({ subtype }) => subtype === 'compact_boundary');
  /** @type {{ role: string, content: any, id?: string }[]} */
  const messages = [];
  for (const { type, message } of lines.slice(boundary + 1)) {
    if (type !== 'user' && type !== 'assistant') continue;
    const last = messages.at(-1);
    if (type === 'assistant' && last?.role === 'assistant' && last.id === message.id)
      last.content.push(...message.content);
    else messages.push({ role: message.role, content: structuredClone(message.content), id: message.id });
  }
  // The process ended before the model had answered.
  if (messages.at(-1)?.role === 'user') {
    messages.push({ role: 'assistant', content: [{ type: 'text', text: 'No response requested.' }] });
  }
  return {
    sessionId: basename(file, '.jsonl'),
    lines,
    last: lines.at(-1)?.uuid ?? null,
    messages: messages.map(({ role, content }) => ({ role, content })),
  };
}
