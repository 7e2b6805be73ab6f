import type { Question, Status } from '../../src/protocol/index.ts';
import { someSession } from '../harness/some-session.ts';

export const PERMISSION: Question = {
  id: 'q1',
  kind: 'permission',
  text: 'Do you want to proceed?',
  tool: { name: 'Bash', input: { command: 'npm test', description: 'Runs the tests' } },
  options: [
    { key: '1', label: 'Yes', description: null, means: 'yes' },
    { key: '2', label: 'Yes, and don’t ask again', description: null, means: 'always' },
    { key: '3', label: 'No', description: 'and say what to do', means: 'no' },
  ],
  multi: false,
  questions: [],
  asked_at: '2026-11-20T15:04:05.123Z',
};

/** Returns the status of a session that was never prompted, with changes. */
export function statusOf(some: Partial<Status>): Status {
  return { ...someSession('X').status, ...some };
}

export const WAITS_FOR_PERMISSION = {
  state: 'waiting',
  status: statusOf({
    primary: 'waiting',
    detail: 'permission',
    question: PERMISSION,
    because: { source: 'hook', rule: 'hook.PermissionRequest', evidence: 'Bash: npm test' },
  }),
} as const;

export const WORKS = {
  state: 'working',
  status: statusOf({
    primary: 'active',
    detail: 'using_tools',
    because: { source: 'hook', rule: 'hook.PreToolUse', evidence: 'Bash: make' },
  }),
} as const;

export const FAILED = {
  state: 'error',
  status: statusOf({
    primary: 'idle',
    detail: 'error',
    since: '2026-11-20T15:04:09.000Z',
    because: { source: 'hook', rule: 'hook.StopFailure', evidence: 'API Error: 400' },
  }),
} as const;

export const WAITS_FOR_INPUT = {
  state: 'waiting',
  status: statusOf({
    primary: 'idle',
    detail: 'waiting_input',
    since: '2026-11-20T15:04:09.000Z',
    because: { source: 'hook', rule: 'hook.Stop', evidence: 'Done.' },
  }),
} as const;
