// A conversation: prompts, requests to the Messages API, tools, hooks. It draws nothing: a face shows it, in a terminal
// or as JSON.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, ConnectionError, send } from './api.mjs';
import { Calls } from './calls.mjs';
import { failureOf, SYNTHETIC } from './failures.mjs';
import { Hooks } from './hooks.mjs';
import { Registry } from './registry.mjs';
import { configDirectory } from './settings.mjs';
import { INTERRUPTED, planReminder } from './texts.mjs';
import { findTranscript, readConversation, readLines, Transcript, transcriptOf } from './transcript.mjs';

/** The hooks that name the permission mode, and those that name the effort. */
const WITH_MODE = new Set([
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'SubagentStop',
]);
const WITH_EFFORT = new Set([...WITH_MODE, 'StopFailure'].filter((event) => event !== 'UserPromptSubmit'));
const EFFORT = 'medium';
const DEFAULT_MODEL = 'claude-opus-5-5';
/** The names of the models by which a person chooses one. */
const MODELS = { opus: DEFAULT_MODEL, sonnet: 'claude-sonnet-5-5', haiku: 'claude-haiku-5' };
/** What a token costs, in dollars, so that a cost can be computed. */
const PRICES = { input: 4e-6, output: 20e-6 };
const CONTEXT_WINDOW = 1_000_000;

/** How often a request is repeated, and after how long. Version 2.1.330 waits about 0.6 s, 1.1 s, 2.2 s … */
const MOST_RETRIES = 10;
const FIRST_RETRY_MS = 550;
/** Version 2.1.330 repeats a request that was refused as invalid five times, at once. */
const REFUSED_TRIES = 6;

/**
 * @typedef {{ behavior: 'allow', input?: any, updates?: any[], by?: 'hook' }
 *   | { behavior: 'deny', message?: string, ends?: boolean, by?: 'user' | 'hook' }} Decision
 * @typedef {{ id: string, name: string, input: any }} Call
 * @typedef {{ text: string, uuid: string, content: any }} Prompt
 */

export class Engine {
  /** @type {any} set by the face before the first prompt */
  face;
  registry = new Registry();
  /** whether the conversation is a copy of another one */
  isCopy = false;
  /** @type {{ role: string, content: any }[]} */
  messages = [];
  /** @type {string | null} */
  promptId = null;
  /** @type {Prompt[]} prompts that were sent during a turn */
  queue = [];
  calls = new Calls(this);
  isBusy = false;
  isEnded = false;
  /** directories in which Claude Code may work in addition */
  folders = /** @type {string[]} */ ([]);
  sessionRules = /** @type {string[]} */ ([]);
  usage = { input: 0, output: 0, costUsd: 0, apiMs: 0, added: 0, removed: 0, context: /** @type {any} */ (null) };
  /** @type {Map<string, any>} commands that run on beside the conversation */
  tasks = new Map();
  abort = new AbortController();
  #isShown = false;
  #startedAt = 0;

  /**
   * @param {{ launch: ReturnType<typeof import('./launch.mjs').readLaunch>,
   *   settings: ReturnType<typeof import('./settings.mjs').readSettings>, cwd: string, version: string,
   *   entrypoint: string }} options
   */
  constructor({ launch, settings, cwd, version, entrypoint }) {
    this.settings = settings;
    this.cwd = cwd;
    this.version = version;
    this.entrypoint = entrypoint;
    this.mode = launch.mode ?? settings.mode;
    this.setModel(launch.model ?? settings.model ?? DEFAULT_MODEL);
    this.hooks = new Hooks(settings, () => ({}));
    this.#open(launch);
  }

