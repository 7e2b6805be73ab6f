import type { TextsLeft } from '../../core/delivery/seen.ts';
import { spentAs } from '../../core/history/index.ts';
import { limitShown, type StatusMemory, viewOn } from '../../core/status/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import type { ScreenTarget } from '../../platform/gnu-screen/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, type Session, type SessionType } from '../../protocol/index.ts';
import type { ActorDeps } from './actor-deps.ts';
import { type Arrival, type ArrivedHook, EvidenceIntake } from './evidence-intake.ts';
import { type Change, createHeldChanges, type HeldChanges } from './held-changes.ts';
import { createInProgress, type InProgress } from './in-progress.ts';
import { JsonFacts } from './json-facts.ts';
import { restoreHooks, restoreJson } from './kept-evidence.ts';
import { KeptRecord } from './kept-record.ts';
import { limitToContinue } from './limit-over.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { overBudgetOf } from './over-budget.ts';
import { createPromptKeys, type PromptKeys } from './prompt-keys.ts';
import { queueStoppedSince } from './queue-stop.ts';
import { createRecordingGap, type RecordingGap } from './recording-gap.ts';
import { createScreenPrompt, type ScreenPrompt } from './screen-prompt.ts';
import type { RecordingDamage, SessionRecording } from './session-recording.ts';
import { createSessionStatus, type SessionStatus } from './session-status.ts';
import { changedAt, changeOf, keptWith, memoryOf } from './status-change.ts';
import { createTimeSpent, type TimeSpent } from './time-spent.ts';
import { createUnreadInput, type UnreadInput } from './unread-input.ts';
import { viewSession } from './view.ts';

export type { ActorDeps, Arrival, ArrivedHook };

/**
 * One session: its record, its evidence and status, and its recording. Commands that type into the session go through
 * the mailbox, one at a time. Evidence is accepted immediately, even while a command is running, because the command
 * may be waiting for that evidence.
 */
export class SessionActor {
  readonly mailbox: Mailbox = createMailbox();
  readonly status: SessionStatus;
  /** counts how the session spends its time, once it is listed and all evidence has arrived */
  readonly time: TimeSpent;
  recording: SessionRecording | null = null;
  readonly gap: RecordingGap;
  readonly screenPrompt: ScreenPrompt;
  readonly unread: UnreadInput;
  readonly intake: EvidenceIntake;
  /** the prompts that a killed server was typing; null if CBOS has not looked for them yet */
  textsLeft: TextsLeft | null = null;
  /** whether the session was missing from the database when the server started */
  isBroughtBack = false;
  /** whether the session's processes are being replaced; if so, the end of a process does not end the session */
  isChangingHands = false;
  private readonly kept: KeptRecord;
  readonly promptKeys: PromptKeys;
  private attached: boolean | null = null;
  private undrawnAt: number | null = null;
  private owesRedraw = false;
  private readonly redraws = new Emitter();
  private readonly damages = new Emitter<[RecordingDamage]>();
  private readonly arrivals = new Emitter<[Arrival]>();
  private readonly hooks = new Emitter<[ArrivedHook]>();
  private readonly changes = new Emitter();
  /** Calls the listener with evidence that may contain a question, before the status is updated. */
  readonly onArrival = this.arrivals.on;
  readonly onHook = this.hooks.on;
  /** Calls the listener when the status changes, or when a draft or a view starts or stops blocking the prompt. */
  readonly onChange = this.changes.on;
  /** Calls the listener when the screen must be redrawn, after a gap in the recording or when a person detaches. */
  readonly onRedrawNeeded = this.redraws.on;
  readonly onDamage = this.damages.on;
  private listed = false;
  private jsonFacts: JsonFacts | null = null;
  readonly heldChanges: HeldChanges = createHeldChanges((kind) => this.tellFaces(kind));
  /** the answers that people are giving right now; while there are any, no rule gives an answer */
  readonly personAnswers: InProgress = createInProgress();

