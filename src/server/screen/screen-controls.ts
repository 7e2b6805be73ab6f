/**
 * This directory contains what only terminal sessions need.
 *
 * - prompts: `deliver.ts` accepts them, and `carry-on.ts` performs the steps that `src/core/delivery/advance.ts`
 *   decides on
 * - answers to questions: `respond.ts`
 * - answers through a hook reply: `answer-by-reply.ts` and `open-waits.ts`
 * - answers by keypresses: `answer-by-keys.ts`
 * - answers by approval rules: `reply-by-rule.ts`
 * - interrupting a turn: `interrupt.ts`
 * - the recording: `recording.ts`, and how often it is read: `read-interval.ts`
 * - drawing the recording, even during a flood: `drawing.ts` and `drawing-turns.ts`
 * - recordings that are deleted, moved, or truncated: `keep-recorded.ts`
 * - starting and ending a session's processes: `launch-session.ts`, `end-session.ts`
 * - redrawing a session's screen: `redraw-screen.ts`
 * - renaming: `rename-session.ts`
 * - parking and waking: `parking.ts`
 * - restoring a lost session: `restore.ts`
 */

import { v7 as uuid } from 'uuid';
import { asksFirst } from '../../core/status/index.ts';
import { LAUNCH_VARIABLE } from '../../platform/claude/index.ts';
import {
  leaveHiddenTerminal,
  readHardcopy,
  resizeScreen,
  type ScreenHost,
  typeKeys,
} from '../../platform/gnu-screen/index.ts';
import { type Buffer, CatalogueError } from '../../protocol/index.ts';
import type { Approvals } from '../approval/approvals.ts';
import { keepAnswer } from '../memory/keep-answer.ts';
import type { SessionActor } from '../session/actor.ts';
import { REPORT_MS } from '../session/continued.ts';
import type { ConversationSource, SessionControls } from '../session/controls.ts';
import { standingChoices } from '../session/open-question.ts';
import type { OtherSessions } from '../session/other-sessions.ts';
import { requireAlone, requireFree } from '../session/require-alone.ts';
import { sourceOf } from '../session/session-conversation.ts';
import type { Dispose } from '../sessions.ts';
import { planDueSetUp } from '../worktrees/begin-set-up.ts';
import { waitingTool } from './answer-by-reply.ts';
import { createDeliverer } from './deliver.ts';
import { endScreenSession } from './end-session.ts';
import { followRecording, openRecording } from './follow-recording.ts';
import { createFormKeeper } from './form-waits.ts';
import { interruptTurn } from './interrupt.ts';
import { keepLogging } from './keep-logging.ts';
import { createRecordingKeeper } from './keep-recorded.ts';
import { type LaunchContext, type Launched, launchSession, recordingFiles } from './launch-session.ts';
import { createWaitKeeper } from './open-waits.ts';
import { createParking } from './parking.ts';
import { redrawScreen } from './redraw-screen.ts';
import { renameSession } from './rename-session.ts';
import { createRuleReplies } from './reply-by-rule.ts';
import { answerQuestion } from './respond.ts';
import { createRestore } from './restore.ts';

/**
 * The change that makes a record forget the processes of the previous launch, so that they are not mistaken for those
 * of the new launch.
 */
const NO_PROCESSES = { screenId: null, daemon: null, agent: null } as const;

/** The change with which a launch clears every reason for an earlier end of the session. */
const LIVES = { endedAt: null, parkedAt: null, stopAskedAt: null, loss: null } as const;

