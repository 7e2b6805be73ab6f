import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Adoption,
  type Answer,
  type Broadcast,
  type BroadcastResult,
  type Buffer as BufferAnswer,
  CatalogueError,
  type ClaudeEvent,
  type Conversation,
  type DaysQuery,
  type Delivery,
  type EventsPage,
  type Explanation,
  type FleetCosts,
  type Invocation,
  type Invoke,
  isSlug,
  type LastResponse,
  matchesState,
  type NewSession,
  type NewStashedResponse,
  parseStateSelector,
  type SearchQuery,
  type SearchResult,
  type Send,
  type Session,
  type SessionCosts,
  type SessionDay,
  type SessionPatch,
  type SessionType,
  type StashedResponse,
  type StatusChange,
  type StoredEvent,
} from '../../src/protocol/index.ts';
import { NO_USAGE } from '../../src/server/session/usage.ts';
import type { Dispose, SessionEvent, Sessions } from '../../src/server/sessions.ts';
import { HEADER, MemoryRecording } from './memory-recording.ts';
import { SINCE, someSession } from './some-session.ts';

/** Sessions without Screen and without Claude Code, behind the same interface as the real ones. */
export class MemorySessions implements Sessions {
  readonly #dir: string;
  readonly #sessions = new Map<string, Session>();
  readonly #recordings = new Map<string, MemoryRecording>();
  readonly #deliveries = new Map<string, Delivery[]>();
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  readonly #events = new Map<string, StoredEvent[]>();
  #stash: StashedResponse[] = [];
  /** of the search index */
  pendingBytes = 0;
  /** what was typed, by slug */
  readonly typed = new Map<string, string>();
  readonly answers: Answer[] = [];
  /** every request for a new session, as it arrived */
  readonly created: NewSession[] = [];
  /** a fault that is in no catalogue, thrown by the next `get` */
  fault: Error | null = null;

  constructor(dir: string) {
    this.#dir = dir;
  }

  add(slug: string, some: Partial<Session> = {}): MemoryRecording {
    const recording = this.record(slug);
    this.addWithoutRecording(slug, some);
    return recording;
  }

  addWithoutRecording(slug: string, some: Partial<Session> = {}): Session {
    const session = someSession(slug, some);
    this.#sessions.set(slug, session);
    this.#emit({ kind: 'added', session });
    return session;
  }

  /** Begins a recording of a session that has none. */
  record(slug: string): MemoryRecording {
    const recording = new MemoryRecording(slug, join(this.#dir, `${slug}.typescript`));
    this.#recordings.set(slug, recording);
    return recording;
  }

  /** Changes fields, and tells it as the real sessions do. */
  change(slug: string, some: Partial<Session>): Session {
    const session = { ...this.get(slug), ...some };
    this.#sessions.set(slug, session);
    this.#emit({ kind: some.status === undefined && some.state === undefined ? 'updated' : 'state', session });
    return session;
  }

  #emit(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  list = (): Session[] => [...this.#sessions.values()];

  get(slug: string): Session {
    if (this.fault !== null) throw this.fault;
    const session = this.#sessions.get(slug);
    if (session === undefined) throw new CatalogueError('no_such_session', `No session is called ${slug}`);
    return session;
  }

  #checkNewSlug(slug: string): void {
    if (!isSlug(slug)) throw new CatalogueError('invalid_slug');
    if (this.#sessions.has(slug)) throw new CatalogueError('slug_taken');
  }

  #checkPath(path: string): void {
    if (!existsSync(path) || !statSync(path).isDirectory()) throw new CatalogueError('no_such_path');
  }

  async create(request: NewSession): Promise<Session> {
    this.#checkNewSlug(request.slug);
    this.#checkPath(request.path);
    this.created.push(request);
    this.add(request.slug, { path: request.path, type: request.type ?? 'screen' });
    return this.get(request.slug);
  }

  async adopt(request: Adoption): Promise<Session> {
    if (request.resume !== undefined) throw new CatalogueError('no_such_conversation');
    if (!/^\d+\.\w+$/.test(request.screen_id ?? '')) throw new CatalogueError('no_such_screen');
    const slug = request.slug ?? 'adopted';
    this.#checkNewSlug(slug);
    this.add(slug, { screen_id: request.screen_id ?? null });
    return this.get(slug);
  }

