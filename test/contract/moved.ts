/**
 * The files whose tests ran the real Claude Code once and run the stand-in for it now, each with the scenes of the
 * contract that show that both do the same. A scene's name is its name in `test/contract/traces/`; `json` precedes
 * those without a terminal. Tests of what only the real program can prove stay with it: answers, delivery, interrupts,
 * replies, hooks, covers of the prompt, limits, costs, and the first day (`e2e/hello.test.ts`).
 */
export const MOVED: Readonly<Record<string, readonly string[]>> = {
  'e2e/json-faults.test.ts': ['json hello', 'json permission', 'json interrupt', 'interrupt-early', 'interrupt-tool'],
  'e2e/json-sessions.test.ts': [
    'json permission',
    'json question',
    'json error',
    'json interrupt',
    'read',
    'permission-twice',
  ],
  'e2e/lifecycle.test.ts': [
    'start',
    'hello',
    'think',
    'permission-yes',
    'background',
    'terminated',
    'resume',
    'clear',
    'exit',
  ],
  'e2e/stash.test.ts': ['hello', 'slow', 'interrupt-early', 'permission-yes', 'draft', 'clear'],
  'e2e/stuck.test.ts': ['slow', 'interrupt-tool', 'interrupt-early', 'permission-yes', 'killed'],
  'e2e/web-page.test.ts': ['hello', 'ask-multi', 'plan-manual', 'permission-reply-yes'],
  'faults/commands-on-a-full-home.test.ts': ['hello', 'interrupt-early', 'interrupt-late', 'permission-yes'],
  'faults/crash.test.ts': ['hello', 'draft', 'terminated', 'resume'],
  'faults/database-lost.test.ts': ['hello', 'permission-yes', 'resume'],
  'faults/lost-sockets.test.ts': ['start', 'hello'],
  'faults/person-attached.test.ts': ['hello', 'interrupt-late', 'permission-yes', 'draft'],
  'faults/processes.test.ts': ['start', 'hello', 'think', 'interrupt-early', 'killed', 'terminated', 'resume', 'exit'],
  'faults/unread-terminal.test.ts': ['hello', 'killed'],
};
