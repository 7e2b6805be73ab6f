import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { finishWorktree } from '../../src/platform/git/finish-worktree.ts';
import {
  type Adoption,
  type Answer,
  type BroadcastResult,
  type Buffer as BufferAnswer,
  CatalogueError,
  type ClaudeEvent,
  type Conversation,
  type DaysQuery,
  type Delivery,
  type EventsPage,
  type Explanation,
  type Finish,
  type FleetCosts,
  type Fork,
  type Invocation,
  type Invoke,
  isSlug,
  type LastResponse,
  type NewRestoration,
  type NewSession,
  type NewStashedResponse,
  openQuestions,
  type PullRequest,
  type Restoration,
  type RestoredSession,
  type SearchQuery,
  type SearchResult,
  type Send,
  type Session,
  type SessionCosts,
  type SessionDay,
  type SessionPatch,
  type SessionResources,
  type SessionType,
  type StandingChoices,
  type StashedResponse,
  type StatusChange,
  type StoredEvent,
  type TranscriptPage,
} from '../../src/protocol/index.ts';
import type { BaseSessions, NamedBroadcast } from '../../src/server/base-sessions.ts';
import { createBook } from '../../src/server/book/book.ts';
import type { SessionEvent, TurnFacts } from '../../src/server/sessions.ts';
import { placeFork, placeSession } from '../../src/server/worktrees/place-session.ts';
import { MemoryEvents, terminalCosts } from './memory-events.ts';
import { daysOf, explanationOf, historyOf, hitsIn } from './memory-past.ts';
import { MemoryRecording } from './memory-recording.ts';
import { MemoryTexts } from './memory-texts.ts';
import { SINCE, someSession, withoutSetUp } from './some-session.ts';

