import type { Reply } from '../../src/demo/scenes/scene.ts';
import type { ClaudeVersion } from '../../src/platform/claude/index.ts';
import type { Detail } from '../../src/protocol/index.ts';
import type { Truth, Whose } from './truth.ts';

/**
 * What a scene has in its hands while it is recorded. Nothing here tells what the screen shows: labels must not depend
 * on it.
 */
export interface Stage {
  truth: Truth;
  version: ClaudeVersion;
  /**
   * waits until the program is up and at rest, and a while more; `waiting` for a dialog that stands before the prompt
   */
  ready(state?: 'idle' | 'waiting'): Promise<void>;
  /** keys as they are */
  press(keys: string): Promise<void>;
  /** a text and Enter, as a person would */
  prompt(text: string): Promise<void>;
  /** answers the dialog that a tool has opened */
  answer(keys: string, why: string): Promise<void>;
  rest(ms: number): Promise<void>;
  /** long enough that what is up can be judged */
  settle(): Promise<void>;
  /**
   * The next event of this kind that nobody has waited for yet; of the session's own turn when not said otherwise.
   * `end` is the end of an answer without a tool call.
   */
  heard(
    kind: 'request' | 'first-byte' | 'tool' | 'end' | 'failed' | 'aborted',
    more?: { whose?: Whose; timeoutMs?: number },
  ): Promise<void>;
  /** waits for the process's end */
  exited(): Promise<void>;
  kill(): void;
  resize(cols: number, rows: number): Promise<void>;
  /** cuts the way to the stand-in, or opens it again */
  network(how: 'reset' | 'refuse' | 'restore'): Promise<void>;
  /** waits for so many connections that were reset, counted from the beginning */
  attempts(count: number): Promise<void>;
  /** waits until no connection was tried for so long; when the last one was, in Unix milliseconds */
  lastAttempt(quietMs: number): Promise<number>;
  /** waits for a file in the project, which a command of the scene writes when it ends */
  written(name: string): Promise<void>;
}

export interface RecordedScene {
  about: string;
  /** by the name in the prompt (`scene:NAME`); the catalogue of the demo answers names that are not here */
  replies?: Readonly<Record<string, readonly Reply[]>>;
  /** tools whose call opens a dialog */
  asks?: Readonly<Record<string, Detail>>;
  /** prompts of subagents */
  helpers?: RegExp;
  endsWithQuestion?: boolean;
  /** failed attempts that end a turn; 1 when left out */
  attempts?: number;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** permission rules beside the example project's */
  allow?: readonly string[];
  /** scripts that are put into the project, executable */
  files?: Readonly<Record<string, string>>;
  /**
   * what the home lacks: the trust of the project, or the approval of the key (a very first start calls the vendor, and
   * ends without)
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
