import { detailOfQuestion, type Question, type Session } from '../../src/protocol/index.ts';
import { someSession } from './some-session.ts';

const { status } = someSession('X');
const ASKED_AT = status.since;

/** Returns a session that asks a question. By default, it asks for permission to run a command. */
export function asking(some: Partial<Question> = {}): Partial<Session> {
  const question: Question = {
    id: 'q1',
    kind: 'permission',
    text: 'Bash command\nnpm test\nDo you want to proceed?',
    tool: { name: 'Bash', input: { command: 'npm test', description: 'Run the tests' } },
    options: [
      { key: '1', label: 'Yes', description: null, means: 'yes' },
      { key: '2', label: 'Yes, and don’t ask again for npm test', description: null, means: 'always' },
      { key: '3', label: 'No', description: null, means: 'no' },
    ],
    multi: false,
    questions: [],
    asked_at: ASKED_AT,
    ...some,
  };
  const detail = detailOfQuestion(question.kind);
  return { state: 'waiting', status: { ...status, primary: 'waiting', detail, question } };
}

/** Returns a session that has asked several questions, oldest first, of which none has been answered. */
export function askingAll(...some: Partial<Question>[]): Partial<Session> {
  const all = some.map((one) => asking(one).status?.question).filter((one) => one != null);
  const { status: first, ...rest } = asking(some[0]);
  return first === undefined ? rest : { ...rest, status: { ...first, questions: all } };
}

/** Returns a question for permission to run a command, whose text and options name the command. */
export function someCommand(id: string, command: string): Partial<Question> {
  const always = `Yes, and don’t ask again for ${command}`;
  return {
    id,
    text: `Bash command\n${command}\nDo you want to proceed?`,
    tool: { name: 'Bash', input: { command } },
    options: [
      { key: '1', label: 'Yes', description: null, means: 'yes' },
      { key: '2', label: always, description: null, means: 'always' },
      { key: '3', label: 'No', description: null, means: 'no' },
    ],
  };
}

export const WORKING: Partial<Session> = {
  state: 'working',
  status: {
    ...status,
    primary: 'active',
    detail: 'using_tools',
    because: { source: 'hook', rule: 'hook.PreToolUse', evidence: 'Bash: npm test' },
  },
};

export const DONE: Partial<Session> = {
  state: 'waiting',
  status: { ...status, primary: 'idle', detail: 'waiting_input' },
};

/** A session whose turn failed, for example because of a usage limit. */
export const FAILED: Partial<Session> = {
  state: 'waiting',
  status: { ...status, primary: 'idle', detail: 'error' },
};

/** A session in a terminal whose prompt one of the user's own hooks refused. */
export const REFUSED: Partial<Session> = {
  state: 'waiting',
  status: {
    ...status,
    primary: 'idle',
    detail: 'error',
    because: {
      source: 'screen',
      rule: 'screen.prompt.error-colour',
      evidence: 'One of your own hooks refused the prompt: No secrets, please.',
    },
  },
};

/** A session that a reboot ended. */
export const LOST: Partial<Session> = {
  state: 'dead',
  status: { ...status, primary: 'dead', detail: null, health: 'DEAD' },
  lost: 'reboot',
};