  constructor(
    readonly deps: ActorDeps,
    record: SessionRecord,
  ) {
    this.kept = new KeptRecord(deps, record);
    if (record.type === 'json') this.jsonFacts = new JsonFacts(deps.events, record.id);
    this.promptKeys = createPromptKeys(deps.clock, this.kept);
    this.unread = createUnreadInput({
      agent: () => this.record.agent,
      typed: () => this.record.typed,
      remember: (typed) => this.kept.save({ typed }),
    });
    this.time = createTimeSpent({
      clock: deps.clock,
      days: deps.days,
      write: (work) => this.kept.write(work),
      sessionId: record.id,
    });
    this.screenPrompt = createScreenPrompt(deps.clock, () => this.emitUpdated());
    this.gap = createRecordingGap({
      clock: deps.clock,
      disk: deps.disk,
      recording: () => (this.isDead() ? null : this.recording),
      onStop: (because) => {
        if (because === 'disk') this.status.loseScreen();
        this.emitUpdated();
      },
      onGoOn: () => {
        if (!this.isDead()) {
          this.status.loseScreen();
          this.recording?.renew();
        }
        this.emitUpdated();
        this.redraws.tell();
      },
    });
    const json = record.type === 'json' ? restoreJson(deps.events.state(record.id)?.evidence, deps.clock) : null;
    const hooks = restoreHooks(record.hooks, deps.clock);
    this.status = createSessionStatus({
      clock: deps.clock,
      thresholds: deps.thresholds,
      observe: deps.observe,
      hooks: hooks.evidence,
      json: json?.evidence,
      movedMs: (json ?? hooks).movedMs,
      memory: memoryOf(deps.history.last(record.id), record.shown, deps.clock.now()),
      onChange: (memory, before) => this.onStatusChange(memory, before),
      onSeenForms: () => this.intake.keepHooks(),
      onShown: (shown) => this.kept.save({ shown }),
    });
    this.intake = new EvidenceIntake({
      deps,
      kept: this.kept,
      status: this.status,
      gap: this.gap,
      screenPrompt: this.screenPrompt,
      facts: () => this.jsonFacts,
      update: (change) => this.update(change),
      emitUpdated: () => this.emitUpdated(),
      tellArrival: (arrival) => this.arrivals.tell(arrival),
      tellHook: (hook) => this.hooks.tell(hook),
      tellObstacle: () => {
        if (!this.listed) return;
        this.changes.tell();
        this.emitUpdated();
      },
    });
  }

  get record(): SessionRecord {
    return this.kept.current;
  }

  get slug(): string {
    return this.record.slug;
  }

  /** The Screen session to which the session's keypresses are sent. @throws CatalogueError session_dead, not_adopted */
  get target(): ScreenTarget {
    const { screenId, daemon, window, adopted, agent } = this.record;
    if (this.isParked() && this.isDead()) throw new CatalogueError('session_parked', `${this.slug} is parked`);
    if (screenId === null || this.isDead()) throw new CatalogueError('session_dead', `${this.slug} is stopped`);
    if (!adopted)
      throw new CatalogueError('not_adopted', `CBOS only observes ${this.slug}`, { hint: `cbos adopt ${screenId}` });
    return { id: screenId, daemon, window, ...(agent === null ? {} : { pid: agent.pid }) };
  }

  isListed(): boolean {
    return this.listed;
  }

  isDead(): boolean {
    return this.record.endedAt !== null;
  }

  /** Reports whether the session is parked, which means that CBOS has ended its process or is about to end it. */
  isParked(): boolean {
    return this.record.parkedAt !== null;
  }

  /** Converts the session to the other type, with the same conversation. The caller has ended the old process. */
  retype(type: SessionType): void {
    const processes = { screenId: null, daemon: null, agent: null, launchId: null, parkedAt: null, loss: null };
    const nothing = { ...processes, hooks: null, recording: null };
    this.recording = null;
    this.attached = null;
    this.jsonFacts = type === 'json' ? new JsonFacts(this.deps.events, this.record.id) : null;
    const { events, clock } = this.deps;
    this.status.seeJson(
      type === 'json' ? restoreJson(events.state(this.record.id)?.evidence, clock).evidence : undefined,
    );
    this.update({ type, ...nothing });
  }

