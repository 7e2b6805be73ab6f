import { type JsonEvidence, moveJson, NO_EVENTS, observeEvent } from '../../core/status/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import type { TurnCost } from '../../platform/sqlite/event-store.ts';
import { homeFault } from '../../platform/sqlite/home-fault.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { ClaudeEvent, StoredEvent } from '../../protocol/index.ts';
import type { ClockSetting } from '../clock.ts';
import type { ActorDeps } from '../session/actor-deps.ts';
import type { EvidenceIntake } from '../session/evidence-intake.ts';
import { keepEvidence } from '../session/kept-evidence.ts';
import type { SessionStatus } from '../session/session-status.ts';
import { indexEvents } from './index-events.ts';
import { turnCost } from './turn-cost.ts';

/** The session that the events belong to. */
export interface EventOwner {
  readonly slug: string;
  readonly record: Pick<SessionRecord, 'id' | 'launchId'>;
  readonly deps: Pick<ActorDeps, 'clock' | 'events' | 'log' | 'writes' | 'search' | 'emit'>;
  readonly status: Pick<SessionStatus, 'evidence'>;
  readonly intake: Pick<EvidenceIntake, 'seeJson'>;
  isListed(): boolean;
}

/** The result of reading a piece of output. */
interface News {
  /** when the output was read, in Unix milliseconds; by default, the current time */
  at?: number;
  events: readonly ClaudeEvent[];
  turns: readonly TurnCost[];
}

const NOTHING_NEW: News = { events: [], turns: [] };

/**
 * The events of one JSON session, and the evidence that follows from them. A single transaction saves events together
 * with everything that follows from them, and listeners are called only afterwards. Therefore no event is lost or read
 * twice, whenever the server is killed.
 */
export class EventLog {
  readonly #session: EventOwner;
  readonly #events = new Emitter<[ClaudeEvent]>();
  #known: JsonEvidence;
  /** the clock's setting to which the times in `#known` refer */
  #setting: ClockSetting;
  #offset: number;

  constructor(session: EventOwner) {
    this.#session = session;
    this.#setting = session.deps.clock.setting();
    this.#known = session.status.evidence().json ?? NO_EVENTS;
    this.#offset = session.deps.events.state(session.record.id)?.output.offset ?? 0;
  }

  get evidence(): JsonEvidence {
    const setting = this.#session.deps.clock.setting();
    const byMs = setting.offset_ms - this.#setting.offset_ms;
    if (byMs !== 0) this.#known = moveJson(this.#known, byMs);
    this.#setting = setting;
    return this.#known;
  }

  /** the position up to which the process's output has been read */
  get offset(): number {
    return this.#offset;
  }

  /**
   * Reports whether nothing is running and no question is open, in which case the process can be ended without harm.
   */
  isQuiet(): boolean {
    const { busySince, requests, forms = [], background } = this.evidence;
    return busySince === null && requests.length === 0 && forms.length === 0 && background.length === 0;
  }

  /** Reports whether the end of the process now would cut off a turn, or an agent or a server that asks. */
  isUnfinished(): boolean {
    const { busySince, requests, forms = [] } = this.evidence;
    return busySince !== null || requests.length > 0 || forms.length > 0;
  }

  /** Calls the listener with each event, after the event has been saved. */
  readonly onEvent = this.#events.on;

  /** Records that a new process starts with empty output. @throws while the home is not writable */
  beginOutput(): void {
    this.#offset = 0;
    this.#tell(this.#write(this.evidence, NOTHING_NEW), this.evidence, NOTHING_NEW);
  }

  takeIn({ events, offset }: Readonly<{ events: readonly ClaudeEvent[]; offset: number }>): void {
    const at = this.#session.deps.clock.now();
    this.#offset = offset;
    let evidence = this.evidence;
    const turns = [];
    for (const event of events) {
      if (event.type === 'result') turns.push(turnCost(event, evidence.totalCostUsd, at));
      evidence = observeEvent(evidence, event, at);
    }
    this.#keep(evidence, { at, events, turns });
  }

  /** Adds an event that CBOS itself created. */
  add(event: ClaudeEvent): void {
    const at = this.#session.deps.clock.now();
    this.#keep(observeEvent(this.evidence, event, at), { at, events: [event], turns: [] });
  }

  /** Records something that CBOS itself has done, before Claude Code repeats it in its events. */
  change(change: (before: JsonEvidence, at: number) => JsonEvidence): void {
    const at = this.#session.deps.clock.now();
    this.#keep(change(this.evidence, at), { ...NOTHING_NEW, at });
  }

  /** Records what CBOS is about to do. @throws while the home is not writable, in which case CBOS must not do it */
  commit(change: (before: JsonEvidence, at: number) => JsonEvidence): void {
    const at = this.#session.deps.clock.now();
    const evidence = change(this.evidence, at);
    const news = { ...NOTHING_NEW, at };
    this.#tell(this.#write(evidence, news), evidence, news);
  }

  /**
   * Accepts what has already happened, even if it cannot be saved. In that case, events are missing from the session's
   * stored list.
   */
  #keep(evidence: JsonEvidence, news: News): void {
    let stored: StoredEvent[] = [];
    try {
      stored = this.#write(evidence, news);
    } catch (cause) {
      if (homeFault(cause) === null) throw cause;
      this.#session.deps.log.error({ slug: this.#session.slug, err: cause }, "a session's events could not be saved");
    }
    this.#tell(stored, evidence, news);
  }

  #write(evidence: JsonEvidence, news: News): StoredEvent[] {
    const { deps, record } = this.#session;
    const output = { launchId: record.launchId, offset: this.#offset };
    const at = news.at ?? deps.clock.now();
    const kept = keepEvidence(evidence, this.#session.status.evidence().movedMs ?? 0, deps.clock);
    return deps.writes.demand(() => deps.events.append(record.id, { ...news, at, output, evidence: kept }));
  }

  #tell(stored: StoredEvent[], evidence: JsonEvidence, { events, turns }: News): void {
    const { deps, record, slug } = this.#session;
    this.#known = evidence;
    indexEvents(deps, record.id, stored);
    // Event listeners run before the status changes, so that a caller that waits for a status already knows what the
    // events mean for its request.
    for (const event of events) this.#events.tell(event);
    if (stored.length > 0 && this.#session.isListed()) deps.emit({ kind: 'events', slug, events: stored });
    this.#session.intake.seeJson(evidence, { events, costUsd: turns.reduce((sum, turn) => sum + turn.cost_usd, 0) });
  }
}
