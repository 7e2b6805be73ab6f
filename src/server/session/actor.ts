import type { TextsLeft } from '../../core/delivery/seen.ts';
import { spentAs } from '../../core/history/index.ts';
import { textsOfHook } from '../../core/search/index.ts';
import type {
  Cover,
  JsonEvidence,
  RegistryEvidence,
  ScreenFrame,
  StatusMemory,
  Unreachable,
} from '../../core/status/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import type { ScreenTarget } from '../../platform/gnu-screen/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import {
  CatalogueError,
  type ClaudeEvent,
  type Session,
  type SessionType,
  type StatusChange,
} from '../../protocol/index.ts';
import { markNow } from '../clock.ts';
import type { RecordingDamage, SessionRecording } from '../screen/recording.ts';
import { createRecordingGap, type RecordingGap } from '../screen/recording-gap.ts';
import { createScreenPrompt, type ScreenPrompt } from '../screen/screen-prompt.ts';
import { createUnreadInput, type UnreadInput } from '../screen/unread-input.ts';
import type { ActorDeps } from './actor-deps.ts';
import { JsonFacts } from './json-facts.ts';
import { keepEvidence, restoreHooks, restoreJson } from './kept-evidence.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { queueStoppedSince } from './queue-stop.ts';
import { createSessionStatus, type SessionStatus } from './session-status.ts';
import { changeOf, memoryOf } from './status-change.ts';
import { createTimeSpent, type TimeSpent } from './time-spent.ts';
import { viewSession } from './view.ts';

export type { ActorDeps };

/** Digits that are remembered: several dialogs may go one after the other before their answers come. */
const ANSWER_KEYS = 4;

/** Of these something is drawn, in every version. */
const DRAWING_HOOKS: ReadonlySet<string> = new Set(['UserPromptSubmit', 'PreToolUse', 'PostToolUse']);

/** One hook event as the spool hands it over. */
export interface ArrivedHook {
  at: number;
  event: string;
  payload: Readonly<Record<string, unknown>>;
  /** by what its wait for a reply is known, null where it does not wait */
  wait: string | null;
}

/**
 * One session: its record, its evidence and status, its recording. Commands that type into it go through the mailbox,
 * one after another; evidence is taken in at once, also while a command waits for it.
 */
export class SessionActor {
  readonly mailbox: Mailbox = createMailbox();
  readonly status: SessionStatus;
  /** counted from when it is listed: then all evidence is in */
  readonly time: TimeSpent;
  recording: SessionRecording | null = null;
  readonly gap: RecordingGap;
  readonly screenPrompt: ScreenPrompt;
  readonly unread: UnreadInput = createUnreadInput({
    agent: () => this.currentRecord.agent,
    typed: () => this.currentRecord.typed,
    remember: (typed) => this.save({ typed }),
  });
  /** Claude Code's own file of the conversation, as it told of it last */
  transcript: string | null = null;
  /** what a killed server was typing; null: nobody has looked */
  textsLeft: TextsLeft | null = null;
  /** the database lacked it when the server started */
  isBroughtBack = false;
  /** its processes are ended for others to take their place: their end is not its own */
  isChangingHands = false;
  private currentRecord: SessionRecord;
  private attached: boolean | null = null;
  private undrawnAt: number | null = null;
  private owesRedraw = false;
  private readonly redraws = new Emitter();
  private readonly damages = new Emitter<[RecordingDamage]>();
  private readonly hooks = new Emitter<[ArrivedHook]>();
  private readonly changes = new Emitter();
  readonly onHook = this.hooks.on;
  /** Called after every change of status, and when a draft or a view has come before the prompt or gone from it. */
  readonly onChange = this.changes.on;
  /** Called when its screen has to be drawn anew to be known: its recording goes on after a gap, or whoever was attached has gone. */
  readonly onRedrawNeeded = this.redraws.on;
  readonly onDamage = this.damages.on;
  private listed = false;
  private isGone = false;
  private jsonFacts: JsonFacts | null = null;
  private tellClearing: (() => number) | null = null;

