import { join } from 'node:path';
import type { ProcessTrace } from '../platform/claude/index.ts';
import type { AnswerStore } from '../platform/sqlite/answer-store.ts';
import type { ReviewStore } from '../platform/sqlite/review-store.ts';
import type { Recordings, Settings, WireVersion } from '../protocol/index.ts';
import type { Rules } from './approval/rules.ts';
import { createCallers } from './auth/callers.ts';
import { createGate } from './auth/gate.ts';
import { createGuesses } from './auth/guesses.ts';
import { knownNames } from './auth/known-names.ts';
import { createPasses } from './auth/passes.ts';
import { createRights } from './auth/session-rights.ts';
import { createSignIns } from './auth/sign-ins.ts';
import { fileToken, fixedToken } from './auth/token.ts';
import type { Book } from './book/book.ts';
import type { BudgetList } from './budgets/budget-list.ts';
import { createCatchupReader } from './catchup/catchup-reader.ts';
import { countChanges } from './changes/count-changes.ts';
import { createSessionChanges } from './changes/session-changes.ts';
import type { Clock } from './clock.ts';
import { createHandlers } from './create-handlers.ts';
import { keepFiles } from './files/session-files.ts';
import { createHttpApp } from './http/app.ts';
import { createConnectionBounds } from './http/connection-bounds.ts';
import { createDocsSite } from './http/docs-site.ts';
import { type FaceAddress, listen } from './http/listen.ts';
import { reachOf, remoteNotAllowed } from './http/reach.ts';
import { createRequestListener } from './http/request-listener.ts';
import { joinPages, readWebPage } from './http/web-page.ts';
import type { Logger } from './logger.ts';
import { carryOutCall } from './machines/carry-out.ts';
import { createFleet } from './machines/fleet.ts';
import { createPastAnswers } from './memory/past-answers.ts';
import { createPush } from './push/push.ts';
import { createOlderRecordings } from './replay/older-recordings.ts';
import type { Replays } from './replay/replays.ts';
import { createReviews } from './review/reviews.ts';
import type { Scheduler } from './schedules/scheduler.ts';
import type { Sessions } from './sessions.ts';
import type { Sinks } from './sinks/sinks.ts';
import { SessionsHub } from './stream/sessions-hub.ts';
import { StreamHub } from './stream/stream-hub.ts';
import { createWebSockets } from './stream/web-sockets.ts';
import { createCheckpoints } from './turns/checkpoints.ts';
import { createSavedViews } from './views/saved-views.ts';
import { createPullRequests } from './worktrees/pull-requests.ts';
import type { SetUps } from './worktrees/set-ups.ts';
import { createWorktrees } from './worktrees/worktrees.ts';

/**
 * The sender's contact address, which push services require. A CBOS server has no mail address, so this one is made up.
 */
const PUSH_SUBJECT = 'mailto:cbos@localhost.invalid';

export type FaceSettings = Pick<
  Settings,
  | 'home'
  | 'host'
  | 'port'
  | 'allow_remote'
  | 'socket'
  | 'token'
  | 'public_url'
  | 'allowed_hosts'
  | 'machine_labels'
  | 'fleet_ssh'
  | 'max_buffer_size'
  | 'stream_dir'
  | 'sessions_may'
  | 'turn_checkpoints'
  | 'turns_kept'
  | 'max_file_size'
  | 'keep_files_days'
>;

export interface FacesOptions {
  sessions: Sessions;
  book: Book;
  /** returns the session that a process belongs to; null if the process belongs to no session */
  sessionOf(trace: ProcessTrace): string | null;
  /** the pid of the server's own process */
  pid: number;
  replays: Replays;
  recordings: () => Promise<Recordings>;
  rules: Rules;
  /** the stored review comments on sessions' changes */
  reviews: ReviewStore;
  /** the stored answers that users gave to questions */
  answers: AnswerStore;
  /** when the user went away, in Unix milliseconds; null if unknown */
  awaySince(): number | null;
  /** returns the id of a session, which does not change when the session is renamed */
  idOf(slug: string): string;
  schedules: Scheduler;
  sinks: Sinks;
  budgets: BudgetList;
  setUps: SetUps;
  settings: FaceSettings;
  clock: Clock;
  logger: Logger;
  version: string;
  /** the environment of the server's own process; it names the user that the sessions belong to */
  environment: Readonly<Record<string, string | undefined>>;
  /** the directory of the built web page; null if it was not built */
  webDir: string | null;
  /** the directory of the built documentation; null if it was not built */
  docsDir: string | null;
  /** the version of the messages to other machines; set only by tests */
  wire?: WireVersion;
  /** how often to ping each WebSocket, in milliseconds; set only by tests */
  pingIntervalMs?: number;
}

export interface Faces {
  address: FaceAddress;
  /** Closes all connections and stops listening. The sessions are not affected. */
  close(): Promise<void>;
}

/**
 * Starts the REST and WebSocket servers that clients use to reach the sessions, on TCP and on the local socket. The
 * caller must hold the home's lock, because an existing socket file is assumed to be stale.
 * @throws CatalogueError port_taken, invalid_setting, path_too_long
 */
