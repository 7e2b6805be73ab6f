// The tools of an answer: the hooks before and after each, the question whether it may run, and its result.
import { join } from 'node:path';
import { decide, pathsOutside, suggestions } from './permissions.mjs';
import { INTERRUPTED_TOOL, STOP_AND_WAIT, whileWorking } from './texts.mjs';
import { runTool } from './tools.mjs';

/** @typedef {import('./engine.mjs').Call} Call */
/** @typedef {import('./engine.mjs').Decision} Decision */

export class Calls {
  /** @param {import('./engine.mjs').Engine} engine */
  constructor(engine) {
    this.engine = engine;
  }

  /** Runs the tools of an answer. Returns false if the user ended the turn. */
  async run(/** @type {Call[]} */ calls, /** @type {string} */ messageId) {
    const results = [];
    for (const call of calls) {
      const result = await this.#runCall(call);
      const { content, isError = false, line = {} } = result;
      const block = {
        tool_use_id: call.id,
        type: 'tool_result',
        content,
        ...(line.plain ? {} : { is_error: isError }),
      };
      results.push(block);
      const { plain: _, ...more } = line;
      const uuid = this.engine.transcript.add({
        ...{ type: 'user', message: { role: 'user', content: [block] }, promptId: this.engine.promptId, ...more },
        toolUseResult: result.response ?? `Error: ${content}`,
      });
      this.engine.face.toolResult(call, result, block, uuid);
      if (result.ends) {
        this.engine.messages.push({ role: 'user', content: results });
        const more = result.wasRunning ? { interruptedMessageId: messageId } : {};
        this.engine.say(more, [{ type: 'text', text: INTERRUPTED_TOOL }]);
        return false;
      }
    }
    this.engine.messages.push({ role: 'user', content: [...results, ...this.#absorbed()] });
    return true;
  }

  /** The prompts that were sent during the turn join it at the next request. */
  #absorbed() {
    if (this.engine.face.keepsQueue) return [];
    const texts = this.engine.queue.map(({ text }) => text);
    this.engine.queue = [];
    for (const content of texts) {
      this.engine.transcript.note({
        type: 'queue-operation',
        operation: 'remove',
        content,
        reason: 'absorbed_mid_turn',
      });
      this.engine.face.absorbed(content);
    }
    return texts.map((text) => ({ type: 'text', text: whileWorking(text) }));
  }

  /** @returns {Promise<any>} */
  async #runCall(/** @type {Call} */ call) {
    const tool = { tool_name: call.name, tool_input: this.#inputFor(call), tool_use_id: call.id };
    this.engine.face.toolWaits(call);
    const before = await this.engine.during('PreToolUse', tool);
    if (this.engine.abort.signal.aborted) return this.#rejected();
    const [verdict, reason] = guardVerdict(before);
    if (verdict === 'deny') return denied(`PreToolUse:${call.name} hook error: ${reason}`);
    const decision = verdict === 'allow' ? { behavior: 'allow' } : await this.#decide(call, tool, verdict === 'ask');
    if (this.engine.abort.signal.aborted) return this.#rejected();
    if (decision.behavior === 'deny') {
      if (decision.ends) return { ...this.#rejected(), response: 'User rejected tool use', isAnswer: true };
      const isUser = decision.by === 'user';
      return {
        ...denied(decision.message),
        ...(isUser ? { shown: ['Not run · rejected'] } : {}),
        by: decision.by === 'hook' ? 'Denied' : undefined,
      };
    }
    const input = decision.input ?? call.input;
    this.engine.registry.say('busy');
    this.engine.face.toolRuns(call);
    const startedAt = Date.now();
    const result = await runTool(
      { name: call.name, input },
      {
        ...{
          cwd: this.engine.cwd,
          signal: this.engine.abort.signal,
          planFile: this.engine.planFile,
          sessionId: this.engine.sessionId,
        },
        onOutput: (text) => this.engine.face.toolOutput(call, text),
        onBackground: (task) => this.engine.follow(task),
      },
    );
    if (this.engine.abort.signal.aborted) return { ...this.#rejected(), wasRunning: true };
    if (call.name === 'ExitPlanMode') this.engine.setMode(decision.mode ?? 'default');
    const after = {
      ...tool,
      ...(call.name === 'ExitPlanMode' ? { tool_input: {} } : { tool_input: decision.input ?? tool.tool_input }),
    };
    const duration_ms = Date.now() - startedAt;
    if (result.isError)
      await this.engine.during('PostToolUseFailure', {
        ...after,
        error: result.error,
        is_interrupt: false,
        duration_ms,
      });
    else await this.engine.during('PostToolUse', { ...after, tool_response: result.response, duration_ms });
    if (this.engine.abort.signal.aborted) return { ...this.#rejected(), wasRunning: true };
    return {
      ...result,
      input,
      by: decision.by === 'hook' ? 'Allowed' : undefined,
      line: { plain: !['Bash'].includes(call.name) },
    };
  }

  #rejected() {
    return { content: STOP_AND_WAIT, isError: true, response: 'User rejected tool use', ends: true };
  }

  /** The input as the hooks see it. */
  #inputFor(/** @type {Call} */ { input }) {
    if (typeof input.file_path === 'string' && !input.file_path.startsWith('/')) {
      return { ...input, file_path: join(this.engine.cwd, input.file_path) };
    }
    return input;
  }

  /** @returns {Promise<any>} */
  async #decide(/** @type {Call} */ call, /** @type {any} */ tool, /** @type {boolean} */ mustAsk) {
    const { cwd, mode, planFile, folders } = this.engine;
    const { allow, deny, ask } = this.engine.settings;
    const rules = { allow: [...allow, ...this.engine.sessionRules], deny, ask };
    const verdict = decide({ tool: call.name, input: tool.tool_input, mode, cwd, planFile, folders, rules });
    if (verdict === 'deny') return { behavior: 'deny', message: `Permission to use ${call.name} has been denied.` };
    if (verdict === 'allow' && !mustAsk) return { behavior: 'allow' };
    const blocked = call.name === 'Bash' ? pathsOutside(String(call.input.command), cwd, folders)[0] : undefined;
    const suggested = mustAsk ? undefined : suggestions(call.name, tool.tool_input, { cwd, folders });
    const { tool_use_id: _, ...asked } = tool;
    const started = this.engine.hooks.start(
      'PermissionRequest',
      this.engine.payload('PermissionRequest', {
        ...asked,
        ...(suggested === undefined ? {} : { permission_suggestions: suggested }),
      }),
    );
    const question = this.engine.face.ask(call, { input: tool.tool_input, suggestions: suggested ?? [], blocked });
    this.engine.registry.say('waiting', call.name === 'AskUserQuestion' ? 'input needed' : 'permission prompt');
    const decision = await new Promise((resolve) => {
      this.engine.abort.signal.addEventListener('abort', () => resolve({ behavior: 'deny', ends: true }), {
        once: true,
      });
      void question.answer.then(resolve);
      for (const result of started) {
        void result.then(({ output }) => {
          const said = hookDecision(output);
          if (said !== null) resolve(said);
        });
      }
    });
    question.close(decision);
    if (!decision.ends) this.engine.registry.say('busy');
    for (const update of decision.updates ?? []) this.#apply(update);
    return decision;
  }

  #apply(/** @type {any} */ update) {
    if (update.type === 'setMode') this.engine.setMode(update.mode);
    else if (update.type === 'addDirectories') this.engine.folders.push(...update.directories);
    else if (update.type === 'addRules' && update.behavior === 'allow') {
      for (const { toolName, ruleContent } of update.rules) {
        this.engine.sessionRules.push(ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`);
      }
    }
  }
}

/** @param {string | undefined} message */
const denied = (message) => ({ content: message ?? 'Denied', isError: true, response: null });

/** What the `PreToolUse` hooks decided. @param {import('./hooks.mjs').HookResult[]} results */
function guardVerdict(results) {
  for (const { code, error, output } of results) {
    const said = output?.hookSpecificOutput?.permissionDecision;
    if (code === 2) return ['deny', error.trim()];
    if (said !== undefined) return [said, output.hookSpecificOutput.permissionDecisionReason ?? ''];
  }
  return [null, ''];
}

/** What a `PermissionRequest` hook decided, or null if it leaves the dialog to the user. @returns {Decision | null} */
function hookDecision(/** @type {any} */ output) {
  const decision = output?.hookSpecificOutput?.decision;
  if (decision?.behavior === 'allow') {
    return { behavior: 'allow', by: 'hook', input: decision.updatedInput, updates: decision.updatedPermissions };
  }
  if (decision?.behavior !== 'deny') return null;
  return { behavior: 'deny', message: decision.message, by: 'hook', ends: decision.interrupt === true };
}
