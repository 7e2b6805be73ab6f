import { type DeliveryRecord, RECENT, statusOf } from '../../src/core/delivery/record.ts';
import { isDialogOpen, type Seen, type ToldTexts } from '../../src/core/delivery/seen.ts';
import { takenBy } from '../../src/core/delivery/signs.ts';
import type { Effect, Step } from '../../src/core/delivery/step.ts';
import { type Cover, NO_FLOW, NO_HOOKS, type PendingTool, type ScreenDialog } from '../../src/core/status/index.ts';
import type { DeliveryPhase, Primary, Question } from '../../src/protocol/index.ts';

/** The state of a terminal session, as far as delivery depends on it. */
export interface Shown {
  draft: string | null;
  cover: Cover | null;
  /** whether a dialog is drawn */
  dialog: boolean;
  primary: Primary | null;
  /** whether the screen shows a running turn, regardless of the status */
  drawnRunning: boolean;
  footer: string;
  isUnread: boolean;
  isDead: boolean;
  isLaunched: boolean;
  isQueueStopped: boolean;
  isOverBudget: boolean;
  tools: readonly PendingTool[];
  /** how long ago a turn ended, according to the hooks */
  turnEndAt: number | null;
  /** whether the status shows that the last turn was interrupted */
  isInterrupted: boolean;
  /** the last prompt that a hook reported, or null */
  prompt: string | null;
  conversed: Seen['conversed'];
  told: ToldTexts | null;
}

/** Something that happens outside the machine, some time after one of its actions, or after the beginning. */
export interface Reaction {
  /** `aiming`: while CBOS is about to press Enter */
  on: Effect['kind'] | 'beginning' | 'aiming';
  afterMs: number;
  see?: Partial<Shown>;
  /** a hook reports a prompt */
  hook?: string;
  /** somebody removes the message from CBOS's queue */
  cancel?: string;
}

const BEGINNING = Date.UTC(2026, 10, 22);

/** Runs a `core/delivery` machine on a clock that jumps ahead, without processes, terminals, or waiting. */
export class DeliveryScene {
  readonly records: DeliveryRecord[] = [];
  /** the machine's effects and changes, in order: an effect's kind, or `id: phase` */
  readonly log: string[] = [];
  /** when each log entry was added, in milliseconds from the beginning */
  readonly times: number[] = [];
  /** every change of phase, `from → to` */
  readonly transitions = new Set<string>();
  shown: Shown = {
    draft: null,
    cover: null,
    dialog: false,
    primary: 'idle',
    drawnRunning: false,
    footer: '',
    isUnread: false,
    isDead: false,
    isLaunched: true,
    isQueueStopped: false,
    isOverBudget: false,
    tools: [],
    turnEndAt: null,
    isInterrupted: false,
    prompt: null,
    conversed: 'known',
    told: null,
  };
  clearedAt = 0;
  /** how many Enters were withheld, because a dialog opened at the last moment */
  withheld = 0;
  left: Seen['left'] = null;
  #elapsed = 0;
  #since = BEGINNING - 60_000;
  #progressedAt = BEGINNING - 60_000;
  #due: { at: number; reaction: Reaction }[] = [];
  #changes = 0;

  add(id: string, more: Partial<DeliveryRecord> = {}): DeliveryRecord {
    const at = BEGINNING - 1_000 + this.records.length;
    const record: DeliveryRecord = {
      id,
      sessionId: 's',
      text: `text of ${id}`,
      command: false,
      phase: 'held',
      intoQueue: false,
      createdAt: at,
      updatedAt: at,
      removed: 0,
      idempotencyKey: null,
      held: false,
      reason: null,
      sender: null,
      ...more,
    };
    this.records.push(record);
    return record;
  }

  phase(id: string): DeliveryPhase | undefined {
    return this.records.find((one) => one.id === id)?.phase;
  }

