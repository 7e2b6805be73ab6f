import { textsOfHook } from '../../core/search/index.ts';
import type {
  Cover,
  JsonEvidence,
  ProcessEvidence,
  RegistryEvidence,
  ScreenFrame,
  Unreachable,
  WaitEnd,
} from '../../core/status/index.ts';
import type { StatusLineReport } from '../../platform/claude/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { type ClaudeEvent, isInTurn, isSetUpDue, type RateLimit, type SetUp } from '../../protocol/index.ts';
import type { ActorDeps } from './actor-deps.ts';
import { type Figures, SessionFigures } from './figures.ts';
import type { JsonFacts } from './json-facts.ts';
import { keepEvidence } from './kept-evidence.ts';
import type { KeptRecord } from './kept-record.ts';
import type { RecordingGap } from './recording-gap.ts';
import {
  changeByReport,
  type Report,
  reportOfEvents,
  reportOfHook,
  reportOfProcess,
  reportOfRegistry,
} from './reports.ts';
import type { ScreenPrompt } from './screen-prompt.ts';
import type { SessionStatus } from './session-status.ts';

/** The hook events after which every version of Claude Code draws something. */
const DRAWING_HOOKS: ReadonlySet<string> = new Set(['UserPromptSubmit', 'PreToolUse', 'PostToolUse']);

const UNKNOWN_TIMES = { startedAt: null, endedAt: null };

/** One hook event, as read from the spool. */
export interface ArrivedHook {
  at: number;
  event: string;
  payload: Readonly<Record<string, unknown>>;
  /** the id of the hook's wait for a reply; null if the hook does not wait */
  wait: string | null;
  /** the usage limit that ended the turn; absent if the turn ended for another reason */
  limit?: RateLimit;
}

/** Evidence that may contain a question: a hook event, or events from a JSON session. */
export type Arrival = { kind: 'hook'; hook: ArrivedHook } | { kind: 'events'; json: JsonEvidence };

/** The session that the evidence is about. */
interface Witnessed {
  readonly deps: Pick<ActorDeps, 'clock' | 'search' | 'terminalCosts'>;
  readonly kept: Pick<KeptRecord, 'current' | 'save' | 'hold' | 'write'>;
  readonly status: SessionStatus;
  readonly gap: Pick<RecordingGap, 'stopped' | 'expectOutput'>;
  readonly screenPrompt: Pick<ScreenPrompt, 'see'>;
  facts(): Pick<JsonFacts, 'add'> | null;
  /** Changes the record, and notifies the faces. */
  update(change: Partial<SessionRecord>): void;
  emitUpdated(): void;
  /** Reports evidence that has arrived, before the status is updated. */
  tellArrival(arrival: Arrival): void;
  tellHook(hook: ArrivedHook): void;
  /** Reports that a draft or a view has started or stopped blocking the prompt. */
  tellObstacle(): void;
}

/**
 * Accepts all evidence about one session, and passes it on to the session's status, its record, and the search index.
 */
export class EvidenceIntake {
  readonly #session: Witnessed;
  /** the id of the session's conversation, if a launch was refused because the conversation is gone */
  missing: string | null = null;
  readonly #figures: SessionFigures;

  constructor(session: Witnessed) {
    this.#session = session;
    this.#figures = new SessionFigures({ ...session.deps, kept: session.kept });
  }

  /** the figures that Claude Code has reported to the status line for this launch and this conversation */
  get figures(): Figures {
    return this.#figures.shown(this.#session.kept.current);
  }

  seeHook(hook: ArrivedHook): void {
    const { status, gap, screenPrompt } = this.#session;
    this.#session.tellArrival({ kind: 'hook', hook });
    this.seeReport(reportOfHook(hook));
    status.seeHook(hook);
    this.keepHooks({ lastActivity: hook.at });
    this.#session.tellHook(hook);
    if (DRAWING_HOOKS.has(hook.event)) gap.expectOutput();
    // A prompt has arrived, so keypresses reach Claude Code rather than Screen.
    if (hook.event === 'UserPromptSubmit') screenPrompt.see(false);
    this.#indexHook(hook);
  }

  /** Records that a hook is no longer waiting for the reply to its question, and what happened to its form. */
  forgetWait(id: string, to: WaitEnd = 'gone'): void {
    this.#session.status.forgetWait(id, to);
    this.keepHooks();
  }

  /** Records that the reply to a hook's question was accepted. A no ends the tool call, and a yes lets it run. */
  settleCall(id: string, isRefused: boolean): void {
    this.#session.status.settleCall(id, isRefused);
    this.keepHooks();
  }

