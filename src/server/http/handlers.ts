import { completeFolder } from '../../platform/files/complete-folder.ts';
import { completePrompt } from '../../platform/files/complete-prompt.ts';
import {
  CatalogueError,
  type CHECKPOINT_ROUTES,
  countAttentions,
  isUnread,
  matchesSelector,
  placeOf,
  REPLAY_OUTPUT_BYTES,
  type Recordings,
  type Session,
  State,
  type StatusCounts,
  type TURN_ROUTES,
  type TurnState,
  tagsIn,
} from '../../protocol/index.ts';
import type { RulesDesk } from '../approval/rules-desk.ts';
import type { BudgetDesk } from '../budgets/budget-desk.ts';
import type { CatchupDesk } from '../catchup/catchup-desk.ts';
import type { SessionChanges } from '../changes/session-changes.ts';
import type { Clock } from '../clock.ts';
import type { SessionFiles } from '../files/session-files.ts';
import type { MachinesDesk } from '../machines/machines-desk.ts';
import type { MemoryDesk } from '../memory/memory-desk.ts';
import type { Push } from '../push/push.ts';
import { createOlderRecordings } from '../replay/older-recordings.ts';
import type { Replayable, Replays } from '../replay/replays.ts';
import type { ReviewDesk } from '../review/review-desk.ts';
import type { Scheduler } from '../schedules/scheduler.ts';
import type { Sessions } from '../sessions.ts';
import type { Sinks } from '../sinks/sinks.ts';
import { readTerminalPart } from '../stream/terminal-part.ts';
import type { TurnDesk, WhichState, WhichTurn } from '../turns/turn-desk.ts';
import type { SavedViews } from '../views/saved-views.ts';
import type { PullRequests } from '../worktrees/pull-requests.ts';
import type { WorktreeDesk } from '../worktrees/worktree-desk.ts';
import { createFileHandlers } from './file-handlers.ts';
import type { Handlers } from './handler-types.ts';
import { createMachineHandlers } from './machine-handlers.ts';
import { recordingBytes } from './recording-bytes.ts';
import { createSignInHandlers, type SignInOptions } from './sign-in.ts';
import { createUnattendedHandlers } from './unattended-handlers.ts';
import { createWorktreeHandlers } from './worktree-handlers.ts';

/** How many lines `GET …/buffer` returns by default. */
const DEFAULT_BUFFER_LINES = 100;
/** How many events `GET …/events` returns by default. */
const DEFAULT_EVENTS = 200;

export interface HandlerOptions extends SignInOptions {
  push: Push;
  sessions: Sessions;
  files: SessionFiles;
  /** the changes that sessions have made in their repositories */
  changes: SessionChanges;
  turns: TurnDesk;
  worktrees: WorktreeDesk;
  pullRequests: PullRequests;
  reviews: ReviewDesk;
  replays: Replays;
  rules: RulesDesk;
  memory: MemoryDesk;
  catchup: CatchupDesk;
  schedules: Scheduler;
  views: SavedViews;
  sinks: Sinks;
  budgets: BudgetDesk;
  /** the other machines in the fleet */
  machines: MachinesDesk;
  clock: Pick<Clock, 'after'>;
  /** the directory that contains the recordings */
  streamDir: string;
  /** reports how much disk space the recordings use */
  recordings: () => Promise<Recordings>;
  /** the directory that `~` stands for in a path that a user types */
  userHome: string;
  /** Unix milliseconds */
  startedAt: number;
}

