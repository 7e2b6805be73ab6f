// The face in a terminal: rows, keys, and what is drawn while a turn runs.
import { ROWS_OF } from './blocks.mjs';
import { clear, compact, compactRows, note, runByUser } from './commands.mjs';
import { PermissionDialog, PlanDialog, QuestionDialog, shortPath } from './dialogs.mjs';
import { beginWork, footerRows, workedRow, workRow } from './footer.mjs';
import { KeyReader } from './keys.mjs';
import { Pastes, withoutTags } from './pastes.mjs';
import { dim, recordedRow, recordedRows, Screen, widthOf, wrap } from './screen.mjs';
import { rejectedBecause } from './texts.mjs';

const TICK_MS = 120;
const MODEL_NAMES = /** @type {Record<string, string>} */ ({
  'claude-opus-5-5': 'Opus 5.5',
  'claude-sonnet-5-5': 'Sonnet 5.5',
  'claude-haiku-5': 'Haiku 5',
});
const NBSP = '\u00a0';
/** How long the hint about Ctrl+C stays. */
const EXIT_HINT_MS = 800;
/** @typedef {{ kind: string, rows: (cols: number) => string[] } & Record<string, any>} Block */

export class Terminal {
  /** @type {Block[]} */
  blocks = [];
  box = '';
  #pastes = new Pastes();
  /** @type {string | null} a grey text in the empty box */
  #hint = null;
  #isTranscript = false;
  #isExitNear = false;
  /** @type {import('./footer.mjs').Work | null} */
  #work = null;
  /** @type {{ dialog: any, resolve: (decision: any) => void } | null} */
  #open = null;
  /** @type {Map<string, Block>} */
  #tools = new Map();
  #isNew = true;
  #tick = 0;
  #statusLine = /** @type {string[]} */ ([]);
  #isDrawn = false;

  /** @param {import('./engine.mjs').Engine} engine @param {() => Promise<void>} onExit */
  constructor(engine, onExit) {
    this.engine = engine;
    this.onExit = onExit;
    this.screen = new Screen(process.stdout);
    engine.face = this;
  }

  async start() {
    process.stdin.setRawMode(true);
    process.stdin.setEncoding('utf8');
    process.stdout.write('\x1b[?2004h\x1b]0;✳ Claude Code\x07');
    const reader = new KeyReader((key) => {
      this.#read(key);
      this.draw();
    });
    process.stdin.on('data', (bytes) => reader.read(String(bytes)));
    process.stdout.on('resize', () => {
      this.screen.forget(this.#rows().rows.length);
      this.draw();
    });
    for (const line of this.engine.earlier?.lines ?? []) this.#showEarlier(line);
    this.draw();
    await this.engine.start();
    this.draw();
    setInterval(() => {
      if (this.#work === null) return;
      this.#tick += 1;
      this.draw();
    }, TICK_MS);
  }

  /** @param {any} line */
  #showEarlier({ type, subtype, message, durationMs, timestamp }) {
    if (subtype === 'turn_duration') this.#addWorked(durationMs, new Date(timestamp));
    const content =
      typeof message?.content === 'string' ? [{ type: 'text', text: message.content }] : (message?.content ?? []);
    for (const block of content) {
      if (block.type !== 'text' || /^\s*<(local-command|command-)/.test(block.text)) continue;
      if (type === 'user') this.#add('sent', { text: block.text });
      else if (type === 'assistant') this.#add('answer', { text: block.text });
    }
  }

  /** @param {string} kind @param {Record<string, any>} fields @returns {any} */
  #add(kind, fields = {}) {
    const block = { kind, ...fields, rows: (/** @type {number} */ cols) => ROWS_OF[kind]?.(block, cols) ?? [] };
    this.blocks.push(block);
    return block;
  }

