import type { Reply } from '../../src/demo/scenes/scene.ts';
import type { ClaudeVersion } from '../../src/platform/claude/index.ts';
import type { Detail } from '../../src/protocol/index.ts';
import type { Truth, Whose } from './truth.ts';

/**
 * The actions of a scene while it is recorded. Nothing here reports the contents of the screen, because labels must not
 * depend on the screen.
 */
export interface Stage {
  truth: Truth;
  version: ClaudeVersion;
  /**
   * waits until the program has started and is idle, and a while longer; `waiting` if a dialog comes before the prompt
   */
  ready(state?: 'idle' | 'waiting'): Promise<void>;
  /** types the keys unchanged */
  press(keys: string): Promise<void>;
  /** types a text and presses Enter, as a person would */
  prompt(text: string): Promise<void>;
  /** answers the dialog that a tool has opened */
  answer(keys: string, why: string): Promise<void>;
  rest(ms: number): Promise<void>;
  /** waits long enough that the current state can be judged */
  settle(): Promise<void>;
  /**
   * Waits for the next event of this kind that no call has waited for yet. Without `whose`, only events of the
   * session's own turn count. `end` is the end of an answer without a tool call.
   */
  heard(
    kind: 'request' | 'first-byte' | 'tool' | 'end' | 'failed' | 'aborted',
    more?: { whose?: Whose; timeoutMs?: number },
  ): Promise<void>;
  /** waits until the process has ended */
  exited(): Promise<void>;
  kill(): void;
  resize(cols: number, rows: number): Promise<void>;
  /** cuts the connection to the stand-in, or opens it again */
  network(how: 'reset' | 'refuse' | 'restore'): Promise<void>;
  /** waits until this many connections were reset, counted from the beginning */
  attempts(count: number): Promise<void>;
  /** waits until no connection was tried for this long; resolves to the time of the last one, in Unix milliseconds */
  lastAttempt(quietMs: number): Promise<number>;
  /** waits for a file in the project, which a command of the scene writes at its end */
  written(name: string): Promise<void>;
}

export interface RecordedScene {
  about: string;
  /** the replies by the name in the prompt (`scene:NAME`); the catalogue of the demo answers all other names */
  replies?: Readonly<Record<string, readonly Reply[]>>;
  /** the tools whose call opens a dialog, with what the dialog asks */
  asks?: Readonly<Record<string, Detail>>;
  /** matches the prompts of subagents */
  helpers?: RegExp;
  endsWithQuestion?: boolean;
  /** the number of failed attempts that end a turn; 1 if omitted */
  attempts?: number;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** permission rules in addition to those of the example project */
  allow?: readonly string[];
  /** executable scripts for the project, by name */
  files?: Readonly<Record<string, string>>;
  /**
   * the missing parts of the home: the trust of the project, or the approval of the key. In a completely empty home,
   * Claude Code calls the vendor at its first start, and ends if it gets no answer.
   */
  without?: 'trust' | 'key';
  cols?: number;
  rows?: number;
  play(stage: Stage): Promise<void>;
}

export const KEYS = {
  escape: '\x1b',
  enter: '\r',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  tab: '\t',
  shiftTab: '\x1b[Z',
  ctrlC: '\x03',
  ctrlO: '\x0f',
} as const;
