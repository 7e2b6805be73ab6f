import { v4 as uuid } from 'uuid';
import type { AnyReply } from '../../core/answer/reply.ts';
import {
  type JsonEvidence,
  observeEvent,
  observePrompt,
  observeTrust,
  type TrustRequest,
  withdrawPrompt,
} from '../../core/status/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import { LAUNCH_VARIABLE } from '../../platform/claude/index.ts';
import { jsonFiles, lastComplaint, removeFiles } from '../../platform/claude/json/index.ts';
import { findClaudeBelow } from '../../platform/gnu-screen/index.ts';
import { endTree, isAlive, signal, waitUntil } from '../../platform/process/index.ts';
import { CatalogueError, type ClaudeEvent } from '../../protocol/index.ts';
import { failedSetUp, setUpFailure } from '../session/failed-set-up.ts';
import { requireAlone } from '../session/require-alone.ts';
import { isMissing, requireSaved } from '../session/session-conversation.ts';
import type { Dispose } from '../sessions.ts';
import { planDueSetUp, seeSetUpEnd } from '../worktrees/begin-set-up.ts';
import { type AgentEnd, AgentRun, endWords, wasReadBefore } from './agent-run.ts';
import type { DrivenSession, JsonContext } from './context.ts';
import { type ControlRequest, control, refusals } from './control.ts';
import { EventLog } from './event-log.ts';
import { findProcess } from './find-process.ts';
import { requireContinued } from './require-continued.ts';
import { awaitFailedSetUp, expectSetUp, takeSetUp } from './set-up-lines.ts';
import { folderOf, planLaunch, startAgent, trustToAsk, untrusted } from './start-agent.ts';

/** How long to wait for the process to end after a SIGTERM. An idle Claude Code ends within 100 ms. */
const END_MS = 4_000;

/**
 * Drives Claude Code for one JSON session: starts the process at the first prompt, reads its events, ends it when it
 * has been idle for a while, and finds it again after a server restart. A session never has more than one process.
 * Every start happens in the session's mailbox, after a check that no other process has the conversation open.
 */
export class JsonDriver {
  readonly #context: JsonContext;
  readonly #session: DrivenSession;
  readonly #log: EventLog;
  readonly #ended = new Emitter();
  #run: AgentRun | null = null;
  #finishing: Promise<void> = Promise.resolve();
  #stopResting: Dispose | null = null;

  constructor(context: JsonContext, session: DrivenSession) {
    this.#context = context;
    this.#session = session;
    this.#log = new EventLog(session);
  }

  get evidence(): JsonEvidence {
    return this.#log.evidence;
  }

  /** Reports whether Claude Code is running for this session. */
  readonly isRunning = (): boolean => this.#run !== null;

  /** Calls the listener with each event, after the event has been saved. */
  readonly onEvent = (listener: (event: ClaudeEvent) => void): Dispose => this.#log.onEvent(listener);

  /** Calls the listener when the process has ended and all its output has been read. */
  readonly onEnd = this.#ended.on;