export interface ScreenContext extends LaunchContext, OtherSessions {
  approvals: Approvals;
  /** the directory of Claude Code's registry: `sessions` in Claude Code's configuration directory */
  registryDir: string;
  /** runs `work` when its turn comes, because only a few launches may run at a time */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/** Creates the controls of a session that runs in GNU Screen. */
export function createScreenControls(context: ScreenContext, actor: SessionActor): SessionControls {
  const { settings, screen, environment } = context;
  const { deps } = actor;
  const { launch, begin, stopAwaiting } = createLaunching(context, actor);
  const end = (): Promise<void> => endScreenSession({ screen }, actor);
  const parking = createParking({ actor, environment, end, launch, inTurn: context.inTurn });
  const restoring = createRestore({ ...context, actor, end, launch });
  const deliverer = createDeliverer(actor, parking.wake);
  const stops = [createWaitKeeper(actor), createFormKeeper(actor), createRuleReplies(actor, context.approvals)];

  /** Redraws the screen after a gap in its recording. Until then, CBOS does not know what the session shows. */
  async function showAgain(): Promise<void> {
    if (actor.isDead() || !actor.record.adopted) return;
    try {
      // Screen stops writing its log once a write has failed, so the log must be started again.
      await keepLogging(screen, actor);
      await redrawScreen(screen, actor, actor.recording?.size() ?? actor.record.launch);
    } catch (cause) {
      const message = 'its screen could not be redrawn after a gap in its recording; CBOS tries again';
      deps.log.warn({ slug: actor.slug, err: cause }, message);
      actor.redrawLater();
    }
  }
  const keeper = createRecordingKeeper(screen, actor, showAgain);
  const stopShowing = actor.onRedrawNeeded(() => void actor.mailbox.post(showAgain));

  async function findAgain(): Promise<void> {
    if (actor.isDead()) {
      openRecording(deps, actor, actor.record.launch);
      if (actor.isParked()) actor.intake.seeProcessAgain();
      return;
    }
    actor.intake.seeProcessAgain();
    await keeper.findAgain();
  }

  return {
    deliverer,
    conversation: null,
    launch,
    park: parking.park,
    wake: parking.wake,
    settle: parking.settle,
    planRestore: restoring.plan,
    restore: restoring.restore,
    findAgain,
    takeLaunched: async (found) => {
      await begin({ ...found, recording: recordingFiles(settings.stream_dir, actor.record.slug) }, null);
      const mark = { name: LAUNCH_VARIABLE, value: actor.record.launchId ?? '' };
      await leaveHiddenTerminal(found.daemon.pid, mark);
    },
    end: async () => {
      await end();
      actor.intake.seeEnd();
    },
    release: end,
    // The session keeps running in Screen, which needs no resources of CBOS.
    rest: async () => undefined,
    moved: async () => undefined,
    rename: (slug) => renameSession(context, actor, slug),
    answer: (request) =>
      actor.personAnswers.run(async () => {
        const question = await answerQuestion(actor, deliverer, request);
        await keepAnswer(context.approvals, actor, { question, given: request });
      }),
    standing: (id) => {
      const memory = actor.status.memory();
      // Only the dialog that is open has a hook that waits for a reply.
      if (!asksFirst(memory, id)) return standingChoices([]);
      return standingChoices(waitingTool(actor, memory.wait)?.wait?.suggestions ?? []);
    },
    interrupt: () => interruptTurn(actor),
    keys: (keys) => actor.mailbox.post(() => typeKeys(screen, actor.target, keys)),
    resize: (cols, rows) =>
      actor.mailbox.post(async () => {
        if (actor.record.agent === null) throw new CatalogueError('session_dead');
        const { launch: before } = actor.record;
        actor.commit({ launch: { ...before, cols, rows } });
        await resizeScreen(screen, actor.target, { cols, rows }).catch((cause: unknown) => {
          actor.update({ launch: before });
          throw cause;
        });
        actor.recording?.resized(cols, rows);
        return actor.view();
      }),
    buffer: (asked) => bufferOf(screen, actor, asked),
    recording: () => actor.recording,
    dispose: () => {
      stopAwaiting();
      stopShowing();
      for (const stop of stops) stop();
      keeper.dispose();
      deliverer.dispose();
      actor.recording?.close();
    },
  };
}

/** Launches a session, and records that its processes exist. */
function createLaunching(context: ScreenContext, actor: SessionActor) {
  const { deps } = actor;
  let stop: Dispose = () => undefined;

  async function launch(): Promise<ConversationSource> {
    await context.requireUnshared(actor);
    const wasChangingHands = actor.isChangingHands;
    actor.isChangingHands = true;
    try {
      await requireAlone(context, actor.record);
      // The launch's id is saved before the launch, because the first hook may run before Screen has answered. The id
      // also helps the next server to find the session if this server dies.
      const launchId = uuid();
      const due = await planDueSetUp(context.setUps, actor.record);
      actor.commit({ launchId, hooks: null, ...NO_PROCESSES, ...due });
      let source: ConversationSource = 'new';
      const launched = await launchSession(context, actor.record, {
        // Records that this launch has cost nothing yet. If the server is killed now, Claude Code's report of that
        // might never be seen.
        onNewConversation: () => deps.terminalCosts.beginAtZero({ id: actor.record.id, launchId }),
        onChosen: (chosen) => requireFree({ ...context, actor }, chosen),
        onPlanned: (planned) => {
          source = sourceOf(planned.reported.asked ?? 'new');
          actor.commit(planned);
        },
      });
      await begin(launched, deps.clock.now());
      return source;
    } finally {
      actor.isChangingHands = wasChangingHands;
    }
  }

  /**
   * Records that the processes of a launch exist. @param startedAt when the launch began; null if a previous server
   * launched the processes
   */
  async function begin(launched: Partial<Launched> & Pick<Launched, 'agent'>, startedAt: number | null): Promise<void> {
    const ended = actor.record.ended?.wasRunning === true ? actor.record.ended : null;
    actor.update({ ...launched, window: '0', adopted: true, ...LIVES, ended, boot: deps.clock.setting().boot });
    actor.status.startAnew();
    await followRecording(deps, actor, { cols: actor.record.launch.cols, rows: actor.record.launch.rows });
    actor.intake.seeAgent({ ...launched.agent, startedAt });
    actor.seeAttached(false);
    // Without a report, prompts do not wait for one any longer.
    stop();
    stop = deps.clock.after(REPORT_MS, () => actor.lookAgain());
  }

  return { launch, begin, stopAwaiting: () => stop() };
}

async function bufferOf(
  screen: ScreenHost,
  actor: SessionActor,
  { lines, format }: Parameters<SessionControls['buffer']>[0],
): Promise<Buffer> {
  const { recording, record } = actor;
  if (recording === null) {
    if (record.screenId === null || actor.isDead() || format !== 'text') {
      throw new CatalogueError('no_recording', `${actor.slug} has no recording`);
    }
    // An observed session has no recording, so it can provide only plain text, and only as much as Screen itself
    // keeps.
    const { screenId: id, daemon, window, agent } = record;
    const target = { id, daemon, window, ...(agent === null ? {} : { pid: agent.pid }) };
    const text = await readHardcopy(screen, target, true);
    const kept = text.trimEnd().split('\n').slice(-lines);
    const { cols, rows } = record.launch;
    return { buffer: kept.join('\n'), lines: kept.length, cols, rows, offset: 0 };
  }
  await recording.follow();
  const text = await recording.text(lines, format);
  const count = text === '' ? 0 : text.split('\n').length;
  return { buffer: text, lines: count, ...recording.size(), offset: recording.end() };
}