  async patch(slug: string, request: SessionPatch): Promise<Session> {
    let session = this.get(slug);
    if (request.path !== undefined) {
      this.#checkPath(request.path);
      session = this.change(slug, { path: request.path });
    }
    if (request.slug === undefined || request.slug === slug) return session;
    this.#checkNewSlug(request.slug);
    const renamed = { ...session, slug: request.slug };
    this.#sessions.delete(slug);
    this.#sessions.set(renamed.slug, renamed);
    const events = this.#events.get(slug);
    if (events !== undefined) this.#events.set(renamed.slug, events);
    const recording = this.#recordings.get(slug);
    this.#recordings.delete(slug);
    if (recording !== undefined) {
      recording.moveTo(renamed.slug, join(this.#dir, `${renamed.slug}.typescript`));
      this.#recordings.set(renamed.slug, recording);
    }
    this.#emit({ kind: 'renamed', from: slug, session: renamed });
    return renamed;
  }

  async restart(slug: string): Promise<Session> {
    if (this.get(slug).state !== 'dead') throw new CatalogueError('session_alive');
    this.#recordings.get(slug)?.replace();
    const { state, status } = someSession(slug);
    return this.change(slug, { state, status });
  }

  async convert(slug: string, type: SessionType): Promise<Session> {
    return this.change(slug, { type });
  }

  conversations = async (): Promise<Conversation[]> => [];

  async kill(slug: string): Promise<Session> {
    const { status } = this.get(slug);
    return this.change(slug, { state: 'dead', status: { ...status, primary: 'dead', detail: null, health: 'DEAD' } });
  }

  async remove(slug: string): Promise<void> {
    this.get(slug);
    this.#sessions.delete(slug);
    this.#recordings.delete(slug);
    this.#deliveries.delete(slug);
    this.#stash = this.#stash.filter((reply) => reply.session_slug !== slug);
    this.#emit({ kind: 'removed', slug });
  }

  async send(slug: string, request: Send): Promise<Delivery> {
    const { status } = this.get(slug);
    if (status.question !== null) {
      throw new CatalogueError('not_accepting_text', undefined, { extra: { question: status.question } });
    }
    if (/^[!/]/.test(request.text) && request.command !== true) throw new CatalogueError('command_prefix');
    const known = this.#deliveries.get(slug) ?? [];
    const delivery: Delivery = {
      id: `d${known.length + 1}`,
      session: slug,
      text: request.text,
      status: request.queue === true ? 'queued' : 'delivered',
      created_at: SINCE,
      updated_at: SINCE,
      removed: 0,
      note: null,
    };
    this.#deliveries.set(slug, [delivery, ...known]);
    return delivery;
  }

  async broadcast(request: Broadcast): Promise<BroadcastResult[]> {
    const selector = request.state === undefined ? null : parseStateSelector(request.state);
    const chosen = this.list().filter(
      (session) =>
        request.all === true ||
        request.slugs?.includes(session.slug) === true ||
        (selector !== null && matchesState(session, selector)),
    );
    return Promise.all(
      chosen.map(async ({ slug }): Promise<BroadcastResult> => {
        try {
          return { session: slug, delivery: await this.send(slug, { text: request.text }) };
        } catch (error) {
          if (!(error instanceof CatalogueError)) throw error;
          return { session: slug, error: error.toBody() };
        }
      }),
    );
  }

  async answer(slug: string, request: Answer): Promise<void> {
    if (this.get(slug).status.question === null) throw new CatalogueError('no_question');
    this.answers.push(request);
  }

  async interrupt(slug: string): Promise<void> {
    if (this.get(slug).status.primary !== 'active') throw new CatalogueError('nothing_running');
  }

  async keys(slug: string, keys: string): Promise<void> {
    this.get(slug);
    this.typed.set(slug, (this.typed.get(slug) ?? '') + keys);
  }

  async resize(slug: string, cols: number, rows: number): Promise<Session> {
    const session = this.get(slug);
    if (session.cols === cols && session.rows === rows) return session;
    const resized = { ...session, cols, rows };
    this.#sessions.set(slug, resized);
    this.#emit({ kind: 'resized', slug, cols, rows });
    return resized;
  }

  async buffer(slug: string, options: { lines: number; format: string }): Promise<BufferAnswer> {
    this.get(slug);
    const recording = this.stream(slug);
    const lines = recording.output().toString().split('\n').slice(-options.lines);
    return { buffer: lines.join('\n'), lines: lines.length, cols: 80, rows: 24, offset: recording.end() };
  }

  deliveries(slug: string): Delivery[] {
    this.get(slug);
    return this.#deliveries.get(slug) ?? [];
  }

  delivery(slug: string, id: string): Delivery {
    const delivery = this.deliveries(slug).find((one) => one.id === id);
    if (delivery === undefined) throw new CatalogueError('no_such_delivery');
    return delivery;
  }

  async changeDelivery(slug: string, id: string, text: string): Promise<Delivery> {
    return this.#replaceDelivery(slug, { ...this.#heldDelivery(slug, id), text });
  }

  async cancelDelivery(slug: string, id: string): Promise<Delivery> {
    return this.#replaceDelivery(slug, { ...this.#heldDelivery(slug, id), status: 'cancelled' });
  }

  #heldDelivery(slug: string, id: string): Delivery {
    const delivery = this.delivery(slug, id);
    if (delivery.status !== 'queued') throw new CatalogueError('delivery_final');
    return delivery;
  }

  #replaceDelivery(slug: string, delivery: Delivery): Delivery {
    const others = this.deliveries(slug).filter((one) => one.id !== delivery.id);
    this.#deliveries.set(slug, [delivery, ...others]);
    return delivery;
  }