  /** @param {ReturnType<typeof import('./launch.mjs').readLaunch>} launch */
  #open(launch) {
    const { resume, sessionId } = launch;
    if (resume === null) return this.begin(sessionId ?? randomUUID());
    const file = resume.endsWith('.jsonl') ? resume : findTranscript(resume);
    if (file === null) throw new Error(`No conversation found with session ID: ${resume}`);
    const earlier = readConversation(file);
    this.messages = earlier.messages;
    this.earlier = earlier;
    if (!launch.forks) {
      this.begin(earlier.sessionId, file);
      this.transcript.continueAfter(earlier.last);
      return;
    }
    this.isCopy = true;
    this.begin(sessionId ?? randomUUID());
    for (const { type, message, uuid, ...line } of readLines(file)) {
      if (type === 'user' || type === 'assistant')
        this.transcript.add({ ...line, sessionId: this.sessionId, type, message, uuid });
    }
  }

  /** @param {string} sessionId @param {string} file */
  begin(sessionId, file = transcriptOf(this.cwd, sessionId)) {
    const { cwd, version, entrypoint } = this;
    this.sessionId = sessionId;
    this.planFile = join(configDirectory(), 'plans', `plan-${sessionId.slice(0, 8)}.md`);
    this.transcript = new Transcript({ file, sessionId, cwd, version, entrypoint });
  }

  /** @param {string} name */
  setModel(name) {
    this.model = /** @type {any} */ (MODELS)[name] ?? name;
  }

  /** @param {string} event @param {Record<string, unknown>} fields */
  payload(event, fields) {
    return {
      session_id: this.sessionId,
      transcript_path: this.transcript.file,
      cwd: this.cwd,
      ...(this.promptId === null ? {} : { prompt_id: this.promptId }),
      ...(WITH_MODE.has(event) ? { permission_mode: this.mode } : {}),
      ...(WITH_EFFORT.has(event) ? { effort: { level: EFFORT } } : {}),
      ...fields,
    };
  }

  /** @param {string} event @param {Record<string, unknown>} [fields] */
  async fire(event, fields = {}) {
    return this.hooks.run(event, this.payload(event, fields));
  }

  /** What the first hook says. */
  beginning() {
    if (this.earlier === undefined) return { source: 'startup', model: this.model };
    const cache = { prompt_cache_likely_expired: false, estimated_cache_write_usd: 0 };
    return { source: this.isCopy ? 'fork' : 'resume', context_tokens: 0, seconds_since_last_response: 0, ...cache };
  }

  /** Starts the session: the registry, and the hook. */
  async start() {
    const { sessionId, cwd, version, entrypoint } = this;
    this.registry.open({ sessionId, cwd, version, entrypoint });
    await this.fire('SessionStart', this.beginning());
    this.registry.say('idle');
  }

  /**
   * A prompt of the user. During a turn it waits.
   * @param {string} text @param {string} uuid @param {any} content the prompt with its images
   */
  async prompt(text, uuid = randomUUID(), content = text) {
    const prompt = { text, uuid, content };
    if (this.isBusy) return this.#enqueue(prompt);
    this.isBusy = true;
    await this.#turns(prompt);
  }

  /** @param {Prompt} prompt */
  async #enqueue(prompt) {
    const { text } = prompt;
    this.queue.push(prompt);
    this.transcript.note({ type: 'queue-operation', operation: 'enqueue', content: text });
    this.face.queueChanged();
    await this.fire('UserPromptSubmit', { prompt: text });
  }

  /** Takes all waiting prompts back. */
  takeBack() {
    const texts = this.queue.map(({ text }) => text);
    if (texts.length === 0) return null;
    this.queue = [];
    for (const content of texts) this.transcript.note({ type: 'queue-operation', operation: 'popAll', content });
    this.face.queueChanged();
    return texts.join('\n');
  }

  /** Ends the turn, as Esc does. Returns false if none runs. */
  interrupt() {
    if (!this.isBusy || this.abort.signal.aborted) return false;
    this.abort.abort();
    this.hooks.endAll();
    return true;
  }

  /** Runs a prompt and what was queued behind it. */
  async #turns(/** @type {Prompt} */ prompt) {
    await this.#turn(prompt, true);
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) {
      this.transcript.note({ type: 'queue-operation', operation: 'dequeue' });
      this.face.queueChanged();
      await this.#turn(next, false);
    }
    this.isBusy = false;
    this.face.rested?.();
  }

  async #turn(/** @type {Prompt} */ { text, uuid, content }, /** @type {boolean} */ isNew) {
    this.abort = new AbortController();
    this.#isShown = false;
    this.#startedAt = Date.now();
    this.promptId = randomUUID();
    this.face.turnBegan(text, uuid, content);
    if (isNew) {
      const refused = this.#refusalOf(await this.during('UserPromptSubmit', { prompt: text }));
      if (refused !== null) return this.face.promptRefused(text, refused);
    }
    this.registry.say('busy');
    if (this.abort.signal.aborted && !this.face.keepsPrompt) return this.#putBack(text);
    this.transcript.add({
      ...{ type: 'user', message: { role: 'user', content }, uuid, promptId: this.promptId, permissionMode: this.mode },
      ...{ origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human' },
    });
    const reminder = this.mode === 'plan' ? [{ type: 'text', text: planReminder(this.planFile) }] : [];
    const own = typeof content === 'string' ? [{ type: 'text', text }] : content;
    this.messages.push({ role: 'user', content: [...reminder, ...own] });
    const how = await this.#rounds();
    if (how === 'unanswered') this.#putBack(text);
    if (how === 'interrupted') this.face.interrupted();
    this.rest();
    this.face.turnEnded(how);
  }

  /** An interrupt before anything of the answer was shown gives the prompt back. */
  #putBack(/** @type {string} */ text) {
    if (this.messages.at(-1)?.role === 'user') this.messages.pop();
    this.registry.say('idle');
    this.face.promptPutBack(text);
  }

  /** @param {import('./hooks.mjs').HookResult[]} results */
  #refusalOf(results) {
    const refusing = results.find(({ code, output }) => code === 2 || output?.decision === 'block');
    if (refusing === undefined) return null;
    return refusing.output?.reason ?? refusing.error.trim();
  }

  /** Runs hooks while the face shows that they run. @param {string} event @param {Record<string, unknown>} fields */
  async during(event, fields) {
    this.face.hooksRun(event);
    const results = await this.fire(event, fields);
    this.face.hooksRun(null);
    return results;
  }

  /** @returns {Promise<'done' | 'failed' | 'interrupted' | 'unanswered'>} */
  async #rounds() {
    for (let isBlocked = false; ; ) {
      const reply = await this.#ask();
      if (typeof reply === 'string') return reply;
      const calls = reply.content.filter((/** @type {any} */ block) => block.type === 'tool_use');
      if (calls.length > 0) {
        if (!(await this.calls.run(calls, reply.id))) return 'interrupted';
        continue;
      }
      const last = reply.content.findLast((/** @type {any} */ block) => block.type === 'text')?.text ?? '';
      const results = await this.during('Stop', {
        ...{ stop_hook_active: isBlocked, last_assistant_message: last },
        ...{ background_tasks: this.#runningTasks(), session_crons: [] },
      });
      if (this.abort.signal.aborted) return 'interrupted';
      this.transcript.add({ type: 'system', subtype: 'stop_hook_summary', level: 'suggestion', isMeta: false });
      this.transcript.add({
        type: 'system',
        subtype: 'turn_duration',
        durationMs: Date.now() - this.#startedAt,
        isMeta: false,
      });
      const reason = this.#refusalOf(results);
      if (reason === null) return 'done';
      isBlocked = true;
      this.say({ type: 'user', isMeta: true }, `Stop hook feedback:\n${reason}`);
    }
  }

  /** The registry tells an idle session from one whose commands still run. */
  rest() {
    this.registry.say(this.tasks.size > 0 ? 'shell' : 'idle');
  }

  #runningTasks() {
    return [...this.tasks.values()].map(({ id, command, description }) => ({
      id,
      type: 'shell',
      status: 'running',
      command,
      description,
    }));
  }

  /** The end of a command in the background begins a turn of its own. @param {any} task */
  follow(task) {
    this.tasks.set(task.id, task);
    task.child.once('close', (/** @type {number | null} */ code) => {
      this.tasks.delete(task.id);
      const summary = `Background command "${task.description}" completed (exit code ${code})`;
      const text = `<task-notification>\n<task-id>${task.id}</task-id>\n<status>completed</status>\n<summary>${summary}</summary>\n</task-notification>`;
      if (!this.isEnded) void this.prompt(text);
    });
  }

  /** Adds a message that is not the user's own words. */
  say(/** @type {Record<string, unknown>} */ line, /** @type {any} */ content) {
    this.transcript.add({ ...line, type: 'user', message: { role: 'user', content }, promptId: this.promptId });
    this.messages.push({ role: 'user', content });
  }

  /** Sends the conversation and returns the answer. */
  async #ask() {
    const { signal } = this.abort;
    for (let attempt = 1; ; attempt += 1) {
      let partial = null;
      const sentAt = Date.now();
      try {
        if (attempt === 1) this.face.requesting();
        const { message, headers } = await send({
          body: this.body(),
          signal,
          onEvent: (event, arrived) => {
            partial = arrived;
            this.#onEvent(event, arrived);
          },
        });
        this.usage.apiMs += Date.now() - sentAt;
        this.#count(message.usage);
        this.face.limits?.(headers);
        this.messages.push({ role: 'assistant', content: message.content });
        return message;
      } catch (error) {
        if (signal.aborted) return this.#cutOff(partial);
        if (await this.#isOver(error, attempt)) return 'failed';
        if (signal.aborted) return this.#cutOff(null);
      }
    }
  }

  body() {
    return {
      model: this.model,
      stream: true,
      max_tokens: 32_000,
      system: [{ type: 'text', text: "You are Claude Code, Anthropic's official CLI for Claude." }],
      messages: joined(this.messages),
      tools: ['Bash', 'Read', 'Write', 'Edit', 'AskUserQuestion', 'ExitPlanMode'].map((name) => ({ name })),
      metadata: { user_id: JSON.stringify({ session_id: this.sessionId }) },
    };
  }

  #onEvent(/** @type {any} */ event, /** @type {any} */ message) {
    const block = event.index === undefined ? null : message.content[event.index];
    if (event.type === 'content_block_stop') {
      if (block.name === 'ExitPlanMode' && block.input.plan !== undefined) block.input.planFilePath = this.planFile;
      this.#isShown ||= block.type === 'tool_use';
      this.#store(message, block);
    } else if (block?.type === 'text' && block.text.trim() !== '') this.#isShown = true;
    this.face.streamed(event, message);
  }

  /** Each block of an answer is a line of its own. */
  #store(/** @type {any} */ message, /** @type {any} */ block, /** @type {any} */ more = {}) {
    const uuid = randomUUID();
    this.transcript.add({
      type: 'assistant',
      message: { ...message, content: [block] },
      uuid,
      effort: EFFORT,
      ...more,
    });
    this.face.blockDone(message, block, uuid, more.isAbortedMidStream ? { aborted: true } : {});
  }

  /** The user interrupted the answer. */
  #cutOff(/** @type {any} */ message) {
    if (!this.#isShown && !this.face.keepsPrompt) return 'unanswered';
    const block = message?.content.at(-1);
    const isOpen = block?.type === 'text' && block.text.trim() !== '';
    if (isOpen) {
      this.#store(message, block, { isAbortedMidStream: true });
      this.messages.push({ role: 'assistant', content: [block] });
    }
    this.say({ interruptedMessageId: message?.id }, [{ type: 'text', text: INTERRUPTED }]);
    return 'interrupted';
  }

  #count(/** @type {any} */ usage) {
    const { input_tokens: input, output_tokens: output } = usage;
    this.usage.input += input;
    this.usage.output += output;
    this.usage.costUsd += input * PRICES.input + output * PRICES.output;
    this.usage.context = usage;
  }

  /** Decides whether a failed request ends the turn. Otherwise waits until it is to be repeated. */
  async #isOver(/** @type {unknown} */ error, /** @type {number} */ attempt) {
    const isRefused = error instanceof ApiError;
    if (!isRefused && !(error instanceof ConnectionError)) throw error;
    const isTemporary = !isRefused || error.status === 529 || (error.status >= 500 && error.status < 600);
    if (isTemporary && attempt <= MOST_RETRIES && (!isRefused || error.headers['x-should-retry'] !== 'false')) {
      const waitMs = FIRST_RETRY_MS * 2 ** (attempt - 1);
      this.face.retrying({ attempt, most: MOST_RETRIES, waitMs, status: isRefused ? error.status : null });
      await delay(waitMs, undefined, { signal: this.abort.signal }).catch(() => undefined);
      return false;
    }
    const failure = failureOf(error);
    if (failure.error === 'unknown' && isRefused && attempt < REFUSED_TRIES) return false;
    this.transcript.add({
      type: 'assistant',
      message: { ...SYNTHETIC, id: randomUUID(), content: [{ type: 'text', text: failure.message }] },
      error: failure.error,
      isApiErrorMessage: true,
      ...(isRefused ? { apiErrorStatus: error.status, apiErrorType: error.type } : {}),
      ...failure.more,
    });
    this.face.failed({ ...failure, ...(isRefused ? { status: error.status, type: error.type } : {}) });
    await this.during('StopFailure', { error: failure.error, last_assistant_message: failure.message });
    return true;
  }

  /** @param {string} mode */
  setMode(mode) {
    this.mode = mode;
    this.face.modeChanged();
  }

  /** The end of the session. @param {string} reason */
  async end(reason) {
    this.isEnded = true;
    this.abort.abort();
    this.registry.close();
    this.hooks.endAll();
    await this.fire('SessionEnd', { reason });
  }

  /** What the status line and the results report. */
  figures() {
    const { context } = this.usage;
    const used = context === null ? 0 : context.input_tokens + (context.cache_read_input_tokens ?? 0);
    return { ...this.usage, contextWindow: CONTEXT_WINDOW, used };
  }
}

/**
 * Joins messages of the same role that follow each other.
 * @param {{ role: string, content: any }[]} messages
 */
export function joined(messages) {
  /** @type {{ role: string, content: any[] }[]} */
  const all = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const last = all.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else all.push({ role, content: [...blocks] });
  }
  return all;
}
