// The registry: the record that Claude Code keeps about itself in `sessions/PID.json`.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { configDirectory } from './settings.mjs';

const directory = () => join(configDirectory(), 'sessions');
const START_TIME_FIELD = 19;

/** The start of this process, as the kernel counts it: field 22 of `/proc/PID/stat`. */
function startTime() {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD] ?? '';
}

export class Registry {
  /** @type {Record<string, unknown> | null} */
  #record = null;
  #file = join(directory(), `${process.pid}.json`);

  /** @param {{ sessionId: string, cwd: string, version: string, entrypoint: string }} session */
  open({ sessionId, cwd, version, entrypoint }) {
    const startedAt = Date.now();
    this.#record = {
      ...{ pid: process.pid, sessionId, cwd, startedAt, procStart: startTime(), version, peerProtocol: 1 },
      ...{ kind: 'interactive', entrypoint, name: `${basename(cwd)}-${process.pid.toString(16).slice(-2)}` },
      ...{ nameSource: 'derived', nameSince: startedAt },
    };
    this.#write();
  }

  /** @param {'idle' | 'busy' | 'waiting' | 'shell'} status @param {string} [waitingFor] */
  say(status, waitingFor) {
    if (this.#record === null) return;
    if (this.#record.status === status && this.#record.waitingFor === waitingFor) return;
    const { waitingFor: _, ...record } = this.#record;
    const now = Date.now();
    this.#record = {
      ...{ ...record, status, updatedAt: now, statusUpdatedAt: now },
      ...(waitingFor === undefined ? {} : { waitingFor }),
    };
    this.#write();
  }

  /** @param {string} sessionId */
  changeConversation(sessionId) {
    if (this.#record === null) return;
    this.#record = { ...this.#record, sessionId };
    this.#write();
  }

  close() {
    this.#record = null;
    rmSync(this.#file, { force: true });
  }

  #write() {
    try {
      mkdirSync(directory(), { recursive: true, mode: 0o700 });
      const draft = `${this.#file}.new`;
      writeFileSync(draft, JSON.stringify(this.#record), { mode: 0o600 });
      renameSync(draft, this.#file);
    } catch {
      // The disk is full, or nothing can be written there. Claude Code continues without its record.
    }
  }
}
