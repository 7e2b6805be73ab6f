import { type JsonEvidence, moveJson, NO_EVENTS, observeEvent } from '../../core/status/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import type { ReadLines } from '../../platform/claude/json/index.ts';
import type { TurnCost } from '../../platform/sqlite/event-store.ts';
import { homeFault } from '../../platform/sqlite/home-fault.ts';
import type { ClaudeEvent, StoredEvent } from '../../protocol/index.ts';
import type { ClockSetting } from '../clock.ts';
import type { SessionActor } from '../session/actor.ts';
import { keepEvidence } from '../session/kept-evidence.ts';
import { indexEvents } from './index-events.ts';
import { turnCost } from './turn-cost.ts';

/** What is new with a piece of output. */
interface News {
  /** Unix milliseconds; now where it is missing */
  at?: number;
  events: readonly ClaudeEvent[];
  turns: readonly TurnCost[];
}

const NOTHING_NEW: News = { events: [], turns: [] };

/**
 * The events of one JSON session and what they mean. They are written down with everything that follows from them, in one
 * transaction; then they are told. So a server that is killed at any moment neither loses one nor reads one twice.
 */
export class EventLog {
  readonly #actor: SessionActor;
  readonly #events = new Emitter<[ClaudeEvent]>();
  #known: JsonEvidence;
  /** by which its times are meant */
  #setting: ClockSetting;
  #offset: number;

  constructor(actor: SessionActor) {
    this.#actor = actor;
    this.#setting = actor.deps.clock.setting();
    this.#known = actor.status.evidence().json ?? NO_EVENTS;
    this.#offset = actor.deps.events.state(actor.record.id)?.output.offset ?? 0;
  }

  get evidence(): JsonEvidence {
    const setting = this.#actor.deps.clock.setting();
    const byMs = setting.offset_ms - this.#setting.offset_ms;
    if (byMs !== 0) this.#known = moveJson(this.#known, byMs);
    this.#setting = setting;
    return this.#known;
  }

  /** position in the output of the process up to which it was read */
  get offset(): number {
    return this.#offset;
  }

  /** Nothing runs and nothing is asked: its process may end without harm. */
  isQuiet(): boolean {
    const { busySince, requests, background } = this.evidence;
    return busySince === null && requests.length === 0 && background.length === 0;
  }

  /** Told of each event after it was written down. */
  readonly onEvent = this.#events.on;

  /** A new process begins with an empty output. @throws while the home cannot be written */
  beginOutput(): void {
    this.#offset = 0;
    this.#tell(this.#write(this.evidence, NOTHING_NEW), this.evidence, NOTHING_NEW);
  }

  takeIn({ events, offset }: ReadLines): void {
    const at = this.#actor.deps.clock.now();
    this.#offset = offset;
    let evidence = this.evidence;
    const turns = [];
    for (const event of events) {
      if (event.type === 'result') turns.push(turnCost(event, evidence.totalCostUsd, at));
      evidence = observeEvent(evidence, event, at);
    }
    this.#keep(evidence, { at, events, turns });
  }

  /** An event of CBOS's own. */
  add(event: ClaudeEvent): void {
    const at = this.#actor.deps.clock.now();
    this.#keep(observeEvent(this.evidence, event, at), { at, events: [event], turns: [] });
  }

  /** What CBOS has done itself, before Claude Code repeats it among its events. */
  change(change: (before: JsonEvidence, at: number) => JsonEvidence): void {
    const at = this.#actor.deps.clock.now();
    this.#keep(change(this.evidence, at), { ...NOTHING_NEW, at });
  }

  /** What CBOS is about to do. @throws while the home cannot be written; then it must not be done */
  commit(change: (before: JsonEvidence, at: number) => JsonEvidence): void {
    const at = this.#actor.deps.clock.now();
    const evidence = change(this.evidence, at);
    const news = { ...NOTHING_NEW, at };
    this.#tell(this.#write(evidence, news), evidence, news);
  }

  /** What has happened is so, also where it cannot be written down: the session goes on, and its list of events has a gap. */
  #keep(evidence: JsonEvidence, news: News): void {
    let stored: StoredEvent[] = [];
    try {
      stored = this.#write(evidence, news);
    } catch (cause) {
      if (homeFault(cause) === null) throw cause;
      this.#actor.deps.log.error(
        { slug: this.#actor.slug, err: cause },
        'events of a session could not be written down',
      );
    }
    this.#tell(stored, evidence, news);
  }

  #write(evidence: JsonEvidence, news: News): StoredEvent[] {
    const { deps, record } = this.#actor;
    const output = { launchId: record.launchId, offset: this.#offset };
    const at = news.at ?? deps.clock.now();
    const kept = keepEvidence(evidence, this.#actor.status.evidence().movedMs ?? 0, deps.clock);
    return deps.writes.demand(() => deps.events.append(record.id, { ...news, at, output, evidence: kept }));
  }

  #tell(stored: StoredEvent[], evidence: JsonEvidence, { events, turns }: News): void {
    const { deps, record, slug } = this.#actor;
    this.#known = evidence;
    indexEvents(deps, record.id, stored);
    // Before the status says so: whoever waits for it then finds what the events mean for their own.
    for (const event of events) this.#events.tell(event);
    if (stored.length > 0 && this.#actor.isListed()) deps.emit({ kind: 'events', slug, events: stored });
    this.#actor.seeJson(evidence, { events, costUsd: turns.reduce((sum, turn) => sum + turn.cost_usd, 0) });
  }
}