  stash = (): StashedResponse[] => this.#stash;

  addToStash({ session_slug, response, question, when }: NewStashedResponse): StashedResponse {
    this.get(session_slug);
    if (/^[!/]/.test(response)) throw new CatalogueError('command_prefix');
    const reply: StashedResponse = {
      id: `r${this.#stash.length + 1}`,
      session_slug,
      question: question ?? null,
      response,
      when: when ?? 'manual',
      created_at: SINCE,
      applied: false,
      applied_at: null,
      delivery_id: null,
    };
    this.#stash.push(reply);
    return reply;
  }

  async applyStash(id: string): Promise<StashedResponse> {
    const kept = this.#stashed(id);
    if (kept.applied) throw new CatalogueError('already_applied');
    const delivery = await this.send(kept.session_slug, { text: kept.response });
    const applied = { ...kept, applied: true, applied_at: SINCE, delivery_id: delivery.id };
    this.#stash = this.#stash.map((reply) => (reply.id === id ? applied : reply));
    return applied;
  }

  removeFromStash(id: string): StashedResponse {
    const kept = this.#stashed(id);
    this.#stash = this.#stash.filter((reply) => reply.id !== id);
    return kept;
  }

  #stashed(id: string): StashedResponse {
    const reply = this.#stash.find((one) => one.id === id);
    if (reply === undefined) throw new CatalogueError('no_such_stash');
    return reply;
  }

  /** Events of a JSON session come, as Claude Code would send them. */
  happen(slug: string, ...events: ClaudeEvent[]): void {
    const known = this.#events.get(slug) ?? [];
    const stored = events.map((event, index) => ({ seq: known.length + index + 1, timestamp: 1_763_650_000, event }));
    this.#events.set(slug, [...known, ...stored]);
    this.#emit({ kind: 'events', slug, events: stored });
  }