  /** Records that CBOS interrupted the turn with an Esc that it began to press at this time. */
  interruptCalls(at: number): void {
    this.#session.status.interruptCalls(at);
    this.keepHooks();
  }

  /** Records which usage limit caused the failure that a hook reported with this message. */
  seeLimit(limit: RateLimit, message: unknown): void {
    this.#session.status.seeLimit(limit, message);
    this.keepHooks();
  }

  /** Records that reports from hooks were lost, so earlier reports may be out of date. */
  loseHooks(): void {
    const { status, kept } = this.#session;
    status.loseHooks();
    kept.save({ hooks: status.evidence().hooks });
  }

  /** Records that the conversation's transcript has grown, or that a hook has reported its path. */
  seeTranscript(file: string): void {
    this.#session.deps.search.readTranscript(this.#session.kept.current.id, file);
  }

  /** Accepts the content of the session's file in Claude Code's registry; null if the file has been removed. */
  seeRegistry(registry: (RegistryEvidence & { version: string | null }) | null): void {
    const { current } = this.#session.kept;
    if (registry !== null) {
      const claudeVersion = registry.version ?? current.claudeVersion;
      if (claudeVersion !== current.claudeVersion) this.#session.update({ claudeVersion });
      this.seeReport(reportOfRegistry(registry, current));
    }
    this.#session.status.seeRegistry(registry);
  }

  /** Accepts the current state of a JSON session according to its events, which have already been saved. */
  seeJson(json: JsonEvidence, more: { events: readonly ClaudeEvent[]; costUsd: number }): void {
    const { status, kept } = this.#session;
    this.#session.facts()?.add(more.events, more.costUsd);
    const before = status.evidence().json;
    const { launch } = kept.current;
    // Claude Code may have switched modes: plan mode ends when the plan is approved, so the next process must not start
    // in plan mode again. A mode that was requested for the next turn remains in effect.
    const hasSwitched = json.permissionMode !== null && json.permissionMode !== before?.permissionMode;
    const permission_mode = hasSwitched ? json.permissionMode : launch.permission_mode;
    const isShown = before?.rateLimit !== json.rateLimit || before?.model !== json.model || more.costUsd > 0;
    kept.hold({ lastActivity: json.lastAt });
    this.#session.tellArrival({ kind: 'events', json });
    status.seeJson(json);
    this.seeReport(reportOfEvents(more.events));
    if (permission_mode !== launch.permission_mode) {
      this.#session.update({ launch: { ...launch, permission_mode } });
    } else if (isShown) this.#session.emitUpdated();
  }

