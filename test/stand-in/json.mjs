// The face without a terminal: stream-json in both directions.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { compact } from './commands.mjs';
import { SYNTHETIC } from './failures.mjs';
import { commandTags } from './texts.mjs';

/** The recorded events that are the forms of the two longest ones. */
const RECORDED = new URL('../fixtures/json-events/2.1.329/hello.jsonl', import.meta.url);

/** @param {string} type @param {string} subtype */
function recorded(type, subtype) {
  const line = readFileSync(RECORDED, 'utf8')
    .split('\n')
    .find((one) => one.includes(`"type":"${type}"`) && one.includes(`"subtype":"${subtype}"`));
  return JSON.parse(line ?? '{}').event;
}

/** @param {Record<string, unknown>} event */
function say(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

/**
 * @param {() => import('./engine.mjs').Engine} open
 * @param {ReturnType<typeof import('./launch.mjs').readLaunch>} launch
 * @param {(message: string) => void} fail
 */
export function runJson(open, launch, fail) {
  let engine;
  try {
    engine = open();
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  const face = new JsonFace(engine, launch);
  for (const [signal, code] of /** @type {const} */ ([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ])) {
    process.on(signal, () => void engine.end('other').then(() => process.exit(code)));
  }
  void engine.start();
  const input = createInterface({ input: process.stdin });
  input.on('line', (line) => {
    if (line.trim() === '') return;
    let message;
    try {
      message = JSON.parse(line);
    } catch (error) {
      process.stderr.write(`Error parsing streaming input line: ${line}: ${error}\n`);
      return process.exit(1);
    }
    face.read(message);
  });
  input.on('close', () => face.closed());
}

const nothing = () => undefined;

class JsonFace {
  /** a prompt that waits joins no turn, but has one of its own */
  keepsQueue = true;
  /** an interrupt gives no prompt back, because there is no box for it */
  keepsPrompt = true;
  /** @type {Record<string, unknown> | null} the prompt that is repeated as soon as the model has answered */
  #replay = null;
  /** @type {Map<string, { resolve: (decision: any) => void }>} */
  #asked = new Map();
  #results = 0;
  #startedAt = 0;
  #turns = 0;
  #isClosed = false;
  #uuid = '';
  #text = '';
  /** @type {any} */
  #failure = null;
  /** @type {Set<string>} */
  #known = new Set();
  #result = recorded('result', 'success');
  #init = recorded('system', 'init');

  /**
   * @param {import('./engine.mjs').Engine} engine @param {ReturnType<typeof import('./launch.mjs').readLaunch>} launch
   */
  constructor(engine, launch) {
    this.engine = engine;
    this.launch = launch;
    this.withStates = process.env.CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS === '1';
    engine.face = this;
    for (const { type, uuid, promptSource } of engine.earlier?.lines ?? []) {
      if (type === 'user' && promptSource !== undefined) this.#known.add(uuid);
    }
  }

  /** @param {Record<string, unknown>} event */
  #say(event) {
    say({ ...event, uuid: event.uuid ?? randomUUID(), session_id: this.engine.sessionId });
  }

  /** @param {string} state */
  #state(state) {
    if (this.withStates) this.#say({ type: 'system', subtype: 'session_state_changed', state });
  }

  /** @param {string} uuid @param {string} state */
  #lifecycle(uuid, state) {
    this.#say({ type: 'command_lifecycle', command_uuid: uuid, state });
  }

  /** @param {any} message */
  read(message) {
    if (message.type === 'user') this.#prompt(message);
    else if (message.type === 'control_response') this.#answer(message);
    else if (message.type === 'control_request') this.#control(message.request_id, message.request);
  }

  /** @param {any} message */
  #prompt({ uuid = randomUUID(), message }) {
    const { content } = message;
    const text =
      typeof content === 'string' ? content : content.map((/** @type {any} */ block) => block.text ?? '').join('\n');
    if (this.#known.has(uuid)) return this.#lifecycle(uuid, 'completed');
    this.#known.add(uuid);
    if (!this.engine.isBusy) this.#state('running');
    this.#lifecycle(uuid, 'queued');
    const [, name = '', args = ''] = /^\/([a-z-]+)(?:\s+(.*))?$/s.exec(text.trim()) ?? [];
    if (name === 'compact' && !this.engine.isBusy) return void this.#compact(uuid, args.trim());
    void this.engine.prompt(text, uuid, content);
  }

  /** @param {string} uuid @param {string} args */
  async #compact(uuid, args) {
    this.#lifecycle(uuid, 'started');
    this.#uuid = uuid;
    this.#startedAt = Date.now();
    this.#say({ type: 'system', subtype: 'status', status: 'compacting' });
    await compact(this.engine, args);
    this.#say({ type: 'system', subtype: 'status', status: null, compact_result: 'success' });
    this.#sayInit();
    this.#say({ type: 'system', subtype: 'compact_boundary', compact_metadata: { trigger: 'manual', pre_tokens: 0 } });
    const summary = this.engine.messages.at(-1)?.content;
    this.#sayUser(summary, { isSynthetic: true, isReplay: false });
    this.#sayUser('<local-command-stdout>Compacted </local-command-stdout>', { isReplay: true });
    this.#sayUser(commandTags('compact', args), { isReplay: true, uuid });
    this.#sayResult({
      is_error: false,
      num_turns: 0,
      stop_reason: null,
      result: '',
      subtype: 'success',
      terminal_reason: undefined,
    });
    this.#lifecycle(uuid, 'completed');
    this.#state('idle');
  }

  /** @param {any} message */
  #answer(message) {
    const { request_id: id, response } = message.response;
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    this.#asked.delete(id);
    say(message);
    const { behavior, updatedInput: input, updatedPermissions: updates, message: reason, interrupt } = response ?? {};
    asked.resolve(
      behavior === 'allow'
        ? { behavior, input, updates }
        : { behavior: 'deny', message: reason, ends: interrupt === true },
    );
  }

  /** @param {string} id @param {any} request */
  #control(id, request) {
    const answer = (/** @type {object} */ response) =>
      say({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
    switch (request.subtype) {
      case 'interrupt':
        answer({ still_queued: this.engine.queue.map(({ uuid }) => uuid) });
        this.engine.interrupt();
        break;
      case 'initialize':
        answer({ commands: [], output_style: 'default', available_output_styles: [], models: [], account: {} });
        break;
      case 'set_permission_mode':
        this.engine.mode = request.mode;
        answer({ mode: request.mode });
        this.#say({ type: 'system', subtype: 'status', status: null, permissionMode: request.mode });
        break;
      case 'set_model':
        this.engine.setModel(request.model);
        answer({ model: this.engine.model });
        break;
      default:
        say({
          type: 'control_response',
          response: {
            subtype: 'error',
            request_id: id,
            error: `Unsupported control request subtype: ${request.subtype}`,
            error_code: 'unsupported_request',
          },
        });
    }
  }

  closed() {
    this.#isClosed = true;
    if (!this.engine.isBusy) void this.engine.end('other').then(() => process.exit(0));
  }

  #sayInit() {
    const { cwd, model, mode, version } = this.engine;
    this.#say({
      ...{
        ...this.#init,
        uuid: randomUUID(),
        cwd,
        original_cwd: cwd,
        model,
        permissionMode: mode,
        claude_code_version: version,
      },
      user_message_uuids: [this.#uuid],
    });
  }

  /** @param {unknown} content @param {Record<string, unknown>} more */
  #sayUser(content, more) {
    const message = { role: 'user', content };
    this.#say({ type: 'user', message, parent_tool_use_id: null, timestamp: new Date().toISOString(), ...more });
  }

  #sayReplay() {
    if (this.#replay !== null) this.#say(this.#replay);
    this.#replay = null;
  }

  /** @param {Record<string, unknown>} fields */
  #sayResult(fields) {
    const { input, output, costUsd, apiMs, context } = this.engine.figures();
    const { result: _, ...form } = this.#result;
    const models =
      input === 0
        ? {}
        : {
            [this.engine.model]: {
              ...Object.values(this.#result.modelUsage)[0],
              ...{ inputTokens: input, outputTokens: output, costUSD: costUsd },
            },
          };
    this.#say({
      ...{ ...form, uuid: randomUUID(), duration_ms: Date.now() - this.#startedAt, duration_api_ms: apiMs },
      ...{ total_cost_usd: costUsd, num_turns: this.#turns, modelUsage: models, model_usage_since_last_result: models },
      usage: { ...form.usage, input_tokens: context?.input_tokens ?? 0, output_tokens: context?.output_tokens ?? 0 },
      ...{ user_message_uuid: this.#uuid, user_message_uuids: [this.#uuid] },
      ...{ queued_turn_count: this.engine.queue.length, result_index: this.#results },
      ...fields,
    });
    this.#results += 1;
    const { maxBudgetUsd } = this.launch;
    if (maxBudgetUsd !== null && costUsd >= maxBudgetUsd) process.exit(1);
  }

  // What the engine reports.

  turnBegan(/** @type {string} */ text, /** @type {string} */ uuid, /** @type {unknown} */ content = text) {
    this.#uuid = uuid;
    this.#startedAt = Date.now();
    this.#turns = 0;
    this.#text = '';
    this.#failure = null;
    this.#lifecycle(uuid, 'started');
    this.#sayInit();
    const message = { role: 'user', content };
    this.#replay = {
      type: 'user',
      message,
      parent_tool_use_id: null,
      uuid,
      timestamp: new Date().toISOString(),
      isReplay: true,
    };
  }

  requesting() {
    this.#say({ type: 'system', subtype: 'status', status: 'requesting', user_message_uuids: [this.#uuid] });
  }

  retrying(/** @type {any} */ { attempt, most, waitMs, status }) {
    const error = status === 529 ? 'overloaded' : 'unknown';
    this.#say({
      ...{ type: 'system', subtype: 'api_retry', attempt, max_retries: most, retry_delay_ms: waitMs },
      error_status: status,
      error,
    });
  }

  streamed(/** @type {any} */ event, /** @type {any} */ message) {
    this.#sayReplay();
    if (event.type === 'message_start') this.#turns += 1;
    this.#say({ type: 'stream_event', event, parent_tool_use_id: null, api_message_id: message?.id });
  }

  blockDone(/** @type {any} */ message, /** @type {any} */ block, /** @type {string} */ uuid, more = {}) {
    if (block.type === 'text') this.#text = block.text;
    this.#sayReplay();
    const said = { ...message, content: [block], stop_reason: null };
    this.#say({
      type: 'assistant',
      message: said,
      parent_tool_use_id: null,
      uuid,
      timestamp: new Date().toISOString(),
      ...more,
    });
  }

  ask(
    /** @type {import('./engine.mjs').Call} */ call,
    /** @type {{ input: any, suggestions: any[], blocked?: string }} */ { input, suggestions, blocked },
  ) {
    const id = randomUUID();
    const isOwn = call.name === 'AskUserQuestion' || call.name === 'ExitPlanMode';
    const rule = { toolName: call.name, ...(call.name === 'Bash' ? { ruleContent: input.command } : {}) };
    const rules = { type: 'addRules', rules: [rule], behavior: 'allow', destination: 'localSettings' };
    const offered = suggestions[0]?.type === 'addRules' || call.name !== 'Bash' ? suggestions : [rules, ...suggestions];
    this.#state('requires_action');
    /** @type {(decision: any) => void} */
    let resolve = () => undefined;
    const answer = new Promise((done) => {
      resolve = done;
    });
    this.#asked.set(id, { resolve });
    say({
      type: 'control_request',
      request_id: id,
      request: {
        ...{ subtype: 'can_use_tool', tool_name: call.name, display_name: call.name, input },
        ...(input.description === undefined ? {} : { description: input.description }),
        ...(isOwn ? {} : { permission_suggestions: offered }),
        ...(blocked === undefined ? {} : { blocked_path: blocked }),
        ...{ tool_use_id: call.id, ...(isOwn ? { requires_user_interaction: true } : {}) },
      },
    });
    return {
      answer,
      close: () => {
        if (this.#asked.delete(id)) say({ type: 'control_cancel_request', request_id: id });
        this.#state('running');
      },
    };
  }

  toolResult(
    /** @type {import('./engine.mjs').Call} */ call,
    /** @type {any} */ result,
    /** @type {any} */ block,
    /** @type {string} */ uuid,
  ) {
    const tool_use_result = result.response ?? `Error: ${result.content}`;
    this.#sayUser([block], { uuid, tool_use_result, tool_result_meta: [{ id: call.id }] });
  }

  modeChanged() {
    this.#say({ type: 'system', subtype: 'status', status: null, permissionMode: this.engine.mode });
  }

  failed(/** @type {any} */ failure) {
    this.#failure = failure;
    this.#sayReplay();
    const message = { ...SYNTHETIC, id: randomUUID(), content: [{ type: 'text', text: failure.message }] };
    this.#say({
      ...{ type: 'assistant', message, parent_tool_use_id: null, timestamp: new Date().toISOString() },
      ...{
        error: failure.error,
        is_api_error_message: true,
        api_error_status: failure.status,
        api_error_type: failure.type,
      },
    });
  }

  interrupted() {
    this.#sayReplay();
    const last = this.engine.messages.at(-1)?.content;
    this.#sayUser(Array.isArray(last) ? last : [{ type: 'text', text: last }], {});
  }

  promptRefused(/** @type {string} */ _, /** @type {string} */ reason) {
    this.#sayResult({ is_error: false, num_turns: 0, subtype: 'success', result: reason });
    this.#lifecycle(this.#uuid, 'completed');
  }

  turnEnded(/** @type {string} */ how) {
    this.#sayReplay();
    if (how === 'done')
      this.#sayResult({ is_error: false, subtype: 'success', result: this.#text, stop_reason: 'end_turn' });
    else if (how === 'failed') {
      this.#sayResult({
        ...{
          is_error: true,
          subtype: 'success',
          result: this.#failure?.message,
          num_turns: 1,
          stop_reason: 'stop_sequence',
        },
        ...{ terminal_reason: 'api_error', api_error_status: this.#failure?.status },
      });
    } else {
      this.#sayResult({
        num_turns: this.#turns + 1,
        ...{
          is_error: true,
          subtype: 'error_during_execution',
          stop_reason: null,
          terminal_reason: 'aborted_streaming',
        },
        errors: ['[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null'],
      });
    }
    this.#lifecycle(this.#uuid, how === 'done' ? 'completed' : 'cancelled');
  }

  rested() {
    this.#state('idle');
    if (this.#isClosed) this.closed();
  }

  // What only a screen shows.
  hooksRun = nothing;
  toolWaits = nothing;
  toolRuns = nothing;
  toolOutput = nothing;
  queueChanged = nothing;
  absorbed = nothing;
  promptPutBack = nothing;
}