/** Sessions without Screen and without Claude Code, behind the same interface as the real ones. */
export class MemorySessions implements BaseSessions {
  readonly #dir: string;
  readonly #sessions = new Map<string, Session>();
  /** ids by slug; a session keeps its id when it is renamed */
  readonly #ids = new Map<string, string>();
  #added = 0;
  readonly #recordings = new Map<string, MemoryRecording>();
  readonly #texts = new MemoryTexts();
  /** what features know about the sessions */
  readonly book = createBook({ idOf: (slug) => this.idOf(slug), log: { error: () => undefined } });
  readonly #events = new MemoryEvents();
  readonly #transcripts = new Map<string, StoredEvent[]>();
  /** Claude Code conversations that do not belong to a session */
  found: Conversation[] = [];
  /** the bytes that the search index has yet to process */
  pendingBytes = 0;
  /** what was typed, by slug */
  readonly typed = new Map<string, string>();
  readonly answers: Answer[] = [];
  questionId: BaseSessions['questionId'] = (_, id) => id;
  /** every request for a new session, as it arrived */
  readonly created: NewSession[] = [];
  /** an error that is not in the catalogue, thrown by the next `get` */
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
    this.#added += 1;
    this.#ids.set(slug, `id-${this.#added}`);
    this.#emit({ kind: 'added', session });
    return session;
  }

  /** Begins recording a session that has no recording. */
  record(slug: string): MemoryRecording {
    const recording = new MemoryRecording(slug, join(this.#dir, `${slug}.typescript`));
    this.#recordings.set(slug, recording);
    return recording;
  }

  /** Changes fields and reports the change, as the real sessions do. */
  change(slug: string, some: Partial<Session>): Session {
    const session = { ...this.#plain(slug), ...some };
    this.#sessions.set(slug, session);
    this.#emit({ kind: some.status === undefined && some.state === undefined ? 'updated' : 'state', session });
    return this.get(slug);
  }

  #emit(event: SessionEvent): void {
    this.book.tell(event);
  }

  list = (): Session[] => [...this.#sessions.values()].map(({ slug }) => this.get(slug));

  get(slug: string): Session {
    return this.book.shown(this.#ids.get(slug) ?? '', this.#plain(slug));
  }

  /** Returns a session without what features know about it. */
  #plain(slug: string): Session {
    if (this.fault !== null) throw this.fault;
    const session = this.#sessions.get(slug);
    if (session === undefined) throw new CatalogueError('no_such_session', `No session is named ${slug}`);
    return session;
  }

  idOf(slug: string): string {
    return this.#ids.get(this.#plain(slug).slug) ?? '';
  }

  forgetLoss(slug: string): void {
    const { lost, ...session } = this.#plain(slug);
    if (lost === undefined) return;
    this.#sessions.set(slug, session);
    this.#emit({ kind: 'updated', session });
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
    // Worktrees are real. Only the session in one is in memory.
    const { path, worktree } = await placeSession({ PATH: process.env.PATH }, request);
    this.add(request.slug, { path, type: request.type ?? 'screen', ...(worktree === null ? {} : { worktree }) });
    return this.get(request.slug);
  }

  /** The worktree is real. Only the session in it is in memory. */
  async fork(slug: string, request: Fork): Promise<Session> {
    const { path, type, status, worktree: from } = this.get(slug);
    this.#checkNewSlug(request.slug);
    if (status.primary === 'active') throw new CatalogueError('already_running');
    if (path === null) throw new CatalogueError('no_such_path');
    if (request.same_folder === true) return this.addWithoutRecording(request.slug, { path, type });
    const asked = { path, name: request.slug, branch: request.branch ?? null };
    const { path: folder, worktree } = await placeFork({ PATH: process.env.PATH }, asked);
    if (worktree === null) throw new Error('a fork without a worktree');
    const base = from?.base ?? worktree.base;
    return this.addWithoutRecording(request.slug, { path: folder, type, worktree: { ...worktree, base } });
  }

  async adopt(request: Adoption): Promise<Session> {
    if (request.resume !== undefined) return this.#takeOver(request, request.resume);
    if (!/^\d+\.\w+$/.test(request.screen_id ?? '')) throw new CatalogueError('no_such_screen');
    const slug = request.slug ?? 'adopted';
    this.#checkNewSlug(slug);
    this.add(slug, { screen_id: request.screen_id ?? null });
    return this.get(slug);
  }

  #takeOver({ slug, type }: Adoption, id: string): Session {
    const conversation = this.found.find((one) => one.claude_session_id === id);
    if (conversation === undefined) throw new CatalogueError('no_such_conversation');
    const name = slug ?? 'adopted';
    this.#checkNewSlug(name);
    return this.addWithoutRecording(name, { type: type ?? 'json', path: conversation.path, claude_session_id: id });
  }

  async patch(slug: string, request: SessionPatch): Promise<Session> {
    let session = this.#plain(slug);
    if (request.path !== undefined) {
      this.#checkPath(request.path);
      session = this.change(slug, { path: request.path });
    }
    if (request.slug === undefined || request.slug === slug) return session;
    this.#checkNewSlug(request.slug);
    const renamed = { ...session, slug: request.slug };
    this.#sessions.delete(slug);
    this.#sessions.set(renamed.slug, renamed);
    this.#ids.set(renamed.slug, this.#ids.get(slug) ?? '');
    this.#events.rename(slug, renamed.slug);
    const recording = this.#recordings.get(slug);
    this.#recordings.delete(slug);
    if (recording !== undefined) {
      recording.moveTo(renamed.slug, join(this.#dir, `${renamed.slug}.typescript`));
      this.#recordings.set(renamed.slug, recording);
    }
    this.#emit({ kind: 'renamed', from: slug, session: renamed });
    return renamed;
  }

  async restart(slug: string, how?: { isNewConversation: boolean }): Promise<Session> {
    const { missing_conversation: missing, ...session } = this.#plain(slug);
    if (session.state !== 'dead') throw new CatalogueError('session_alive');
    if (missing !== undefined && how?.isNewConversation !== true) throw new CatalogueError('no_such_conversation');
    if (missing !== undefined) this.add(slug, session);
    this.#recordings.get(slug)?.replace();
    return this.change(slug, { state: 'idle', status: someSession(slug).status });
  }

  async park(slug: string): Promise<Session> {
    const { state, status } = this.get(slug);
    if (status.primary !== 'idle')
      throw new CatalogueError('not_parkable', `${slug} is not parked: a turn is running`, {
        extra: { reason: 'working' },
      });
    return this.change(slug, { parked_at: SINCE, pid: null, state, status });
  }

  async wake(slug: string): Promise<Session> {
    return this.change(slug, { parked_at: null, pid: 101, state: this.get(slug).state });
  }

  /** returns the outcome of restoring a session; a test may replace it */
  restores: (slug: string) => Partial<RestoredSession> = () => ({ outcome: 'restored' });
  #restored: Restoration = { id: null, state: 'none', by_itself: false, started_at: null, sessions: [] };

  async restore({ sessions: named, dry_run: isDry }: NewRestoration): Promise<Restoration> {
    const slugs = named ?? this.list().flatMap(({ slug, lost }) => (lost === undefined ? [] : [slug]));
    const plan = slugs.map((slug): RestoredSession => {
      const { lost } = this.get(slug);
      const known = { session: slug, lost: lost ?? null, error: null };
      if (lost === undefined) return { ...known, outcome: 'left', how: null, reason: 'running' };
      return { ...known, outcome: 'planned', how: 'resume', reason: null };
    });
    const facts = { by_itself: false, started_at: null };
    if (isDry === true) return { ...facts, id: null, state: 'planned', sessions: plan };
    const sessions = plan.map((one) => (one.outcome === 'left' ? one : { ...one, ...this.restores(one.session) }));
    for (const { session: slug } of sessions.filter(({ outcome }) => outcome === 'restored')) {
      const session = someSession(slug);
      this.#sessions.set(slug, session);
      this.#emit({ kind: 'updated', session });
    }
    const isStopped = sessions.some(({ outcome }) => outcome === 'not_tried');
    this.#restored = { ...facts, id: 'r', state: isStopped ? 'stopped' : 'done', sessions };
    // The answer only reports the start. A client asks for the progress with `restoration`.
    return { ...this.#restored, state: 'running', sessions: plan };
  }

  restoration = async (): Promise<Restoration> => this.#restored;

  /** The worktree is real. Only the session in it is in memory. */
  async finish(slug: string, { how, into, stop }: Finish): Promise<Session> {
    const { worktree, status } = this.get(slug);
    if (worktree === undefined) throw new CatalogueError('no_worktree', `CBOS did not create a worktree for ${slug}`);
    if (status.primary === 'active') throw new CatalogueError('already_running');
    if (status.primary !== 'dead' && stop !== true) throw new CatalogueError('session_alive');
    const place = { cwd: worktree.repository, environment: { PATH: process.env.PATH } };
    const { saved, commit, isBranchKept, more, left, skippedHooks } = await finishWorktree(
      place,
      { session: slug, worktree, how, into: into ?? null, since: 0 },
      { now: Date.now, ownProcesses: async () => new Set(), stop: async () => void (await this.kill(slug)) },
    );
    const rest = { ...more, ...(skippedHooks === undefined ? {} : { skipped_hooks: skippedHooks }) };
    const finished = { how, into: saved.into, commit, saved: saved.id, branch_kept: isBranchKept, left, ...rest };
    return this.change(slug, { worktree: { ...worktree, finished: { ...finished, at: new Date().toISOString() } } });
  }

  skipSetUp = async (slug: string): Promise<Session> => this.change(slug, withoutSetUp(this.get(slug)));

  keepPullRequest(slug: string, request: PullRequest): Session {
    const { worktree } = this.get(slug);
    if (worktree === undefined) throw new CatalogueError('no_worktree');
    return this.change(slug, { worktree: { ...worktree, pull_request: request } });
  }

  resources = async (): Promise<SessionResources[]> =>
    this.list().map(({ slug: session, parked_at }) =>
      parked_at === null
        ? { session, processes: 3, memory_bytes: 260_000_000, cpu_ms: 4_200 }
        : { session, processes: 0, memory_bytes: 0, cpu_ms: 0 },
    );

  async convert(slug: string, type: SessionType): Promise<Session> {
    return this.change(slug, { type });
  }

  conversations = async (): Promise<Conversation[]> => this.found;

  /** what `turn` reports about a session's prompt */
  readonly prompts = new Map<string, { at: number; text: string }>();
  /** how many turns are being held */
  held = 0;

  turn = (slug: string): TurnFacts => ({ id: this.idOf(slug), prompt: this.prompts.get(slug) ?? null });

  holdTurn(slug: string): () => void {
    this.get(slug);
    this.held += 1;
    return () => {
      this.held -= 1;
    };
  }

  async whileQuiet<T>(slug: string, work: () => Promise<T>): Promise<T> {
    if (this.get(slug).status.primary === 'active') throw new CatalogueError('already_running');
    return work();
  }

  async kill(slug: string): Promise<Session> {
    const { status } = this.get(slug);
    return this.change(slug, { state: 'dead', status: { ...status, primary: 'dead', detail: null, health: 'DEAD' } });
  }

  async remove(slug: string): Promise<void> {
    this.get(slug);
    this.#sessions.delete(slug);
    this.#recordings.delete(slug);
    this.#texts.forget(slug);
    this.#emit({ kind: 'removed', slug });
  }

  async send(slug: string, request: Send): Promise<Delivery> {
    return this.#texts.send(this.get(slug), request);
  }

  async broadcast(request: NamedBroadcast): Promise<BroadcastResult[]> {
    const named = this.list().filter(({ slug }) => request.slugs.includes(slug));
    return Promise.all(
      named.map(async ({ slug }): Promise<BroadcastResult> => {
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

  standing(slug: string, questionId: string): StandingChoices {
    const question = openQuestions(this.get(slug).status).find(({ id }) => id === questionId);
    const about = question?.options.find(({ means }) => means === 'always')?.label ?? null;
    return { session: about, project: about };
  }

  async continueAfterLimit(slug: string): Promise<Delivery> {
    const session = this.#plain(slug);
    if (session.limit_over_at === undefined) throw new CatalogueError('nothing_to_continue');
    const { limit_over_at: _, ...rest } = session;
    const delivery = await this.send(slug, { text: 'Continue' });
    this.add(slug, rest);
    return delivery;
  }

  async interrupt(slug: string): Promise<void> {
    if (this.get(slug).status.primary !== 'active') throw new CatalogueError('nothing_running');
  }

  resumeQueue(slug: string): Session {
    this.change(slug, { queue_stopped_at: null });
    return this.get(slug);
  }

  async keys(slug: string, keys: string): Promise<void> {
    this.get(slug);
    this.typed.set(slug, (this.typed.get(slug) ?? '') + keys);
  }

  async resize(slug: string, cols: number, rows: number): Promise<Session> {
    const session = this.#plain(slug);
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
    return this.#texts.of(this.get(slug).slug);
  }

  takeBack = (slug: string, id: string): void => this.#texts.takeBack(slug, id);
  delivery = (slug: string, id: string): Delivery => this.#texts.get(this.get(slug).slug, id);
  changeDelivery = async (slug: string, id: string, text: string): Promise<Delivery> =>
    this.#texts.change(this.get(slug).slug, id, { text });
  sendQueued = (slug: string, id: string): Delivery => this.#texts.change(slug, id, { status: 'delivered' });
  cancelDelivery = async (slug: string, id: string) =>
    this.#texts.change(this.get(slug).slug, id, { status: 'cancelled' });

  stash = (): StashedResponse[] => this.#texts.stash();
  addToStash(reply: NewStashedResponse): StashedResponse {
    this.get(reply.session_slug);
    return this.#texts.keep(reply);
  }

  applyStash = async (id: string): Promise<StashedResponse> =>
    this.#texts.apply(id, this.get(this.#texts.kept(id).session_slug));
  removeFromStash = (id: string): StashedResponse => this.#texts.drop(id);

  /** Adds events to a JSON session, as Claude Code would send them. */
  happen(slug: string, ...events: ClaudeEvent[]): void {
    this.#emit({ kind: 'events', slug, events: this.#events.add(slug, events) });
  }

  #json(slug: string): string {
    if (this.get(slug).type !== 'json') throw new CatalogueError('no_events');
    return slug;
  }

  async invoke(slug: string, request: Invoke): Promise<Invocation> {
    const uuid = `i${this.#events.of(this.#json(slug)).length + 1}`;
    this.happen(slug, { type: 'user', uuid, message: { role: 'user', content: request.prompt }, isReplay: true });
    return { invocation_id: uuid };
  }

  events = (slug: string, page: { after: number; limit: number }): EventsPage =>
    this.#events.page(this.#json(slug), page);
  lastResponse = (slug: string): LastResponse => this.#events.lastResponse(this.#json(slug));
  sessionCosts(slug: string): SessionCosts {
    const { type, cost_usd } = this.get(slug);
    return type === 'json' ? this.#events.costs(slug) : terminalCosts(cost_usd);
  }
  costs(): FleetCosts {
    const terminals = this.list().filter(({ type }) => type === 'screen');
    return this.#events.allCosts(terminals.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0));
  }

  explain = (slug: string): Explanation => explanationOf(this.get(slug));
  history = (slug: string, since: string | null): StatusChange[] => historyOf(this.get(slug), since);
  /** Adds something to a terminal session's transcript, as if Claude Code had written it. */
  write(slug: string, ...events: ClaudeEvent[]): void {
    const written = this.#transcripts.get(slug) ?? [];
    const at = Date.parse(SINCE) / 1_000;
    this.#transcripts.set(slug, [
      ...written,
      ...events.map((event, index) => ({ seq: written.length + index + 1, timestamp: at, event })),
    ]);
  }

  /** Empties the session's transcript. */
  forget(slug: string): void {
    this.#transcripts.delete(slug);
  }

  async transcript(slug: string, after: number | null): Promise<TranscriptPage> {
    const { claude_session_id } = this.get(slug);
    const all = this.#transcripts.get(slug) ?? [];
    return { claude_session_id, events: all.slice(after ?? 0), from: 0, end: all.length };
  }

  historyDays = (query: DaysQuery): SessionDay[] => daysOf(this.#named(query.session), query);
  search = async (query: SearchQuery): Promise<SearchResult> => ({
    hits: hitsIn(this.#named(query.session), query),
    pending_bytes: this.pendingBytes,
  });

  #named(slug: string | undefined): Session[] {
    return slug === undefined ? this.list() : [this.get(slug)];
  }
  stream(slug: string): MemoryRecording {
    this.get(slug);
    const recording = this.#recordings.get(slug);
    if (recording === undefined) throw new CatalogueError('no_recording');
    return recording;
  }

  streams = (): string[] => [...this.#recordings.keys()];

  onEvent = this.book.onEvent;
}
