// Runs hooks as commands of their own, as Claude Code does.
import { spawn } from 'node:child_process';

/** The most milliseconds that a timer takes; a hook may be given more seconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const DEFAULT_TIMEOUT_S = 60;

/**
 * @typedef {{ code: number | null, output: any, text: string, error: string }} HookResult `output` is the JSON that the
 * hook printed, or null
 */

/** @param {any} matcher @param {string} toolName */
function matches(matcher, toolName) {
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  return new RegExp(`^(?:${matcher})$`).test(toolName);
}

/** The hooks that run now. They end with the turn that they belong to, or with the program. */
export class Hooks {
  /** @type {Set<import('node:child_process').ChildProcess>} */
  #running = new Set();

  /**
   * @param {ReturnType<typeof import('./settings.mjs').readSettings>} settings
   * @param {() => Record<string, unknown>} common returns the fields that every payload has
   */
  constructor(settings, common) {
    this.settings = settings;
    this.common = common;
  }

  /** Reports whether a hook is there for an event. @param {string} event */
  has(event) {
    return this.settings.hooksOf(event).length > 0;
  }

  /**
   * Starts all hooks of an event. Each result is a promise.
   * @param {string} event @param {Record<string, unknown>} fields
   * @returns {Promise<HookResult>[]}
   */
  start(event, fields = {}) {
    const payload = JSON.stringify({ ...this.common(), hook_event_name: event, ...fields });
    const toolName = String(fields.tool_name ?? '');
    return this.settings
      .hooksOf(event)
      .filter((/** @type {any} */ group) => matches(group.matcher, toolName))
      .flatMap((/** @type {any} */ group) => group.hooks ?? [])
      .filter((/** @type {any} */ hook) => hook.type === 'command')
      .map((/** @type {any} */ hook) => this.#run(hook, payload));
  }

  /** Runs all hooks of an event and waits for them. @param {string} event @param {Record<string, unknown>} fields */
  async run(event, fields = {}) {
    return Promise.all(this.start(event, fields));
  }

  /** Ends the hooks that still run. */
  endAll() {
    for (const child of this.#running) child.kill('SIGTERM');
    this.#running.clear();
  }

  /** @param {any} hook @param {string} payload @returns {Promise<HookResult>} */
  #run({ command, timeout = DEFAULT_TIMEOUT_S }, payload) {
    return new Promise((resolve) => {
      const env = { ...process.env, CLAUDE_PROJECT_DIR: process.cwd() };
      const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'pipe', 'pipe'] });
      this.#running.add(child);
      let text = '';
      let error = '';
      child.stdout.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      child.stderr.setEncoding('utf8').on('data', (part) => {
        error += part;
      });
      const timer = setTimeout(() => child.kill('SIGTERM'), Math.min(timeout * 1_000, LONGEST_TIMER_MS));
      child.once('error', () => done(null));
      child.once('close', (code) => done(code));
      const done = (/** @type {number | null} */ code) => {
        clearTimeout(timer);
        this.#running.delete(child);
        resolve({ code, text, error, output: parse(text) });
      };
      child.stdin.on('error', () => undefined);
      child.stdin.end(payload);
    });
  }
}

/** @param {string} text */
function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