  #json(slug: string): StoredEvent[] {
    if (this.get(slug).type !== 'json') throw new CatalogueError('no_events');
    return this.#events.get(slug) ?? [];
  }

  async invoke(slug: string, request: Invoke): Promise<Invocation> {
    const uuid = `i${this.#json(slug).length + 1}`;
    this.happen(slug, { type: 'user', uuid, message: { role: 'user', content: request.prompt }, isReplay: true });
    return { invocation_id: uuid };
  }

  events(slug: string, { after, limit }: { after: number; limit: number }): EventsPage {
    const rest = this.#json(slug).filter(({ seq }) => seq > after);
    const events = rest.slice(0, limit);
    return { events, next: rest.length > limit ? (events.at(-1)?.seq ?? null) : null };
  }

  lastResponse(slug: string): LastResponse {
    const result = this.#json(slug).findLast(({ event }) => event.type === 'result');
    if (result === undefined) throw new CatalogueError('no_response');
    return { text: String(result.event.result), cost_usd: 0.01, duration_ms: 1_200, at: SINCE };
  }

  sessionCosts(slug: string): SessionCosts {
    this.#json(slug);
    return { session: NO_USAGE, max_budget_usd: null, days: [], turns: [] };
  }

  costs = (): FleetCosts => ({ total: NO_USAGE, days: [] });

  explain(slug: string): Explanation {
    const { status } = this.get(slug);
    const { primary, detail, because, since } = status;
    return {
      status,
      at: since,
      claude_version: '2.1.329',
      stuck_threshold_ms: 15_000,
      thresholds: {
        spinner_settle_ms: 250,
        prompt_settle_ms: 200,
        silent_end_ms: 600,
        draw_lag_ms: 1_000,
        stale_screen_ms: 3_000,
      },
      why: 'it is the only source',
      recheck_at: null,
      verdicts: [{ ...because, primary, detail, since, won: true }],
      evidence: {
        process: null,
        hooks: null,
        screen: {
          rule: because.rule,
          since,
          newest_rule: because.rule,
          newest_since: since,
          dialog_seen_at: null,
          changed_at: since,
          progressed_at: since,
          draft: null,
          lines: ['● Read(src/secret.ts)', '', '─'.repeat(40), '❯ ', '─'.repeat(40)],
          cols: 40,
          rows: 5,
          cursor: { row: 3, col: 2 },
          dim_rows: [],
          alert_rows: [],
        },
        registry: null,
        json: null,
      },
    };
  }

  history(slug: string, since: string | null): StatusChange[] {
    const { state, status } = this.get(slug);
    const { primary, detail, health, because } = status;
    const changes = [{ at: status.since, primary, detail, state, health, because }];
    return changes.filter((change) => since === null || change.at > since);
  }

  historyDays({ session, since }: DaysQuery): SessionDay[] {
    const of = session === undefined ? this.list() : [this.get(session)];
    const days = of.map(({ slug }) => ({
      session: slug,
      day: '2026-11-20',
      worked_ms: 3_723_000,
      waited_ms: 60_000,
      stuck_ms: 0,
      idle_ms: 5_000,
      error_ms: 0,
    }));
    return days.filter(({ day }) => since === undefined || day >= since.slice(0, 10));
  }

  /** Nothing is indexed here: a hit per session whose last question has the text. */
  async search({ q, session, kind, limit = 20 }: SearchQuery): Promise<SearchResult> {
    const within = session === undefined ? this.list() : [this.get(session)];
    const hits = within.flatMap(({ slug, last_question: text }) => {
      const from = text?.indexOf(q) ?? -1;
      if (text === null || from === -1 || (kind !== undefined && kind !== 'screen')) return [];
      const highlights: [number, number][] = [[from, from + q.length]];
      const at = '2026-11-20T15:04:05.000Z';
      return [
        {
          session: slug,
          at,
          kind: 'screen' as const,
          snippet: text,
          highlights,
          offset: HEADER.length,
          recording: slug,
          t: 62.5,
          seq: null,
        },
      ];
    });
    return { hits: hits.slice(0, limit), pending_bytes: this.pendingBytes };
  }

  stream(slug: string): MemoryRecording {
    this.get(slug);
    const recording = this.#recordings.get(slug);
    if (recording === undefined) throw new CatalogueError('no_recording');
    return recording;
  }

  streams = (): string[] => [...this.#recordings.keys()];

  onEvent(listener: (event: SessionEvent) => void): Dispose {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  listeners(): number {
    return this.#listeners.size;
  }
}