  /** Changes the record, and notifies the faces. */
  update(change: Partial<SessionRecord>): void {
    this.kept.save(change);
    this.emitUpdated();
  }

  /**
   * Changes the record on request. Unlike `update`, this method saves the change before the change takes effect.
   * @throws while the home is not writable, in which case nothing changes
   */
  commit(change: Partial<SessionRecord>): void {
    this.kept.commit(change);
    this.emitUpdated();
  }

  view(): Session {
    const evidence = this.status.evidence();
    const { json } = evidence;
    const facts = this.jsonFacts;
    const session = viewSession({
      ...{ record: this.record, memory: this.status.memory(), status: this.status.view() },
      alsoOpenIn: this.deps.alsoOpenIn?.(this.record) ?? null,
      attached: this.isDead() ? null : this.attached,
      screenPromptAt: this.isDead() ? null : this.screenPrompt.seenAt(),
      figures: this.intake.figures,
      limit: limitShown(evidence, this.deps.clock.now()),
      limitOverAt: limitToContinue(this),
      lines: facts?.lines() ?? this.recording?.lines() ?? null,
      size: this.recording?.size() ?? null,
      recordingStopped: this.gap.stopped(),
      hookEnd: evidence.hooks.ended,
      undrawnAt: this.undrawnAt,
      view: evidence.screen === null || this.isDead() ? null : viewOn(evidence.screen),
      broughtBack: this.isBroughtBack,
      missing: this.intake.missing,
      queueStoppedAt: queueStoppedSince(this),
      overBudget: overBudgetOf(this),
      json: json === undefined || facts === null ? null : { evidence: json, costUsd: facts.costUsd() },
    });
    return this.deps.shown?.(this.record.id, session) ?? session;
  }

  /** Lists the session. From now on, changes are reported to the faces, and held prompts are typed. */
  list(): void {
    if (this.listed) return;
    this.listed = true;
    this.time.change(spentAs(this.status.memory()));
    this.deps.emit({ kind: 'added', session: this.view() });
    this.lookAgain();
  }

  /** Records that a redraw has failed. CBOS tries again once a check of Screen's sessions finds nobody attached. */
  redrawLater(): void {
    this.owesRedraw = true;
  }

  /** Checks again which prompts may be sent, which can change even if the status does not. */
  lookAgain(): void {
    this.changes.tell();
  }

  seeAttached(attached: boolean): void {
    if (!attached && this.owesRedraw) {
      this.owesRedraw = false;
      this.redraws.tell();
    }
    if (this.attached === attached) return;
    this.attached = attached;
    // Whoever attached or detached may have closed copy mode or Screen's prompt.
    this.screenPrompt.see(false);
    this.emitUpdated();
  }

  /** Records whether drawing the recording fails. While it does, the status depends on the other sources alone. */
  seeUndrawn(isUndrawn: boolean): void {
    this.undrawnAt = isUndrawn ? this.deps.clock.now() : null;
    if (isUndrawn) this.status.loseScreen();
    this.emitUpdated();
  }

  /** Records what somebody did to the files of the session's recording. */
  seeDamage(damage: RecordingDamage): void {
    this.damages.tell(damage);
  }

  dispose(): void {
    this.gap.dispose();
    this.time.count();
    this.kept.dispose();
    this.status.dispose();
    for (const emitter of [this.arrivals, this.hooks, this.changes, this.redraws, this.damages]) emitter.clear();
  }

  private emitUpdated(): void {
    if (!this.heldChanges.defer('updated')) this.tellFaces('updated');
  }

  private onStatusChange(memory: StatusMemory, before: StatusMemory | null): void {
    const at = changedAt(memory, before, this.deps.clock.now());
    if (at !== null) this.kept.write(() => this.deps.history.append(this.record.id, changeOf(memory, at)));
    this.kept.save(keptWith(memory, before, this));
    if (!this.listed) return;
    this.time.change(spentAs(memory));
    if (!this.heldChanges.defer('state')) this.tellFaces('state');
    this.changes.tell();
  }

  private tellFaces(kind: Change): void {
    if (this.listed) this.deps.emit({ kind, session: this.view() });
  }
}