  /** The rows of a tool that continue the answer before them have no empty row above. */
  #rows() {
    const { cols } = this.screen;
    const model = MODEL_NAMES[this.engine.model] ?? this.engine.model;
    const { version, cwd } = this.engine;
    const rows = [...recordedRows('header', { version, model, cwd: shortPath(cwd) }), '', ''];
    for (const block of this.blocks) {
      const shown = block.rows(cols);
      if (block.continues?.() === true && rows.at(-1) === '') rows.pop();
      if (shown.length > 0) rows.push(...shown, '');
    }
    return this.#isTranscript ? this.#transcriptRows(rows, cols) : this.#liveRows(rows, cols);
  }

  #transcriptRows(/** @type {string[]} */ rows, /** @type {number} */ cols) {
    rows.push('─'.repeat(cols), recordedRow('detailed'));
    return { rows, cursor: { row: rows.length - 1, col: 0 } };
  }

  #liveRows(/** @type {string[]} */ rows, /** @type {number} */ cols) {
    const { queue } = this.engine;
    if (this.#open !== null) {
      const { dialog } = this.#open;
      if (dialog instanceof QuestionDialog) rows.pop();
      const drawn = dialog.draw();
      const from = rows.length;
      rows.push(...drawn.rows);
      return { rows, cursor: { row: from + drawn.cursor.row, col: drawn.cursor.col } };
    }
    for (const [at, { text }] of queue.entries()) {
      const [sent = '', queued = ''] = recordedRows('queued', { text });
      rows.push(...wrap(sent, cols - 3), ...(at === queue.length - 1 ? [queued] : []), '');
    }
    const work = this.#work === null ? null : workRow(this.#work, this.#tick);
    if (work !== null) rows.push(work, '');
    rows.push('─'.repeat(cols));
    const from = rows.length;
    const hint = queue.length > 0 ? recordedRow('queuedHint') : this.#hint;
    const lines = wrapBox(this.box, cols - 2);
    if (this.box === '' && hint !== null) rows.push(`❯${NBSP}${dim(hint)}`);
    else rows.push(...lines.map((line, at) => (at === 0 ? `❯${NBSP}${line}` : `  ${line}`)));
    const last = lines.at(-1) ?? '';
    const cursor = { row: from + lines.length - 1, col: 2 + widthOf(last) };
    rows.push('─'.repeat(cols), ...this.#statusLine, ...this.#footer(cols));
    return { rows, cursor };
  }

  #footer(/** @type {number} */ cols) {
    const { mode, isBusy, tasks } = this.engine;
    const state = { box: this.box, mode, tasks: tasks.size, isBusy, isNew: this.#isNew, isExitNear: this.#isExitNear };
    if (this.#pastes.isOffered()) return [recordedRow('pasted')];
    return footerRows({ ...state, cols });
  }

  draw() {
    if (this.#isDrawn) return;
    this.#isDrawn = true;
    // Several changes of one moment are drawn together.
    setImmediate(() => {
      this.#isDrawn = false;
      const { rows, cursor } = this.#rows();
      this.screen.draw(rows, cursor);
    });
  }

  /** @param {import('./keys.mjs').Key} key */
  #read(key) {
    if (this.#open !== null) {
      const decision = this.#open.dialog.read(key);
      if (decision !== null) this.#open.resolve(decision);
      return;
    }
    if (this.#isTranscript) {
      if (key.kind === 'key' && ['ctrl+o', 'escape', 'ctrl+c'].includes(key.name)) this.#isTranscript = false;
      return;
    }
    if (key.kind !== 'key') {
      this.#hint = null;
      this.box += key.kind === 'paste' ? this.#pastes.add(key.text) : key.text;
      return;
    }
    this.#readKey(key.name);
  }

  /** @param {string} name */
  #readKey(name) {
    if (name === 'enter') return this.#submit();
    if (name === 'newline') this.box += '\n';
    else if (name === 'backspace') this.box = [...this.box].slice(0, -1).join('');
    else if (name === 'ctrl+u') this.box = '';
    else if (name === 'ctrl+c') this.#controlC();
    else if (name === 'ctrl+d' && this.box === '') void this.onExit();
    else if (name === 'ctrl+o') this.#isTranscript = true;
    else if (name === 'shift+tab') this.#nextMode();
    else if (name === 'escape') this.engine.interrupt();
    else if (name === 'up' && this.engine.queue.length > 0) this.box = this.engine.takeBack() ?? '';
  }

  #controlC() {
    if (this.engine.interrupt()) return;
    if (this.#isExitNear) return void this.onExit();
    this.box = '';
    this.#isExitNear = true;
    setTimeout(() => {
      this.#isExitNear = false;
      this.draw();
    }, EXIT_HINT_MS);
  }

  #nextMode() {
    const modes = ['default', 'acceptEdits', 'plan'];
    this.engine.setMode(modes[(modes.indexOf(this.engine.mode) + 1) % modes.length] ?? 'default');
  }

  #submit() {
    if (this.box.trim() === '') return;
    const text = this.#pastes.take(this.box);
    if (text.endsWith('\\')) {
      this.box = `${text.slice(0, -1)}\n`;
      return;
    }
    this.box = '';
    this.#hint = null;
    const [, name = '', args = ''] = /^\/([a-z-]+)(?:\s+(.*))?$/s.exec(text.trim()) ?? [];
    if (name !== '' && this.#command(name, args.trim())) return;
    if (text.startsWith('!')) return void this.#shell(text.slice(1));
    void this.engine.prompt(text.includes('<pasted_content id=') ? text : text.trim());
  }

  /** Returns false if there is no such command. @param {string} name @param {string} args */
  #command(name, args) {
    if (name === 'exit' || name === 'quit') void this.onExit('prompt_input_exit', true);
    else if (name === 'clear') void this.#clear();
    else if (name === 'compact') void this.#compact(args);
    else if (name === 'model' && args !== '') {
      this.engine.setModel(args);
      this.#add('command', { name: `/model ${args}`, said: `Set model to ${MODEL_NAMES[this.engine.model] ?? args}` });
      note(this.engine, 'model', args, `Set model to ${this.engine.model}`);
    } else return false;
    return true;
  }

  async #clear() {
    await clear(this.engine);
    this.blocks = [];
    this.#isNew = false;
    this.#add('sent', { text: '/clear' });
    this.screen.forget(0);
    this.draw();
  }

  /** @param {string} args */
  async #compact(args) {
    const words = args === '' ? '/compact' : `/compact ${args}`;
    const sent = this.#add('sent', { text: words });
    this.#begin();
    if (this.#work !== null) this.#work.note = recordedRow('compacting', { mark: '{mark}', seconds: '{seconds}' });
    const isDone = await compact(this.engine, args);
    this.#work = null;
    if (isDone) {
      this.blocks = [];
      this.#add('compacted', { file: shortPath(this.engine.transcript.file) });
      this.#add('sent', { text: words, results: compactRows(this.engine) });
      this.screen.forget(0);
    } else this.blocks = this.blocks.filter((block) => block !== sent);
    this.draw();
  }

  /** A command that the user runs with `!`. @param {string} command */
  async #shell(command) {
    this.#add('sent', { text: `!${command}` });
    this.#add('output', { lines: await runByUser(this.engine, command) });
    this.draw();
  }

  #begin() {
    this.#work = beginWork(this.blocks.length);
  }

  /** A prompt goes back into the empty box only. */
  get keepsPrompt() {
    return this.box !== '';
  }

  // What the engine reports.
  turnBegan(/** @type {string} */ text) {
    this.#begin();
    const summary = /^<task-notification>[\s\S]*<summary>(.*)<\/summary>/.exec(text)?.[1];
    this.#add(summary === undefined ? 'sent' : 'answer', { text: summary ?? withoutTags(text) });
    this.draw();
  }

  hooksRun(/** @type {string | null} */ event) {
    if (this.#work !== null) this.#work.hook = event;
    this.draw();
  }

  requesting() {
    if (this.#work !== null) this.#work.note = null;
    this.draw();
  }

  retrying(/** @type {any} */ { attempt, most, waitMs }) {
    if (this.#work !== null)
      this.#work.note = recordedRow('retrying', { seconds: Math.ceil(waitMs / 1_000), attempt, most });
    this.draw();
  }

  /** @type {any} */
  #answer = null;
  #thoughtAt = 0;

  streamed(/** @type {any} */ event, /** @type {any} */ message) {
    const work = this.#work;
    if (work === null) return;
    work.note = null;
    const block = event.index === undefined ? null : message.content[event.index];
    if (event.type === 'content_block_start') {
      this.#answer = null;
      work.isThinking = block.type === 'thinking';
      if (work.isThinking) this.#thoughtAt = Date.now();
    } else if (event.type === 'content_block_delta') {
      work.tokens = Math.max(work.tokens, Math.ceil(JSON.stringify(message.content).length / 4));
      if (block.type === 'text' && block.text.trim() !== '') {
        this.#answer ??= this.#add('answer', { isOpen: true });
        this.#answer.text = block.text;
      }
    } else if (event.type === 'content_block_stop') {
      work.isThinking = false;
      if (this.#answer !== null) this.#answer.isOpen = false;
      this.#answer = null;
    }
    this.draw();
  }

  blockDone(/** @type {any} */ _, /** @type {any} */ block) {
    if (block.type !== 'thinking') return;
    this.#add('thought', { seconds: Math.round((Date.now() - this.#thoughtAt) / 1_000) });
  }

  toolWaits(/** @type {import('./engine.mjs').Call} */ call) {
    const { cwd, planFile } = this.engine;
    this.#tools.set(
      call.id,
      this.#add('tool', {
        call,
        state: 'waiting',
        cwd,
        planFile,
        lines: [],
        continues() {
          return call.name === 'ExitPlanMode' && ['interrupted', 'failed'].includes(this.state);
        },
      }),
    );
    this.draw();
  }

  toolRuns(/** @type {import('./engine.mjs').Call} */ { id }) {
    const block = this.#tools.get(id);
    if (block !== undefined) block.state = 'running';
    this.draw();
  }

  toolOutput(/** @type {import('./engine.mjs').Call} */ { id }, /** @type {string} */ text) {
    const block = this.#tools.get(id);
    if (block !== undefined) block.output = text;
  }

  toolResult(/** @type {import('./engine.mjs').Call} */ { id }, /** @type {any} */ result) {
    const block = this.#tools.get(id);
    if (block === undefined) return;
    block.state = result.ends ? 'interrupted' : result.isError ? 'failed' : 'done';
    block.lines = result.shown ?? `Error: ${result.content}`.split('\n');
    block.by = result.by;
    this.draw();
  }

  modeChanged() {
    this.draw();
  }

  queueChanged() {
    this.draw();
  }

  absorbed(/** @type {string} */ text) {
    this.#add('sent', { text });
  }

  ask(
    /** @type {import('./engine.mjs').Call} */ call,
    /** @type {{ input: any, suggestions: any[] }} */ { input, suggestions },
  ) {
    const { cwd, planFile } = this.engine;
    const cols = () => this.screen.cols;
    const dialog =
      call.name === 'AskUserQuestion'
        ? new QuestionDialog({ input, cols })
        : call.name === 'ExitPlanMode'
          ? new PlanDialog({ input, planFile, cols })
          : new PermissionDialog({ name: call.name, input, cwd, suggestions, cols });
    /** @type {(decision: any) => void} */
    let resolve = () => undefined;
    const answer = new Promise((done) => {
      resolve = (decision) => {
        // The user's words are part of the rejection.
        const isWords = decision.behavior === 'deny' && decision.by === 'user' && decision.message !== undefined;
        done(isWords ? { ...decision, message: rejectedBecause(decision.message) } : decision);
      };
    });
    this.#open = { dialog, resolve };
    this.draw();
    return {
      answer,
      close: () => {
        this.#open = null;
        this.draw();
      },
    };
  }

  interrupted() {
    const last = this.blocks.at(-1);
    if (last?.kind === 'answer' || last?.kind === 'sent') last.isInterrupted = true;
    this.draw();
  }

  failed(/** @type {any} */ { shown, isNote }) {
    this.#add(isNote === true ? 'note' : 'answer', { text: shown, isError: true });
    if (isNote === true) this.#hint = recordedRow('resendHint');
    this.draw();
  }

  promptRefused(/** @type {string} */ text, /** @type {string} */ reason) {
    this.#work = null;
    this.blocks.pop();
    this.#add('note', { text: `UserPromptSubmit operation blocked by hook: ${reason}` });
    this.box = text;
    this.engine.registry.say('idle');
    this.draw();
  }

  promptPutBack(/** @type {string} */ text) {
    this.#work = null;
    const at = this.blocks.findLastIndex(({ kind, text: sent }) => kind === 'sent' && sent === text);
    if (at !== -1) this.blocks.splice(at);
    this.box = text;
    this.draw();
  }

  turnEnded(/** @type {string} */ how) {
    const work = this.#work;
    this.#work = null;
    if (how === 'done' && work !== null) {
      this.#addWorked(Date.now() - work.startedAt, new Date());
    }
    this.draw();
  }

  /** @param {number} durationMs @param {Date} at */
  #addWorked(durationMs, at) {
    const turn = { count: this.blocks.length, durationMs, at, tasks: this.engine.tasks.size };
    this.#add('worked', { row: workedRow(turn) });
  }

  rested() {
    this.draw();
    void this.reportFigures?.();
  }

  /** The rows that the command of the status line printed. @param {string[]} rows */
  showStatusLine(rows) {
    this.#statusLine = rows.map((row) => `  ${row}`);
    this.draw();
  }

  /** Leaves the terminal as it was found. */
  leave() {
    this.screen.leave();
    process.stdout.write('\x1b[?2004l\x1b[?25h');
    process.stdin.setRawMode(false);
  }
}

/** @param {string} text @param {number} width */
const wrapBox = (text, width) => wrap(text, width);
