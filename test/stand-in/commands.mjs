// Claude Code's own commands, and what they leave in the transcript.
import { randomUUID } from 'node:crypto';
import { send } from './api.mjs';
import { joined } from './engine.mjs';
import { CAVEAT, commandTags, SUMMARY_REQUEST, summaryOf } from './texts.mjs';
import { runTool } from './tools.mjs';

/** @typedef {import('./engine.mjs').Engine} Engine */

const COMPACTED = 'Compacted (ctrl+o to see full summary)';

/** What `/compact` prints. @param {Engine} engine */
export function compactRows(engine) {
  const hooks = ['PreCompact', 'PostCompact'].flatMap((event) =>
    engine.settings
      .hooksOf(event)
      .flatMap((/** @type {any} */ group) => group.hooks)
      .map((/** @type {any} */ { command }) => `${event} [${command}] completed successfully`),
  );
  return [COMPACTED, ...hooks];
}

/** `/clear`: another conversation in the same process. */
export async function clear(engine) {
  engine.isBusy = true;
  await engine.fire('SessionEnd', { reason: 'clear' });
  engine.messages = [];
  engine.promptId = null;
  engine.usage.context = null;
  engine.begin(randomUUID());
  engine.registry.changeConversation(engine.sessionId);
  engine.registry.say('busy');
  engine.transcript.note({ type: 'mode', mode: 'normal' });
  note(engine, 'clear', '', '');
  await engine.fire('SessionStart', { source: 'clear' });
  engine.registry.say('idle');
  engine.isBusy = false;
}

/**
 * Writes a command of Claude Code's own into the transcript.
 * @param {Engine} engine @param {string} name @param {string} args @param {string} output
 */
export function note(engine, name, args, output) {
  engine.transcript.add({ type: 'user', isMeta: true, message: { role: 'user', content: CAVEAT } });
  noteCommand(engine, name, args);
  const content = `<local-command-stdout>${output}</local-command-stdout>`;
  engine.transcript.add({
    type: 'system',
    subtype: 'local_command',
    level: 'info',
    isMeta: false,
    content,
    commandRun: { command: name, args },
  });
}

/** @param {string} name @param {string} args */
function noteCommand(engine, name, args) {
  engine.transcript.add({ type: 'user', message: { role: 'user', content: commandTags(name, args) } });
}

/** @param {string} output */
function noteOutput(engine, output) {
  const content = `<local-command-stdout>${output}</local-command-stdout>`;
  engine.transcript.add({ type: 'user', message: { role: 'user', content } });
}

/** `/exit` in the transcript. */
export function noteExit(engine) {
  engine.promptId = randomUUID();
  engine.transcript.add({ type: 'user', isMeta: true, message: { role: 'user', content: CAVEAT } });
  noteCommand(engine, 'exit', '');
  noteOutput(engine, 'Bye!');
}

/** `/compact`. Returns false if the user interrupted it. @param {string} args */
export async function compact(engine, args) {
  engine.isBusy = true;
  engine.abort = new AbortController();
  engine.promptId = randomUUID();
  await engine.fire('PreCompact', { trigger: 'manual', custom_instructions: args === '' ? null : args });
  engine.registry.say('busy');
  let summary = '';
  // Version 2.1.330 asks again for an answer that has no <summary>.
  for (let tries = 0; tries < 2 && !summary.includes('<summary>'); tries += 1) {
    const messages = [...engine.messages, { role: 'user', content: SUMMARY_REQUEST }];
    const { message } = await send({
      body: { ...engine.body(), messages: joined(messages) },
      signal: engine.abort.signal,
    }).catch((error) => {
      if (!engine.abort.signal.aborted) throw error;
      return { message: null };
    });
    if (message === null) break;
    summary = message.content[0]?.text ?? '';
    await engine.fire('SubagentStop', {
      ...{ agent_id: `a${randomUUID().slice(0, 16).replaceAll('-', '')}`, agent_type: '', stop_hook_active: false },
      ...{
        agent_transcript_path: engine.transcript.file,
        last_assistant_message: summary,
        background_tasks: [],
        session_crons: [],
      },
    });
  }
  const isDone = !engine.abort.signal.aborted;
  if (isDone) {
    await engine.fire('SessionStart', { source: 'compact', model: engine.model });
    await engine.fire('PostCompact', { trigger: 'manual', compact_summary: summary });
    engine.transcript.continueAfter(null);
    engine.transcript.add({
      type: 'system',
      subtype: 'compact_boundary',
      level: 'info',
      isMeta: false,
      content: 'Conversation compacted',
      compactMetadata: { trigger: 'manual' },
    });
    const content = summaryOf(summary, engine.transcript.file);
    engine.messages = [];
    engine.say({ isCompactSummary: true }, content);
    engine.transcript.add({ type: 'user', isMeta: true, message: { role: 'user', content: CAVEAT } });
    noteCommand(engine, 'compact', args);
    noteOutput(
      engine,
      compactRows(engine)
        .map((line) => `\x1b[2m${line}\x1b[22m`)
        .join('\n'),
    );
  }
  engine.registry.say('idle');
  engine.isBusy = false;
  return isDone;
}

/** Runs a command that the user typed, and returns what it printed. @param {Engine} engine @param {string} command */
export async function runByUser({ cwd, planFile }, command) {
  const place = { cwd, planFile, signal: new AbortController().signal, onOutput: () => undefined };
  return (await runTool({ name: 'Bash', input: { command } }, place)).shown;
}