  see(): Seen {
    const { shown } = this;
    const question = { kind: shown.dialog ? 'permission' : 'closing', tool: null, text: 'May I?' } as Question;
    const of = (status: string): DeliveryRecord[] => this.records.filter((one) => statusOf(one) === status);
    const primary = shown.drawnRunning ? 'active' : shown.primary;
    const reading = {
      rule: '',
      primary,
      detail: null,
      evidence: '',
      dialog: shown.dialog ? ({} as ScreenDialog) : null,
      draft: shown.draft,
      cover: shown.cover,
      lastMessage: null,
      footerRow: 3,
    };
    const lines = ['────', `❯ ${shown.draft ?? ''}`, '────', shown.footer];
    const frame = { lines, cursor: { row: 1, col: 2 }, cols: 80, rows: 24, dimRows: [] };
    const since = this.#since;
    const screen = {
      frame,
      reading,
      readingSince: since,
      primarySince: since,
      settled: { alone: null, accompanied: null },
      flow: NO_FLOW,
      next: null,
      isLate: false,
      dialogSeenAt: null,
      clearSince: null,
      clearedAt: null,
      changedAt: this.#progressedAt,
      progressedAt: this.#progressedAt,
    };
    const turnEnd =
      shown.turnEndAt === null ? null : { at: BEGINNING + shown.turnEndAt, event: 'Stop', error: null, message: null };
    return {
      now: { wall: BEGINNING + this.#elapsed, elapsed: this.#elapsed },
      status: {
        ...{ primary: shown.primary, detail: null, since },
        question: shown.primary === 'waiting' ? question : null,
        ...(shown.isInterrupted ? { isInterrupted: true as const } : {}),
      },
      screen,
      hooks: {
        ...{ ...NO_HOOKS, tools: shown.tools, turnEnd },
        prompt: shown.prompt === null ? null : { at: BEGINNING, text: shown.prompt },
      },
      isLaunched: shown.isLaunched,
      deliveries: {
        queued: of('queued'),
        sent: of('sent'),
        unknown: of('unknown'),
        recent: this.#byChange().slice(0, RECENT),
      },
      isDead: shown.isDead,
      isParked: false,
      isAdopted: true,
      isQueueStopped: shown.isQueueStopped,
      isOverBudget: shown.isOverBudget,
      isUnread: shown.isUnread,
      conversed: shown.conversed,
      takesManyPastes: true,
      answerKey: null,
      clearedAt: this.clearedAt,
      left: this.left,
      told: null,
      isEnterWithheld: false,
    };
  }

  doing(_: Effect['kind']): void {
    // A scene that observes the effects overrides this method.
  }

  /** @returns the state in which the machine is idle */
  play<State>(
    advance: (state: State, seen: Seen) => Step<State>,
    from: State,
    reactions: readonly Reaction[] = [],
  ): State {
    this.#react('beginning', reactions);
    let state = from;
    let result: Partial<Pick<Seen, 'told' | 'isEnterWithheld'>> = {};
    for (let steps = 0; steps < 500; steps += 1) {
      const step = advance(state, { ...this.see(), ...result });
      result = {};
      const { changes, effect, recheckAt } = step;
      if (step.state !== state || effect !== null || changes.length > 0) {
        for (const change of changes) this.#apply(change);
        if (effect?.kind === 'enter') {
          this.#react('aiming', reactions);
          this.#pass(this.#elapsed);
        }
        if (effect?.kind === 'enter' && !effect.isForced && isDialogOpen(this.see())) {
          this.withheld += 1;
          result = { isEnterWithheld: true };
        } else if (effect !== null) {
          this.doing(effect.kind);
          this.#note(effect.kind);
          if (effect.kind === 'clear') this.clearedAt = BEGINNING + this.#elapsed;
          if (effect.kind === 'read_transcript') result = { told: this.shown.told };
          this.#react(effect.kind, reactions);
        }
        state = step.state;
      } else if (recheckAt === null) return state;
      else this.#pass(recheckAt);
    }
    throw new Error(`the machine does not come to rest: ${this.log.slice(-10).join(', ')}`);
  }

  #used = new Set<Reaction>();

  /** Each reaction happens once. A second Enter is followed by the next reactions. */
  #react(on: Reaction['on'], reactions: readonly Reaction[]): void {
    const left = reactions.filter((one) => one.on === on && !this.#used.has(one));
    for (const reaction of left.slice(0, until(left))) {
      this.#used.add(reaction);
      this.#due.push({ at: this.#elapsed + reaction.afterMs, reaction });
    }
  }

  /** Advances the time to the next reaction, but at most to `recheckAt`. */
  #pass(recheckAt: number): void {
    const next = this.#due.sort((one, other) => one.at - other.at)[0];
    if (next === undefined || next.at > recheckAt) {
      this.#elapsed = recheckAt;
      return;
    }
    this.#due.shift();
    this.#elapsed = Math.max(this.#elapsed, next.at);
    this.#happen(next.reaction);
  }

  #happen({ see = {}, hook, cancel }: Reaction): void {
    const wall = BEGINNING + this.#elapsed;
    if (see.primary !== undefined && see.primary !== this.shown.primary) this.#since = wall;
    if (see.draft !== undefined && see.draft !== this.shown.draft) this.#progressedAt = wall;
    this.shown = { ...this.shown, ...see };
    if (hook !== undefined) for (const change of takenBy(hook, this.see().deliveries, wall)) this.#apply(change);
    if (cancel !== undefined) this.#apply({ id: cancel, phase: 'cancelled' });
  }

  #apply({ id, keepsTime, ...change }: { id: string; keepsTime?: true } & Partial<DeliveryRecord>): void {
    const at = this.records.findIndex((one) => one.id === id);
    const before = this.records[at];
    if (before === undefined) throw new Error(`there is no delivery ${id}`);
    this.#changes += 1;
    this.#changedAs.set(id, this.#changes);
    this.records[at] = { ...before, ...change, ...(keepsTime ? {} : { updatedAt: BEGINNING + this.#elapsed }) };
    this.transitions.add(`${before.phase} → ${change.phase}`);
    this.#note(`${id}: ${change.phase}`);
  }

  readonly #changedAs = new Map<string, number>();

  #byChange(): DeliveryRecord[] {
    const place = ({ id }: DeliveryRecord): number => this.#changedAs.get(id) ?? 0;
    return [...this.records].reverse().sort((one, other) => place(other) - place(one));
  }

  #note(entry: string): void {
    this.log.push(entry);
    this.times.push(Math.round(this.#elapsed));
  }
}

/** If a reaction has an earlier time than the previous one, it belongs to the next occurrence. */
function until(reactions: readonly Reaction[]): number {
  const at = reactions.findIndex((one, index) => index > 0 && one.afterMs < (reactions[index - 1]?.afterMs ?? 0));
  return at < 0 ? reactions.length : at;
}