export function createHandlers(options: HandlerOptions): Handlers {
  const { sessions, replays, streamDir, version, userHome, startedAt, now } = options;
  const older = createOlderRecordings({ streamDir, replays });
  const recordingOf = async (slug: string, recording = slug): Promise<Replayable> => {
    sessions.get(slug);
    return recording === slug ? sessions.stream(slug) : older.find(recording);
  };
  return {
    health: () => ({
      ...{ status: 'ok', version, uptime_ms: now() - startedAt, sessions: sessions.list().length },
      max_file_size: options.files.mostBytes,
    }),
    ...createSignInHandlers(options),
    ...createMachineHandlers(options.machines),
    pushKey: () => ({ public_key: options.push.publicKey() }),
    subscribePush: ({ body }) => {
      options.push.subscribe(body);
      return { status: 'subscribed' };
    },
    unsubscribePush: ({ body }) => {
      options.push.unsubscribe(body.endpoint);
      return { status: 'unsubscribed' };
    },
    listSessions: ({ query: { archived, state, tag, repo } }) => {
      const tags = tag === undefined ? undefined : tagsIn(tag);
      const all = archived === 'true' ? sessions.archived() : sessions.list();
      return all.filter((session) => matchesSelector(session, { state, tags, repo }));
    },
    countSessions: () => countByState(sessions.list()),
    waitingSessions: () => longestWaitingFirst(sessions.list()),
    createSession: ({ body }) => sessions.create(body),
    adoptSession: ({ body }) => sessions.adopt(body),
    getSession: ({ params }) => sessions.get(params.slug),
    patchSession: ({ params, body }) => sessions.patch(params.slug, body),
    deleteSession: async ({ params }) => {
      await sessions.remove(params.slug);
      return { status: 'deleted' };
    },
    killSession: ({ params }) => sessions.kill(params.slug),
    setPath: ({ params, body }) => sessions.patch(params.slug, { path: body.path }),
    convertSession: ({ params, body }) => sessions.convert(params.slug, body.type),
    conversations: () => sessions.conversations(),
    markSeen: async ({ params, body }) => sessions.seen(params.slug, body),
    markUnseen: async ({ params }) => sessions.unseen(params.slug),
    snoozeSession: async ({ params, body }) => sessions.snooze(params.slug, body),
    unsnoozeSession: async ({ params }) => sessions.unsnooze(params.slug),
    tagSession: async ({ params, body }) => sessions.tag(params.slug, body),
    archiveSession: async ({ params }) => sessions.archive(params.slug),
    unarchiveSession: async ({ params }) => sessions.unarchive(params.slug),
    parkSession: ({ params }) => sessions.park(params.slug),
    wakeSession: ({ params }) => sessions.wake(params.slug),
    ...createWorktreeHandlers(options),
    resources: () => sessions.resources(),
    restore: ({ body }) => sessions.restore(body),
    restoration: () => sessions.restoration(),
    restartSession: ({ params, query }) =>
      sessions.restart(params.slug, {
        isNewConversation: query.new_conversation === 'true',
        isSameFolder: query.same_folder === 'true',
        isInStartFolder: query.start_folder === 'true',
      }),
    send: ({ params, body }) => sessions.send(params.slug, body),
    answer: async ({ params, body }) => {
      await sessions.answer(params.slug, body);
      return { status: 'answered' };
    },
    ...createFileHandlers(options.files),
    listDeliveries: ({ params }) => sessions.deliveries(params.slug),
    getDelivery: ({ params }) => sessions.delivery(params.slug, params.id),
    patchDelivery: ({ params, body }) => sessions.changeDelivery(params.slug, params.id, body.text),
    cancelDelivery: ({ params }) => sessions.cancelDelivery(params.slug, params.id),
    keys: async ({ params, body }) => {
      await sessions.keys(params.slug, body.keys);
      return { status: 'typed' };
    },
    resize: ({ params, body }) => sessions.resize(params.slug, body.cols, body.rows),
    continueSession: ({ params }) => sessions.continueAfterLimit(params.slug),
    interrupt: async ({ params }) => {
      await sessions.interrupt(params.slug);
      return { status: 'interrupted' };
    },
    resumeQueue: async ({ params }) => sessions.resumeQueue(params.slug),
    buffer: ({ params, query }) =>
      sessions.buffer(params.slug, { lines: query.lines ?? DEFAULT_BUFFER_LINES, format: query.format ?? 'text' }),
    stream: ({ params, query, request }) =>
      recordingBytes(sessions.stream(params.slug).file(), {
        method: request.method,
        range: request.headers.get('range') ?? undefined,
        ifRange: request.headers.get('if-range') ?? undefined,
        from: query.from ?? 0,
      }),
    terminal: ({ params, query }) => readTerminalPart(sessions, { slug: params.slug, query, clock: options.clock }),
    recordings: () => options.recordings(),
    olderRecordings: ({ params }) => older.list(sessions.get(params.slug).slug),
    replay: async ({ params, query }) => replays.info(await recordingOf(params.slug, query.recording)),
    replayFrame: async ({ params, query: { t, offset, recording } }) =>
      replays.frame(await recordingOf(params.slug, recording), offset === undefined ? { at: t ?? 0 } : { offset }),
    replayOutput: async ({ params, query }) =>
      replays.output(await recordingOf(params.slug, query.recording), {
        from: query.from ?? 0,
        limit: query.limit ?? REPLAY_OUTPUT_BYTES.default,
      }),
    explain: ({ params }) => sessions.explain(params.slug),
    history: ({ params, query }) => sessions.history(params.slug, query.since ?? null),
    invoke: ({ params, body }) => sessions.invoke(params.slug, body),
    events: ({ params, query }) =>
      sessions.events(params.slug, { after: query.after ?? 0, limit: query.limit ?? DEFAULT_EVENTS }),
    lastResponse: ({ params, query }) => sessions.lastResponse(params.slug, query.delivery),
    sessionCosts: ({ params }) => sessions.sessionCosts(params.slug),
    costs: () => sessions.costs(),
    historyDays: ({ query }) => sessions.historyDays(query),
    transcript: ({ params, query }) => sessions.transcript(params.slug, query.after ?? null),
    search: ({ query }) => sessions.search(query),
    listStash: () => sessions.stash(),
    addStash: ({ body }) => sessions.addToStash(body),
    applyStash: ({ params }) => sessions.applyStash(params.id),
    removeStash: ({ params }) => sessions.removeFromStash(params.id),
    ...createChangesHandlers(options),
    review: ({ params }) => options.reviews.review(params.slug),
    addReviewComment: ({ params, body }) => options.reviews.add(params.slug, body),
    removeReviewComment: ({ params }) => options.reviews.remove(params.slug, params.id),
    sendReview: ({ params, body }) => options.reviews.send(params.slug, body.prompt),
    markReviewed: ({ params, body }) => options.reviews.mark(params.slug, body),
    completeFolder: async ({ query }) => ({ folders: await completeFolder(query.path ?? '', userHome) }),
    completePrompt: async ({ params, query }) => {
      const path = placeOf(sessions.get(params.slug));
      return { items: path === null ? [] : await completePrompt(path, query.word) };
    },
    broadcast: ({ body }) => sessions.broadcast(body),
    ...createUnattendedHandlers({ ...options, olderRecordings: older.list }),
    listViews: () => [...options.views.list()],
    saveView: ({ params, body }) => options.views.save(params.name, body),
    removeView: ({ params }) => options.views.remove(params.name),
  };
}