  seeScreen(frame: ScreenFrame, at: number): void {
    const { status, kept, gap, deps } = this.#session;
    // The time is kept only in memory, because writing a row for each frame would not be worth the cost. The next
    // change of the status saves it.
    kept.hold({ lastActivity: Math.min(Math.max(at, kept.current.lastActivity ?? 0), deps.clock.now()) });
    // Near a gap in the recording, the output shows only a part of the screen.
    if (gap.stopped()?.because === 'disk') return;
    const before = this.#obstacle();
    status.seeScreen(frame, at);
    if (before !== this.#obstacle()) this.#session.tellObstacle();
  }

  /** Accepts what a source reports about the session's conversation, and looks where its process works now. */
  seeReport(report: Report): void {
    const { current } = this.#session.kept;
    const change = changeByReport(current, { ...report, ...reportOfProcess(current) });
    if (change === null) return;
    this.#session.update(change);
    const { asked, instead } = current.reported;
    // Prompts may have waited for this report.
    if (change.reported?.asked !== asked || change.reported.instead !== instead) this.#session.tellObstacle();
  }

  /** Records that Claude Code's process has been found, or found again. */
  seeAgent(agent: { pid: number; startTime: string; startedAt: number | null }): void {
    const known = this.#session.kept.current.agent;
    if (known?.pid !== agent.pid || known.startTime !== agent.startTime) {
      this.#session.update({ agent: { pid: agent.pid, startTime: agent.startTime } });
    }
    this.#session.status.seeProcess(this.#withSetUp({ alive: true, startedAt: agent.startedAt, endedAt: null }));
  }

  /**
   * Records that Claude Code has ended, but that the program which started it is still running, such as a wrapper or a
   * shell.
   */
  seeAbsent({ pid, comm }: { pid: number; comm: string }): void {
    const { status, deps } = this.#session;
    const { process } = status.evidence();
    const before = process?.absent;
    // A wrapper may replace itself with a shell.
    if (before?.pid === pid && before.comm === comm) return;
    status.seeRegistry(null);
    const absent = { pid, comm, since: before?.since ?? deps.clock.now() };
    status.seeProcess({ alive: true, startedAt: null, endedAt: null, absent });
  }

  /** Records why nothing can be typed into the session; null if the session is reachable. */
  seeReach(why: Unreachable | null): void {
    const { status, kept, deps } = this.#session;
    const { process } = status.evidence();
    const { unreachable, ...known } = process ?? { alive: true, startedAt: null, endedAt: null };
    if (kept.current.endedAt !== null || why?.because === unreachable?.because) return;
    const since = deps.clock.now();
    status.seeProcess(why === null ? known : { ...known, unreachable: { ...why, since } });
  }

  /** Accepts a report from the status line of a launch, and notifies the faces if the report changes what they show. */
  seeStatusLine(launchId: string, report: StatusLineReport): void {
    if (this.#figures.see(launchId, report)) this.#session.emitUpdated();
  }

  /**
   * Records that the session's process has ended, according to the operating system. @param exit what the recording
   * says about it
   */
  seeEnd(exit: { code: number | null; closedAt: number } | null = null): void {
    const { kept, status, deps } = this.#session;
    if (kept.current.endedAt !== null) return;
    const now = deps.clock.now();
    const ended = { at: now, code: null, closedAt: null, ...exit, wasRunning: isInTurn(status.memory()) };
    this.#session.update({ endedAt: now, ended: kept.current.type === 'screen' ? ended : null });
    this.seeProcessAgain();
  }

  /**
   * Updates the evidence about the process from the record. If the session is parked, its last screen no longer says
   * anything about it.
   */
  seeProcessAgain(): void {
    const { endedAt, parkedAt } = this.#session.kept.current;
    const parked = parkedAt === null ? {} : { parkedAt };
    if (parkedAt !== null) this.#session.status.loseScreen();
    this.#session.status.seeProcess(this.#withSetUp({ alive: endedAt === null, startedAt: null, endedAt, ...parked }));
  }

  /** Records the new state of the set-up of the session's worktree. */
  seeSetUp(change: Pick<SetUp, 'state'> & Partial<SetUp>): void {
    const { kept, status, deps } = this.#session;
    const { launch } = kept.current;
    const { worktree } = launch;
    if (worktree?.set_up === undefined) return;
    const at = new Date(deps.clock.now()).toISOString();
    const set_up = { ...worktree.set_up, at, ...change };
    this.#session.update({ launch: { ...launch, worktree: { ...worktree, set_up } } });
    const { settingUp: _, setUpFailed: __, ...known } = status.evidence().process ?? { alive: true, ...UNKNOWN_TIMES };
    status.seeProcess(this.#withSetUp(known));
  }

  #withSetUp(process: ProcessEvidence): ProcessEvidence {
    const setUp = this.#session.kept.current.launch.worktree?.set_up;
    if (setUp === undefined) return process;
    const { state, command, exit_code: exitCode } = setUp;
    if (process.alive && state === 'running') {
      return { ...process, settingUp: { command, since: Date.parse(setUp.at) } };
    }
    // A set-up that was still running when its processes ended has not finished, so it also counts as failed.
    const isUnfinished = isSetUpDue(setUp) && (state === 'failed' || state === 'running');
    return !process.alive && isUnfinished ? { ...process, setUpFailed: { exitCode } } : process;
  }

  /** Returns what blocks the prompt, as far as the screen shows it. */
  #obstacle(): Cover | 'draft' | null {
    const reading = this.#session.status.evidence().screen?.reading;
    return reading?.cover ?? (reading?.draft == null ? null : 'draft');
  }

  /** Stores the evidence from hooks, and other changes of the record with it. */
  keepHooks(more: Partial<SessionRecord> = {}): void {
    const { deps, kept, status } = this.#session;
    const { hooks, movedMs = 0 } = status.evidence();
    kept.save({ hooks: keepEvidence(hooks, movedMs, deps.clock), ...more });
  }

  #indexHook({ at, event, payload }: ArrivedHook): void {
    const { deps, kept } = this.#session;
    deps.search.addSaid(
      kept.current.id,
      textsOfHook(event, payload).map((text) => ({ ...text, at, seq: null })),
    );
    if (typeof payload.transcript_path === 'string') this.seeTranscript(payload.transcript_path);
  }
}