export async function startServerFaces(options: FacesOptions): Promise<Faces> {
  const { replays, settings, clock, logger, version, environment } = options;
  const { home } = settings;
  if (reachOf(settings.host) !== null && !settings.allow_remote) throw remoteNotAllowed(settings.host);
  const counted = countChanges({
    ...{ book: options.book, sessions: options.sessions },
    changes: createSessionChanges({ environment, scratchDir: join(home, 'compare') }),
    ...{ clock, log: logger },
  });
  const kept = keepFiles({
    ...{ sessions: counted.sessions, idOf: options.idOf, settings, clock, log: logger },
    dir: join(home, 'files'),
  });
  const { sessions } = kept;
  const token = settings.token === null ? fileToken(join(home, 'token')) : fixedToken(settings.token);
  const guesses = createGuesses({ accepts: token.accepts, clock, ownUser: process.getuid?.() ?? 0 });
  const signIns = createSignIns({ home, file: join(home, 'sign-ins.json'), token, guesses, clock });
  const passes = createPasses({ signIns, clock });
  const push = createPush({
    sessions,
    file: join(home, 'push.json'),
    subject: settings.public_url?.startsWith('https:') === true ? settings.public_url : PUSH_SUBJECT,
    logger,
  });
  const page = joinPages(readWebPage(options.webDir), createDocsSite(options.docsDir));
  const gate = createGate({ names: knownNames(settings), token, guesses, signIns, passes, isPageFile: page.has });
  const callers = createCallers({ pid: options.pid, home, sessionOf: options.sessionOf });
  const rightsOf = createRights({ callers, may: settings.sessions_may, logger });
  const { idOf } = options;
  const reviews = createReviews({ store: options.reviews, sessions, idOf, environment, clock, log: logger });
  const turns = createCheckpoints({ sessions, environment, settings, clock, log: logger });
  const pullRequests = createPullRequests({
    ...{ sessions, environment, clock, log: logger },
    scratchDir: join(home, 'push'),
  });
  const machines = createFleet({
    home,
    sessions,
    labels: settings.machine_labels,
    ssh: settings.fleet_ssh,
    carryOut: (call) => carryOutCall(handlers, call),
    environment,
    version,
    ...(options.wire === undefined ? {} : { wire: options.wire }),
    clock,
    logger,
  });
  const handlers = createHandlers({
    sessions,
    files: kept.files,
    machines,
    clock,
    changes: counted.changes,
    turns,
    worktrees: createWorktrees(environment, options.setUps),
    pullRequests,
    reviews,
    replays,
    streamDir: settings.stream_dir,
    recordings: options.recordings,
    rules: options.rules,
    memory: createPastAnswers({ store: options.answers, sessions }),
    catchup: createCatchupReader({
      ...{ sessions, turns, clock, awaySince: options.awaySince },
      older: createOlderRecordings({ streamDir: settings.stream_dir, replays }).list,
    }),
    schedules: options.schedules,
    views: createSavedViews(join(home, 'views.json')),
    sinks: options.sinks,
    budgets: options.budgets,
    signIns,
    passes,
    push,
    publicUrl: settings.public_url,
    version,
    userHome: environment.HOME ?? '/',
    startedAt: clock.now(),
    now: () => clock.now(),
  });
  const app = createHttpApp({ handlers, version, rightsOf, page, logger });
  const bounds = createConnectionBounds();
  const webSockets = createWebSockets({
    gate,
    rightsOf,
    logger,
    onProven: bounds.prove,
    onSignOut: signIns.onSignOut,
    hubs: {
      '/ws': new SessionsHub({ sessions, clock, logger }),
      '/ws/stream': new StreamHub({
        ...{ sessions, clock, logger, machines, schedules: options.schedules, rules: options.rules },
        maxBufferBytes: settings.max_buffer_size,
      }),
    },
    ...(options.pingIntervalMs === undefined ? {} : { pingIntervalMs: options.pingIntervalMs }),
  });
  const listening = await listen({
    host: settings.host,
    port: settings.port,
    socket: settings.socket,
    onLocalConnection: callers.see,
    bounds,
    onRequest: createRequestListener({ app, gate, logger, version, onProven: bounds.prove }),
    onUpgrade: (transport) => webSockets.onUpgrade(transport),
  }).catch(async (cause: unknown) => {
    kept.dispose();
    push.dispose();
    reviews.dispose();
    pullRequests.dispose();
    await Promise.all([turns.dispose(), counted.dispose()]);
    await webSockets.close();
    throw cause;
  });
  if (listening.notHeld !== null) {
    logger.warn(
      { address: listening.notHeld },
      `another program is listening on ${listening.notHeld}, so localhost may lead to it; open ${listening.address.url} instead`,
    );
  }
  await machines.start();
  return {
    address: listening.address,
    close: async () => {
      kept.dispose();
      push.dispose();
      reviews.dispose();
      pullRequests.dispose();
      await machines.close();
      // A listener does not finish closing while connections are open, so the listener and its connections are closed
      // together.
      await Promise.all([webSockets.close(), listening.close(), counted.dispose()]);
      // Responses in progress may still need git.
      await turns.dispose();
    },
  };
}