type ChangesRoute = 'changes' | 'patch' | 'changedSide' | keyof typeof TURN_ROUTES | keyof typeof CHECKPOINT_ROUTES;

function createChangesHandlers({ sessions, changes, turns }: HandlerOptions): Pick<Handlers, ChangesRoute> {
  const numberOf = (turn: string): WhichTurn => (turn === 'last' ? turn : Number(turn));
  const whichOf = ({ base, turn }: { base?: string | undefined; turn?: string | undefined }): WhichTurn | null => {
    if (turn === undefined) return null;
    if (base !== undefined)
      throw new CatalogueError('invalid_request', 'base: cannot be combined with a turn, which has its own base');
    return numberOf(turn);
  };
  const stateOf = ({ turn }: { turn: string }, { state }: { state?: TurnState | undefined }): WhichState => ({
    turn: numberOf(turn),
    state: state ?? null,
  });
  return {
    changes: ({ params, query }) => {
      const which = whichOf(query);
      const session = sessions.get(params.slug);
      const asked = { base: query.base ?? null, patchOf: query.patch_of ?? null };
      return which === null ? changes.list(session, asked) : turns.changes(session, which);
    },
    patch: ({ params, query }) => {
      const which = whichOf(query);
      const session = sessions.get(params.slug);
      const names = { file: query.file ?? null, oldFile: query.old_file ?? null };
      return which === null
        ? changes.patch(session, { base: query.base ?? null, ...names })
        : turns.patch(session, which, names);
    },
    changedSide: ({ params, query }) => {
      const which = whichOf(query);
      const session = sessions.get(params.slug);
      const asked = { file: query.file, side: query.side };
      return which === null
        ? changes.side(session, { base: query.base ?? null, ...asked })
        : turns.side(session, which, asked);
    },
    listTurns: ({ params }) => turns.list(sessions.get(params.slug)),
    rewindSession: ({ params, body }) => turns.rewind(sessions.get(params.slug), body),
    checkpointFiles: ({ params, query }) =>
      turns.files(sessions.get(params.slug), stateOf(params, query), {
        folder: query.folder ?? '',
        from: query.from ?? 0,
      }),
    checkpointChanges: ({ params, query }) => turns.changesBefore(sessions.get(params.slug), stateOf(params, query)),
    checkpointFile: ({ params, query }) => turns.file(sessions.get(params.slug), stateOf(params, query), query.path),
  };
}

function countByState(all: readonly Session[]): StatusCounts {
  const by_state: Record<State, number> = {
    waiting: 0,
    thinking: 0,
    working: 0,
    idle: 0,
    error: 0,
    dead: 0,
    unknown: 0,
  };
  for (const session of all) by_state[session.state]++;
  const unread = all.filter(isUnread).length;
  return { total: all.length, by_state, by_attention: countAttentions(all), unread };
}

/**
 * Returns the sessions whose `state` is `waiting` (a dialog is open, or the prompt is empty after a turn). The session
 * that has waited longest comes first.
 */
function longestWaitingFirst(all: readonly Session[]): Session[] {
  return all
    .filter((session) => session.state === State.enum.waiting)
    .sort((one, other) => Date.parse(one.status.since) - Date.parse(other.status.since));
}