  constructor(
    readonly deps: ActorDeps,
    record: SessionRecord,
  ) {
    this.currentRecord = record;
    if (record.type === 'json') this.jsonFacts = new JsonFacts(deps.events, record.id);
    this.followInSearch(record);
    this.time = createTimeSpent({
      clock: deps.clock,
      days: deps.days,
      write: this.write.bind(this),
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
    const { clock } = deps;
    const json = record.type === 'json' ? restoreJson(deps.events.state(record.id)?.evidence, clock) : null;
    const hooks = restoreHooks(record.hooks, clock);
    this.status = createSessionStatus({
      clock,
      thresholds: deps.thresholds,
      observe: deps.observe,
      hooks: hooks.evidence,
      json: json?.evidence,
      movedMs: (json ?? hooks).movedMs,
      memory: memoryOf(deps.history.last(record.id), clock.now()),
      onChange: (memory, before) => this.onStatusChange(memory, before),
    });
  }

  get record(): SessionRecord {
    return this.currentRecord;
  }

  get slug(): string {
    return this.currentRecord.slug;
  }

  /** Where its keys go. @throws CatalogueError session_dead, not_adopted */
  get target(): ScreenTarget {
    const { screenId, daemon, window, adopted, agent } = this.currentRecord;
    if (screenId === null || this.isDead()) throw new CatalogueError('session_dead', `${this.slug} is stopped`);
    if (!adopted)
      throw new CatalogueError('not_adopted', `${this.slug} is only observed`, { hint: `cbos adopt ${screenId}` });
    return { id: screenId, daemon, window, ...(agent === null ? {} : { pid: agent.pid }) };
  }

  /** A digit that answers a dialog is about to be typed; null: none can be in the prompt any more. Written down before it is typed. */
  rememberAnswerKey(key: string | null): void {
    const keys = key === null ? null : `${this.currentRecord.answerKey ?? ''}${key}`.slice(-ANSWER_KEYS);
    if (keys !== this.currentRecord.answerKey) this.save({ answerKey: keys });
  }

  /** The key that clears the prompt is about to be typed. Written down before it is: the next server must not type a second one right after it. */
  rememberClearing(): void {
    this.tellClearing = markNow(this.deps.clock);
    this.save({ clearedAt: this.deps.clock.now() });
  }

  /** When the prompt was last cleared, Unix milliseconds; 0: never. By a clock that was set back since, a former server did it just now. */
  clearedAt(): number {
    return this.tellClearing?.() ?? Math.min(this.currentRecord.clearedAt ?? 0, this.deps.clock.now());
  }

  isListed(): boolean {
    return this.listed;
  }

  isDead(): boolean {
    return this.currentRecord.endedAt !== null;
  }

  /** It is of another type from now on, on the same conversation; nothing of what was runs any more. */
  retype(type: SessionType): void {
    const nothing = { screenId: null, daemon: null, agent: null, launchId: null, hooks: null, recording: null };
    this.recording = null;
    this.attached = null;
    this.jsonFacts = type === 'json' ? new JsonFacts(this.deps.events, this.currentRecord.id) : null;
    const { events, clock } = this.deps;
    this.status.seeJson(
      type === 'json' ? restoreJson(events.state(this.currentRecord.id)?.evidence, clock).evidence : undefined,
    );
    this.update({ type, ...nothing });
  }

  /** Remembers a change of the record, and tells the faces where they show it. */
  update(change: Partial<SessionRecord>): void {
    this.save(change);
    this.emitUpdated();
  }

  /**
   * The same for what somebody asked for: written down before it is so, and before anything of it is done that cannot be undone.
   * @throws while the home cannot be written; nothing has changed then
   */
  commit(change: Partial<SessionRecord>): void {
    this.deps.writes.demand(() => this.deps.sessions.save({ ...this.currentRecord, ...change }));
    this.currentRecord = { ...this.currentRecord, ...change };
    this.followInSearch(change);
    this.emitUpdated();
  }

  view(): Session {
    const { json } = this.status.evidence();
    const facts = this.jsonFacts;
    return viewSession({
      record: this.currentRecord,
      memory: this.status.memory(),
      status: this.status.view(),
      attached: this.isDead() ? null : this.attached,
      screenPromptAt: this.isDead() ? null : this.screenPrompt.seenAt(),
      lines: facts?.lines() ?? this.recording?.lines() ?? null,
      size: this.recording?.size() ?? null,
      recordingStopped: this.gap.stopped(),
      undrawnAt: this.undrawnAt,
      broughtBack: this.isBroughtBack,
      queueStoppedAt: queueStoppedSince(this),
      json: json === undefined || facts === null ? null : { evidence: json, costUsd: facts.costUsd() },
    });
  }

  /** From here on its changes are told to the faces, and held texts are typed. */
  list(): void {
    if (this.listed) return;
    this.listed = true;
    this.time.change(spentAs(this.status.memory()));
    this.deps.emit({ kind: 'added', session: this.view() });
    this.lookAgain();
  }

  /** Its screen has to be drawn anew, and could not be: once nobody is attached, the next look at Screen's sessions has it tried again. */
  redrawLater(): void {
    this.owesRedraw = true;
  }

  /** What may be sent has changed, though the status has not. */
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
    // Who came or went may have closed it.
    this.screenPrompt.see(false);
    this.emitUpdated();
  }

  seeHook(hook: ArrivedHook): void {
    this.status.seeHook(hook);
    const sessionId = hook.payload.session_id;
    this.save({ hooks: this.keptHooks(), lastActivity: hook.at });
    if (typeof sessionId === 'string' && sessionId !== this.currentRecord.claudeSessionId) {
      this.update({ claudeSessionId: sessionId });
    }
    this.hooks.tell(hook);
    if (DRAWING_HOOKS.has(hook.event)) this.gap.expectOutput();
    // Keys reach Claude Code.
    if (hook.event === 'UserPromptSubmit') this.screenPrompt.see(false);
    this.indexHook(hook);
  }

  /** A hook waits no more for the reply to what it has asked. */
  forgetWait(id: string): void {
    this.status.forgetWait(id);
    this.save({ hooks: this.keptHooks() });
  }

  /** Hooks were lost: what they said until then may be over. */
  loseHooks(): void {
    this.status.loseHooks();
    this.save({ hooks: this.status.evidence().hooks });
  }

  /** Claude Code's file of the conversation has grown, or a hook names it. */
  seeTranscript(file: string): void {
    this.transcript = file;
    this.deps.search.readTranscript(this.currentRecord.id, file);
  }

  /** What Claude Code's registry says of it; null when its file has gone. */
  seeRegistry(registry: (RegistryEvidence & { version: string | null }) | null): void {
    if (registry !== null) {
      const claudeSessionId = registry.sessionId ?? this.currentRecord.claudeSessionId;
      const claudeVersion = registry.version ?? this.currentRecord.claudeVersion;
      if (
        claudeSessionId !== this.currentRecord.claudeSessionId ||
        claudeVersion !== this.currentRecord.claudeVersion
      ) {
        this.update({ claudeSessionId, claudeVersion });
      }
    }
    this.status.seeRegistry(registry);
  }

  /** What the events of a JSON session say by now; they are written down already. */
  seeJson(json: JsonEvidence, more: { events: readonly ClaudeEvent[]; costUsd: number }): void {
    this.jsonFacts?.add(more.events, more.costUsd);
    const before = this.status.evidence().json;
    const { launch, claudeSessionId } = this.currentRecord;
    // Plan mode ends when its plan is approved: the next process must not begin in it again. What was asked for the next turn stays.
    const hasSwitched = json.permissionMode !== null && json.permissionMode !== before?.permissionMode;
    const permission_mode = hasSwitched ? json.permissionMode : launch.permission_mode;
    const isNew = permission_mode !== launch.permission_mode || (json.sessionId ?? claudeSessionId) !== claudeSessionId;
    const isShown = before?.rateLimit !== json.rateLimit || before?.model !== json.model || more.costUsd > 0;
    this.currentRecord = { ...this.currentRecord, lastActivity: json.lastAt };
    this.status.seeJson(json);
    if (isNew) {
      this.update({ claudeSessionId: json.sessionId ?? claudeSessionId, launch: { ...launch, permission_mode } });
    } else if (isShown) this.emitUpdated();
  }

  seeScreen(frame: ScreenFrame, at: number): void {
    // Kept in memory alone: a row written per frame would cost more than it is worth, the next state change saves it.
    const lastActivity = Math.min(Math.max(at, this.currentRecord.lastActivity ?? 0), this.deps.clock.now());
    this.currentRecord = { ...this.currentRecord, lastActivity };
    // What is drawn while the recording has a gap is a part of a picture.
    if (this.gap.stopped()?.because === 'disk') return;
    const before = this.obstacle();
    this.status.seeScreen(frame, at);
    if (before !== this.obstacle() && this.listed) this.changes.tell();
  }

  /** Its recording can be drawn no more, or again: until then only the other sources say what it does. */
  seeUndrawn(isUndrawn: boolean): void {
    this.undrawnAt = isUndrawn ? this.deps.clock.now() : null;
    if (isUndrawn) this.status.loseScreen();
    this.emitUpdated();
  }

  /** The agent's process was found, or found again. */
  seeAgent(agent: { pid: number; startTime: string; startedAt: number | null }): void {
    if (this.currentRecord.agent?.pid !== agent.pid || this.currentRecord.agent.startTime !== agent.startTime) {
      this.update({ agent: { pid: agent.pid, startTime: agent.startTime } });
    }
    this.status.seeProcess({ alive: true, startedAt: agent.startedAt, endedAt: null });
  }

  /** Why nothing can be typed into it; null: it can be reached. */
  seeReach(why: Unreachable | null): void {
    const { process } = this.status.evidence();
    const { unreachable, ...known } = process ?? { alive: true, startedAt: null, endedAt: null };
    if (this.isDead() || why?.because === unreachable?.because) return;
    const since = this.deps.clock.now();
    this.status.seeProcess(why === null ? known : { ...known, unreachable: { ...why, since } });
  }

  /** The operating system says that the session is over. */
  seeEnd(): void {
    if (this.isDead()) return;
    const now = this.deps.clock.now();
    this.update({ endedAt: now });
    this.status.seeProcess({ alive: false, startedAt: null, endedAt: now });
  }

  /** Something was done to the files of its recording. */
  seeDamage(damage: RecordingDamage): void {
    this.damages.tell(damage);
  }

  dispose(): void {
    this.gap.dispose();
    this.time.count();
    this.isGone = true;
    this.status.dispose();
    for (const emitter of [this.hooks, this.changes, this.redraws, this.damages]) emitter.clear();
  }

  /** What keeps a text from the prompt, as far as the screen tells. */
  private obstacle(): Cover | 'draft' | null {
    const reading = this.status.evidence().screen?.reading;
    return reading?.cover ?? (reading?.draft == null ? null : 'draft');
  }

  private keptHooks(): unknown {
    const { hooks, movedMs = 0 } = this.status.evidence();
    return keepEvidence(hooks, movedMs, this.deps.clock);
  }

  private save(change: Partial<SessionRecord>): void {
    this.currentRecord = { ...this.currentRecord, ...change };
    const record = this.currentRecord;
    this.write(() => this.deps.sessions.save(record));
    this.followInSearch(change);
  }

  private followInSearch({ recording }: Partial<SessionRecord>): void {
    if (recording != null) this.deps.search.follow(this.currentRecord.id, recording);
  }

  private indexHook({ at, event, payload }: ArrivedHook): void {
    const { search } = this.deps;
    const { id } = this.currentRecord;
    search.addSaid(
      id,
      textsOfHook(event, payload).map((text) => ({ ...text, at, seq: null })),
    );
    if (typeof payload.transcript_path === 'string') this.seeTranscript(payload.transcript_path);
  }

  private emitUpdated(): void {
    if (this.listed) this.deps.emit({ kind: 'updated', session: this.view() });
  }

  /** Notes something, now or when there is room for it; nothing of a session that was removed meanwhile. */
  private write(work: () => void): void {
    this.deps.writes.write(() => {
      if (!this.isGone) work();
    });
  }

  private remember(change: StatusChange): void {
    this.write(() => this.deps.history.append(this.currentRecord.id, change));
  }

  private onStatusChange(memory: StatusMemory, before: StatusMemory | null): void {
    const hasMoved = before?.primary !== memory.primary || before.detail !== memory.detail;
    if (hasMoved) this.remember(changeOf(memory, memory.since));
    else if (before.health !== memory.health) this.remember(changeOf(memory, this.deps.clock.now()));
    const asked = memory.question?.text;
    this.save(asked === undefined ? {} : { lastQuestion: asked });
    if (!this.listed) return;
    this.time.change(spentAs(memory));
    const session = this.view();
    this.deps.emit({ kind: 'state', session });
    if (memory.state === 'waiting' && before?.state !== 'waiting') this.deps.onWaiting(session);
    this.changes.tell();
  }
}
