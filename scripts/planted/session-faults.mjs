/** @typedef {import('./faults.mjs').Fault} Fault */

const README = 'README.md';
const SECURITY = 'docs/SECURITY.md';
const FAULTS_PAGE = 'docs/FAULTS.md';
const DELIVERY = 'docs/explanation/delivery.md';
const STATUS = 'docs/explanation/status.md';
const RECORDINGS = 'docs/guides/recordings.md';

/** Faults in what CBOS knows, sends, answers and keeps. @type {readonly Fault[]} */
export const SESSION_FAULTS = [
  // Whether the status is right.
  {
    name: 'permission-looks-like-work',
    page: README,
    promise: 'always know which one needs you',
    file: 'src/core/status/hooks/hook-rules.ts',
    text: "return { primary: 'waiting', detail, evidence, since: asked.requestedAt };",
    instead:
      "return { primary: detail === 'permission' ? 'active' : 'waiting', detail, evidence, since: asked.requestedAt };",
    suites: ['test/core/status/hooks.test.ts', 'test/core/status/rules.test.ts'],
  },
  {
    name: 'running-turn-not-read',
    page: STATUS,
    promise: 'what you would see, drawn from the recording',
    file: 'src/core/status/screen/generation-2.1.ts',
    text: '/(?:^\\s*|· )esc to int/m',
    instead: '/^\\s*esc to int/m',
    suites: ['test/core/status/recordings.test.ts', 'test/core/status/screen.test.ts'],
  },
  {
    name: 'interrupt-not-seen',
    page: STATUS,
    promise:
      'After Esc no hook fires, so an empty prompt that has been on the screen for 600 ms wins over a hook that reports *working*.',
    file: 'src/core/status/arbitrate/dispute.ts',
    text: '    later: idleAfterTurn(screen),\n    whyFirst: isWritten',
    instead: '    later: hook,\n    whyFirst: isWritten',
    suites: ['test/core/status/arbitration.test.ts'],
  },
  {
    name: 'ended-process-not-believed',
    page: STATUS,
    promise: 'if the process no longer exists, the session is dead, whatever its last screen showed',
    file: 'src/core/status/arbitrate/arbitrate.ts',
    text: 'if (process !== null) return final(process, WHY_PROCESS[whyProcess(process)]);',
    instead: 'if (process !== null && screen === null) return final(process, WHY_PROCESS[whyProcess(process)]);',
    suites: ['test/core/status/arbitration.test.ts'],
  },

  // Whether prompts arrive once, in full, and in the right place.
  {
    name: 'journal-after-typing',
    page: DELIVERY,
    promise: 'CBOS writes the text to a journal on disk before it types the first key.',
    file: 'src/server/screen/carry-on.ts',
    text: `    if (!isEnter) journal.apply(changes);
    try {
      // If CBOS cannot save that it is about to press Enter, it does not press Enter and the delivery fails.
      if (isEnter) journal.apply(changes);
      return effect === null ? {} : await perform(actor, effect);
`,
    instead: `    try {
      const done = effect === null ? {} : await perform(actor, effect);
      journal.apply(changes);
      return done;
`,
    suites: ['test/faults/full-home.test.ts', 'test/faults/kills.test.ts', 'test/torture/torture.test.ts'],
  },
  {
    name: 'entered-prompt-sent-again',
    page: FAULTS_PAGE,
    promise: 'No server types the prompt twice.',
    file: 'src/core/delivery/signs.ts',
    text: "if (phase === 'typing') return",
    instead: "if (phase === 'typing' || phase === 'entering') return",
    suites: ['test/core/delivery/watch.test.ts'],
  },
  {
    name: 'repeated-key-sends-again',
    page: DELIVERY,
    promise: 'requests with the same key and text count as one delivery',
    file: 'src/platform/sqlite/delivery-store.ts',
    text: 'WHERE session_id = ? AND idempotency_key = ?',
    instead: 'WHERE session_id = ? AND idempotency_key = ? AND held = 1',
    suites: ['test/platform/sqlite/stores.test.ts'],
  },
  {
    name: 'prompt-typed-into-dialog',
    page: DELIVERY,
    promise: 'If the session has a dialog open, CBOS refuses the text and returns the question.',
    file: 'src/core/delivery/decide.ts',
    text: "if (isAsking(context.status)) return { kind: 'refuse', why: 'asking', question };",
    instead: "if (isAsking(context.status) && request.queue) return { kind: 'refuse', why: 'asking', question };",
    suites: ['test/core/delivery/decide.test.ts'],
  },
  {
    name: 'enter-pressed-in-dialog',
    page: DELIVERY,
    promise: 'CBOS presses Enter only if the prompt box shows this text and nothing else.',
    file: 'src/core/delivery/type-text.ts',
    text: "if (isDialog) return go(over('settled'), { changes: [{ id, phase: 'behind_dialog', held: true }] });",
    instead:
      "if (isDialog && typed.command) return go(over('settled'), { changes: [{ id, phase: 'behind_dialog', held: true }] });",
    suites: ['test/core/delivery/type-text.test.ts', 'test/core/delivery/any-world.test.ts'],
  },
  {
    name: 'paste-ends-early',
    page: SECURITY,
    promise:
      'A prompt contains key codes, an end-of-paste sequence, `$(…)`, or a leading `!` or `/` | The prompt arrives as text, or CBOS refuses it.',
    file: 'src/core/delivery/paste.ts',
    text: '/(?:\\x1b\\[|\\x9b)20[01]~|[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]/g',
    instead: '/\\x9b20[01]~|[\\x00-\\x08\\x0b-\\x1a\\x1c-\\x1f\\x7f-\\x9f]/g',
    suites: ['test/core/delivery/paste.test.ts'],
  },
  {
    name: 'prompt-runs-a-shell-command',
    page: SECURITY,
    promise: 'A prompt executes nothing on its own and answers no dialog.',
    file: 'src/core/delivery/decide.ts',
    text: "return text.startsWith('!') || text.startsWith('/');",
    instead: "return text.startsWith('/');",
    suites: ['test/core/delivery/decide.test.ts'],
  },

  // Whether answers reach the question that the user read.
  {
    name: 'stale-question-answered',
    page: SECURITY,
    promise: 'CBOS applies an answer only to the question that the user read.',
    file: 'src/server/session/open-question.ts',
    text: 'questionOf(memory, id);',
    instead: '(questionOf(memory, id) ?? oldest);',
    suites: ['test/e2e/json-sessions.test.ts'],
  },
  {
    name: 'dialog-inherits-an-id',
    page: SECURITY,
    promise: 'CBOS applies an answer only to the question that the user read.',
    file: 'src/core/status/identity.ts',
    text: 'const isAnswered = known?.isAsked === true && called?.isAsked === false;',
    instead: 'const isAnswered = false;',
    suites: ['test/core/status/identity.test.ts'],
  },
  {
    name: 'answers-swapped',
    page: README,
    promise: 'CBOS delivers each answer to the dialog that it was meant for, or refuses it.',
    file: 'src/core/answer/reply.ts',
    text: '(parts[index]?.options ?? [])',
    instead: '(parts[parts.length - 1 - index]?.options ?? [])',
    suites: ['test/core/answer/reply.test.ts'],
  },
  {
    name: 'yes-bypasses-permissions',
    page: README,
    promise: 'CBOS delivers each answer to the dialog that it was meant for, or refuses it.',
    file: 'src/core/status/option-meaning.ts',
    text: "  [/^yes\\b.*\\b(?:bypass|clear context)\\b/i, 'more'],\n",
    instead: '',
    suites: ['test/core/answer/answer.test.ts', 'test/core/status/screen.test.ts'],
  },
  {
    name: 'unseen-call-allowed',
    page: SECURITY,
    promise: 'A longer call can be allowed only at the terminal.',
    file: 'src/core/answer/answer.ts',
    text: "if (question.cut !== true || plan.kind !== 'select') return plan;",
    instead: "if (question.cut !== true || plan.kind !== 'select' || plan.remark === null) return plan;",
    suites: ['test/core/answer/answer.test.ts'],
  },

  // Whether recordings are complete, and can be searched, replayed and exported.
  {
    name: 'split-characters-dropped',
    page: RECORDINGS,
    promise: "the recording's bytes, as they are written",
    file: 'src/server/stream/recording-feed.ts',
    text: 'splitUtf8(Buffer.concat([this.#carry, ...this.#pending]))',
    instead: 'splitUtf8(Buffer.concat(this.#pending))',
    suites: ['test/server/stream/stream-hub.test.ts', 'test/server/stream/any-split.test.ts'],
  },
  {
    name: 'packed-part-read-from-its-start',
    page: README,
    promise: 'CBOS records everything that sessions show, so that you can search, replay and export it.',
    file: 'src/platform/recorder/recorded-file.ts',
    text: 'whole.copy(bytes, Math.max(0, part.from - from), Math.max(0, from - part.from));',
    instead: 'whole.copy(bytes, Math.max(0, part.from - from), 0);',
    suites: ['test/platform/recorder/parts.test.ts'],
  },
  {
    name: 'hole-is-output',
    page: FAULTS_PAGE,
    promise: 'CBOS never treats a hole in the file as output.',
    file: 'src/platform/recorder/tail-recording.ts',
    text: 'hole === bytes.length || hole >= HOLE_BYTES || (hole > 0 && this.inHole) ? hole : 0',
    instead: 'hole >= HOLE_BYTES * HOLE_BYTES || (hole > 0 && this.inHole) ? hole : 0',
    suites: ['test/platform/recorder/tail.test.ts'],
  },
  {
    name: 'search-finds-any-word',
    page: RECORDINGS,
    promise: 'Each hit contains all the words that you searched for.',
    file: 'src/core/search/query.ts',
    text: ".join(' AND ')",
    instead: ".join(' OR ')",
    suites: ['test/platform/search/search-index.test.ts'],
  },
  {
    name: 'replay-queries-the-terminal',
    page: RECORDINGS,
    promise:
      "A replay only draws on the screen: it copies nothing to your clipboard, and does not change your terminal's title.",
    file: 'src/core/recording/safe-output.ts',
    text: "'@ABCDEFGHIJKLMPSTXZ`abdefgmrsu'",
    instead: "'@ABCDEFGHIJKLMPSTXZ`abcdefgmnrsu'",
    suites: ['test/core/recording/safe-output.test.ts'],
  },
  {
    name: 'export-splits-characters',
    page: RECORDINGS,
    promise: 'for asciinema and its player',
    file: 'src/platform/recorder/export-recording.ts',
    text: 'decoder.decode(step.bytes, { stream: true })',
    instead: 'decoder.decode(step.bytes)',
    suites: ['test/cli/recordings.test.ts'],
  },

  // Whether sessions outlive servers, reboots and idle times.
  {
    name: 'two-servers-on-one-home',
    page: FAULTS_PAGE,
    promise: 'The second server reports in one line that a server is already running.',
    file: 'src/platform/sqlite/home-lock.ts',
    text: 'BEGIN EXCLUSIVE',
    instead: 'BEGIN',
    suites: ['test/faults/one-server.test.ts'],
  },
  {
    name: 'json-session-ends-with-the-terminal',
    page: README,
    promise: 'Sessions keep running when CBOS stops or crashes, and CBOS finds them again the next time it starts.',
    file: 'src/platform/claude/json/process.ts',
    text: 'env: { ...env }, detached: true, stdio',
    instead: 'env: { ...env }, detached: false, stdio',
    suites: ['test/platform/claude/json-process.test.ts'],
  },
  {
    name: 'process-not-found-again',
    page: README,
    promise: 'Sessions keep running when CBOS stops or crashes, and CBOS finds them again the next time it starts.',
    file: 'src/server/json/find-process.ts',
    text: 'marked.find((one) => !marked.some(',
    instead: 'marked.slice(1).find((one) => !marked.some(',
    suites: ['test/faults/crash.test.ts'],
  },
  {
    name: 'launch-not-found-again',
    page: README,
    promise: 'Sessions keep running when CBOS stops or crashes, and CBOS finds them again the next time it starts.',
    file: 'src/server/sessions/survey-screens.ts',
    text: 'actor.record.screenId !== null || daemon === null) return;',
    instead: 'actor.record.screenId === null || daemon === null) return;',
    suites: ['test/faults/crash.test.ts'],
  },
  {
    name: 'restored-without-its-conversation',
    page: README,
    promise: '`cbos restore` brings back the sessions that a reboot ended.',
    file: 'src/core/restore/plan.ts',
    text: "if (seen.hasConversation) return { kind: 'resume' };",
    instead: "if (seen.hasConversation) return { kind: 'anew' };",
    suites: ['test/core/restore/plan.test.ts'],
  },
  {
    name: 'option-taken-for-a-conversation',
    page: SECURITY,
    promise: 'CBOS resumes a conversation only if its id is valid.',
    file: 'src/platform/claude/own-files.ts',
    text: '/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i',
    instead: '/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i',
    suites: ['test/attacks/conversation-ids.test.ts', 'test/platform/claude/conversations.test.ts'],
  },
  {
    name: 'idle-json-session-keeps-its-process',
    page: 'docs/guides/scripts.md',
    promise: 'While it has nothing to do, it has no process.',
    file: 'src/server/json/driver.ts',
    text: 'json_idle_timeout * 1_000',
    instead: 'json_idle_timeout * 1_000_000',
    suites: ['test/e2e/json-sessions.test.ts'],
  },
  {
    name: 'json-prompt-begins-anew',
    page: FAULTS_PAGE,
    promise: 'The next prompt continues the conversation.',
    file: 'src/platform/claude/json/command.ts',
    text: "[conversation.kind === 'resume' ? '--resume' : '--session-id', conversation.sessionId]",
    instead: "['--session-id', conversation.sessionId]",
    suites: ['test/e2e/json-sessions.test.ts'],
  },
];