  /** Called after a server restart: reads what was written since, and continues to use the process if it is alive. */
  async findAgain(): Promise<void> {
    // Nothing will show an open question again, because Claude Code writes nothing while it waits for the answer.
    this.#session.status.seeJson(this.#log.evidence);
    const { launchId, agent } = this.#session.record;
    const known = this.#session.deps.events.state(this.#session.record.id);
    // If the database has lost the session's state (`known` is null), the output is read from the beginning.
    if (launchId === null || (known !== null && known.output.launchId !== launchId)) {
      // The previous server died before it had started a process for the prompt.
      if (this.#log.isUnfinished()) this.#fail({ code: null, signal: null }, '');
      return;
    }
    const run = this.#open(launchId);
    await run.tail.catchUp().catch((cause) => wasReadBefore(run, cause) || this.#fault(cause));
    const found = await findProcess(launchId, agent);
    if (found === null) {
      run.ended({ code: null, signal: null });
      await this.#finishing;
      return;
    }
    this.#session.update({ agent: found });
    run.lookAfter(found);
    this.#considerRest();
  }

  /**
   * Opens the question whether the user trusts the folder, or closes it if it has been answered in the meantime. If a
   * process is running, the question was answered before the process was started.
   * @returns whether Claude Code may be started
   */
  async settleTrust(): Promise<boolean> {
    if (this.#run !== null) return true;
    const asked = this.#log.evidence.trust;
    const open = await trustToAsk(this.#context, this.#session.record);
    if (open?.folder !== asked?.folder) {
      this.#log.change((before, at) => observeTrust(before, open && { ...open, id: uuid(), askedAt: at }));
    }
    return open === null;
  }

  /** Records that a person trusts the folder named in the question. */
  async trust({ folder }: TrustRequest): Promise<void> {
    this.#session.commit({ launch: { ...this.#session.record.launch, trusted_folder: folder } });
    await this.settleTrust();
  }

  /**
   * Passes a prompt to Claude Code, and starts Claude Code first if necessary. Call this in the session's mailbox.
   * @throws CatalogueError untrusted_folder, no_such_path, claude_not_found, session_in_use, launch_failed,
   *   not_confirmed; another_conversation, after which the caller ends the process
   */
  async prompt({ id, text }: { id: string; text: string }): Promise<void> {
    if (!(await this.settleTrust())) throw untrusted(this.#session);
    // The first rule that denies calls was added after the process had started. Only a new process gets the hook that
    // checks the rules.
    if (this.#run?.isGuarded === false && this.#context.areCallsGuarded()) await this.rest();
    this.#log.commit((before, at) => observePrompt(before, { id, at, text }));
    try {
      await this.#ensureRun();
      const message = { role: 'user', content: text };
      await this.#write({ type: 'user', message, parent_tool_use_id: null, uuid: id });
    } catch (cause) {
      await awaitFailedSetUp(this.#session, this.isRunning);
      await this.#finishing;
      this.withdraw(id);
      throw failedSetUp(this.#session) ?? cause;
    }
  }

  /** Called if nothing shows that Claude Code got a prompt. The turn of that prompt then no longer counts as begun. */
  readonly withdraw = (id: string): void => this.#log.change((before) => withdrawPrompt(before, id));

  /** @throws CatalogueError not_confirmed, session_dead, disk_full */
  async answer(requestId: string, result: AnyReply): Promise<void> {
    this.#requireRoom();
    const response = { subtype: 'success', request_id: requestId, response: result };
    const message: ClaudeEvent = { type: 'control_response', response };
    await this.#write(message);
    // Claude Code will repeat the answer in its events. The question must not look open until then.
    this.#log.change((before, at) => observeEvent(before, message, at));
  }

  /** Throws if the home is not writable, because the events that follow a message could not be saved then. */
  #requireRoom(): void {
    this.#session.commit({});
  }

  /**
   * Sends a control request to the running Claude Code: `interrupt`, `set_permission_mode`, `set_model`.
   * @throws CatalogueError not_confirmed if Claude Code refuses or does not answer; disk_full
   */
  async control(request: ControlRequest): Promise<void> {
    this.#requireRoom();
    const { onEvent, isRunning } = this;
    const { until } = this.#session.status;
    await control({ write: (message) => this.#write(message), until, onEvent, isRunning }, request);
  }

  /**
   * Ends the process if it is idle, so that another process can open the conversation. A running turn or task is not
   * interrupted.
   * @param canLose whether the process ends even if only the process still has the whole conversation
   * @throws CatalogueError no_such_conversation
   */
  async rest({ canLose } = { canLose: false }): Promise<void> {
    const run = this.#run;
    if (run === null || !this.#log.isQuiet()) return;
    if (!canLose) await requireSaved(this.#session, this.#context.environment);
    this.#stopResting?.();
    await run.tail.catchUp();
    const { process } = run;
    const claude = await findClaudeBelow(process);
    if (process === null || claude === null || !this.#log.isQuiet()) return;
    await signal(claude, 'SIGTERM');
    const gone = async (): Promise<true | null> => ((await isAlive(process)) ? null : true);
    if ((await waitUntil(gone, { timeoutMs: END_MS })) === null) await this.end();
    run.ended({ code: null, signal: null });
    await this.#finishing;
  }

  /** Ends the process and every process that it has started, even during a turn. @throws CatalogueError kill_failed */
  async end(): Promise<void> {
    const run = this.#run;
    const { launchId } = this.#session.record;
    if (launchId === null) return;
    const first = await findClaudeBelow(run?.process ?? null);
    const { left } = await endTree({ roots: [], first, mark: { name: LAUNCH_VARIABLE, value: launchId } });
    if (left.length > 0) {
      const named = left.map((one) => `${one.pid} (${one.comm})`).join(', ');
      throw new CatalogueError('kill_failed', `${this.#session.slug}: could not terminate ${named}`);
    }
    run?.ended({ code: null, signal: null });
    await this.#finishing;
  }

  dispose(): void {
    this.#stopResting?.();
    this.#run?.dispose();
    this.#run = null;
  }

  async #ensureRun(): Promise<void> {
    if (this.#run !== null) return;
    await this.#finishing;
    const session = this.#session;
    await requireAlone(this.#context, session.record);
    const launchId = uuid();
    const due = await planDueSetUp(this.#context.setUps, session.record);
    const launch = await planLaunch(this.#context, { ...session.record, ...due }, launchId);
    // Since the trust was checked, the path may have become a link to another folder.
    const open = await trustToAsk(this.#context, session.record);
    if (open !== null || (await folderOf(session.record)) !== launch.cwd) {
      await this.settleTrust();
      throw untrusted(session);
    }
    const { claudeSessionId, claudeVersion, reported } = launch;
    // This is saved before the process is started, so that the next server finds the process by its mark in any case.
    session.commit({ launchId, agent: null, claudeSessionId, claudeVersion, reported, ...due });
    this.#log.beginOutput();
    let early: AgentEnd | null = null;
    const agent = await startAgent(this.#context, { ...launch, launchId }, (end) => {
      if (this.#run?.launchId === launchId) this.#run.ended(end);
      else early = end;
    });
    const run = this.#open(launchId);
    run.process = agent;
    run.isGuarded = launch.isGuarded;
    session.update({ agent });
    if (early !== null) run.ended(early);
    await requireContinued(this.#context, session, { run, isOver: () => this.#run !== run });
  }

  #open(launchId: string): AgentRun {
    const run: AgentRun = new AgentRun({
      launchId,
      files: jsonFiles(this.#context.jsonDir, launchId),
      from: this.#log.offset,
      clock: this.#session.deps.clock,
      onLines: (lines) => {
        const events = takeSetUp(run, this.#session, lines.events);
        this.#log.takeIn({ ...lines, events });
        for (const refused of events.flatMap(refusals)) {
          this.#write(refused).catch(this.#fault);
        }
        this.#considerRest();
      },
      onError: this.#fault,
      onEnd: (end) => {
        this.#finishing = this.#finish(run, end).catch(this.#fault);
      },
    });
    expectSetUp(run, this.#session);
    this.#run = run;
    return run;
  }

  async #write(message: object): Promise<void> {
    if (this.#run === null) throw new CatalogueError('session_dead', "Claude Code isn't running");
    await this.#run.write(message);
  }

  async #finish(run: AgentRun, end: AgentEnd): Promise<void> {
    await run.tail.finish().catch((cause) => wasReadBefore(run, cause) || this.#fault(cause));
    if (this.#run === run) this.#run = null;
    if (run.isSettingUp) seeSetUpEnd(this.#session, {});
    this.#stopResting?.();
    this.#ended.tell();
    if (this.#log.isUnfinished()) {
      // A turn was running, or an agent was asking. Tools must not continue, because nobody would see their results.
      await endTree({ roots: [], mark: { name: LAUNCH_VARIABLE, value: run.launchId } });
      this.#fail(end, await lastComplaint(run.files));
    }
    await removeFiles(run.files);
    this.#session.update({ agent: null });
  }

  #fail(end: AgentEnd, complaint: string): void {
    this.#log.add({ type: 'error', message: setUpFailure(this.#session.record) ?? endWords(end, complaint) });
  }

  /** Ends the process when nothing has happened for the configured idle time. Each event restarts the timer. */
  #considerRest(): void {
    this.#stopResting?.();
    if (this.#run === null || !this.#log.isQuiet()) return;
    const { mailbox, deps } = this.#session;
    this.#stopResting = deps.clock.after(this.#context.settings.json_idle_timeout * 1_000, () => {
      mailbox.post(() => this.rest()).catch((cause) => isMissing(cause) || this.#fault(cause));
    });
  }

  readonly #fault = (err: unknown): void =>
    this.#session.deps.log.error({ slug: this.#session.slug, err }, 'a fault while controlling Claude Code');
}
