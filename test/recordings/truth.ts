import type { Detail } from '../../src/protocol/index.ts';
import type { TimedApiEvent } from '../harness/claude.ts';

/** The state of a session as a label contains it. `waiting-or-idle` means that both words are right. */
export type TrueState = 'starting' | 'idle' | 'active' | 'waiting' | 'error' | 'dead' | 'waiting-or-idle';

/** A line of `SCENE.labels.jsonl`, but with Unix milliseconds instead of seconds since the recording's start. */
export type TimedLabel =
  | { at: number; state: TrueState; why: string; detail?: Detail }
  | { at: number; event: string; tag: string };

export interface TruthOptions {
  /** the tools whose call opens a dialog, with what the dialog asks */
  asks: Readonly<Record<string, Detail>>;
  /** matches the prompts of subagents; the end of their answers does not end the session's turn */
  helpers: RegExp | null;
  /** whether a turn ends with a question to the user in words */
  endsWithQuestion: boolean;
  /** how many failed attempts of one request end the turn; Claude Code repeats the request until then */
  attempts: number;
}

/** `helper`: a request of a subagent, inside the session's turn; `side`: a title, a summary, or a warm-up */
export type Whose = 'turn' | 'helper' | 'side';

/**
 * Requests that have tools but belong to no turn. 2.0.x warms up at its start. After a turn, 2.1.x asks the model what
 * the user may type next.
 */
const BESIDE_THE_TURN = /^Warmup$|\[SUGGESTION MODE/;

/**
 * Collects the true states of a recording from the requests and answers of the stand-in, from the keys that the scene
 * typed, and from the process. They never come from the screen, because these states are used to judge what is read
 * from the screen.
 */
export class Truth {
  private readonly found: TimedLabel[] = [];
  private state: TrueState | null = null;
  /** the requests that have not ended, and whether a tool was called in them */
  private readonly open = new Map<number, { tag: string; usesTool: boolean; whose: Whose }>();
  private failures = 0;
  private isTurnOpen = false;
  /** when the last prompt was sent; null once its request has come */
  private sentAt: number | null = null;
  /** whose tool has opened a dialog */
  private asking: Whose | null = null;

  constructor(
    private readonly options: TruthOptions,
    private readonly now: () => number,
  ) {}

  /**
   * Records that the session is in this state from `at` on (now if omitted). Repeating the current state adds nothing.
   */
  say(state: TrueState, why: string, more: { detail?: Detail; at?: number } = {}): void {
    if (state === 'idle' || state === 'error') this.isTurnOpen = false;
    if (state === this.state) return;
    this.state = state;
    const { detail, at = this.now() } = more;
    this.found.push({ at, state, why, ...(detail === undefined ? {} : { detail }) });
  }

  /**
   * Records that Enter was pressed on a text. If an idle session got a prompt that way, its turn began now, and not
   * with the request.
   */
  sent(): void {
    if (!this.isTurnOpen) this.sentAt = this.now();
  }

  /**
   * Records that the open dialog was answered. The turn continues, or a background helper does while the session is
   * idle.
   */
  answered(why: string): void {
    this.asking = null;
    this.say(this.isTurnOpen ? 'active' : 'idle', why);
  }

  note(event: string, tag: string, at = this.now()): void {
    this.found.push({ at, event, tag });
  }

  hear(event: TimedApiEvent): Whose {
    if (event.kind === 'request') return this.hearRequest(event);
    const request = this.open.get(event.request);
    if (request === undefined) return 'side';
    const { tag, whose } = request;
    this.note(event.kind, tag, event.at);
    switch (event.kind) {
      case 'tool': {
        request.usesTool = true;
        const detail = this.options.asks[event.name];
        if (detail === undefined) break;
        this.asking = whose;
        this.say('waiting', `tool needs an answer: ${event.name}`, { detail, at: event.at });
        break;
      }
      case 'end':
        this.open.delete(event.request);
        this.failures = 0;
        if (whose === 'turn' && !request.usesTool) this.endTurn(event.at);
        break;
      case 'failed':
        this.open.delete(event.request);
        this.failures += 1;
        if (this.failures >= this.options.attempts) this.say('error', 'api error', { at: event.at });
        break;
      case 'aborted':
        this.open.delete(event.request);
        break;
      case 'first-byte':
      case 'thinking':
      case 'text':
        break;
    }
    return whose;
  }

  /** Returns all labels, sorted by time. */
  labels(): TimedLabel[] {
    return [...this.found].sort((a, b) => a.at - b.at);
  }

  private hearRequest(event: TimedApiEvent & { kind: 'request' }): Whose {
    if (event.scene === null || BESIDE_THE_TURN.test(event.prompt)) return 'side';
    const whose = this.options.helpers?.test(event.prompt) ? 'helper' : 'turn';
    const tag = whose === 'helper' ? 'subagent' : event.step === 0 ? event.scene : 'after-tool';
    this.open.set(event.request, { tag, usesTool: false, whose });
    this.note('request', tag, event.at);
    if (this.asking === whose) this.asking = null;
    if (whose === 'turn') {
      const at = this.isTurnOpen ? event.at : (this.sentAt ?? event.at);
      this.isTurnOpen = true;
      this.sentAt = null;
      if (this.asking === null) this.say('active', `request ${tag}`, { at });
    }
    return whose;
  }

  private endTurn(at: number): void {
    this.isTurnOpen = false;
    if (this.asking !== null) return;
    if (this.options.endsWithQuestion) this.say('waiting-or-idle', 'the turn ended with a question', { at });
    else this.say('idle', 'end of turn', { at });
  }
}
