import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Emitter } from '../emitter/emitter.ts';
import {
  leaveSizingTerminals,
  openScreenHost,
  removeLeftExchanges,
  type ScreenHost,
} from '../platform/gnu-screen/index.ts';
import { collectGarbage, returnFreedMemory } from '../platform/process/index.ts';
import { openSearchThread, type Search } from '../platform/search/index.ts';
import { prepareHome } from '../platform/settings/index.ts';
import { findDesktopBus } from '../platform/sinks/index.ts';
import { createAnswerStore } from '../platform/sqlite/answer-store.ts';
import {
  DAMAGED_LOG,
  DATABASE_FILE,
  type Database,
  openDatabase,
  toDatabaseError,
} from '../platform/sqlite/database.ts';
import { createDropStore } from '../platform/sqlite/drop-store.ts';
import { type HomeLock, readLockHolder, takeHomeLock } from '../platform/sqlite/home-lock.ts';
import { createOutboxStore } from '../platform/sqlite/outbox-store.ts';
import { createReviewStore } from '../platform/sqlite/review-store.ts';
import { createRuleStore } from '../platform/sqlite/rule-store.ts';
import { createScheduleStore } from '../platform/sqlite/schedule-store.ts';
import { CatalogueError } from '../protocol/index.ts';
import { createApprovals, type RuleEvent } from './approval/approvals.ts';
import { createRules } from './approval/rules.ts';
import { createBudgetList } from './budgets/budget-list.ts';
import { byPerson } from './by-person.ts';
import { checkpointWhenIdle } from './checkpoint-when-idle.ts';
import { createDiskWatch } from './disk-watch.ts';
import { type Faces, startServerFaces } from './faces.ts';
import { reachOf } from './http/reach.ts';
import type { Logger } from './logger.ts';
import { type OpenedSessions, openSessions, type SessionSettings } from './open-sessions.ts';
import { watchPresence } from './presence.ts';
import { growKeyframes } from './replay/grow-keyframes.ts';
import { type Bounds, keepInBounds } from './replay/keep-in-bounds.ts';
import { createReplays, type Replays } from './replay/replays.ts';
import { reportWatchLimit } from './report-watch-limit.ts';
import { returnMemoryWhenIdle } from './return-memory-when-idle.ts';
import { createScheduler, type Scheduler } from './schedules/scheduler.ts';
import type { OwnSessions } from './sessions/own-sessions.ts';
import type { Dispose, Sessions } from './sessions.ts';
import { createSinks, type Sinks } from './sinks/sinks.ts';
import { awaitLoss } from './watch-home.ts';

/**
 * How many times a starting server tries to take the lock. `cbos down` checks the lock by taking it for a moment, and a
 * server that starts at that moment must try again.
 */
const LOCK_ATTEMPTS = 5;
const LOCK_RETRY_MS = 60;

export interface ServerOptions extends SessionSettings {
  /** the directory for short-lived files, used if the home's path contains characters that Screen does not accept */
  tempDir: string;
  version: string;
  /** the directory of the built web page; null if it was not built */
  webDir: string | null;
  /** the directory of the built documentation; null if it was not built */
  docsDir: string | null;
  /** the path of the program that the search index's thread runs */
  searchProgram: string;
}

export interface RunningServer {
  /** `http://HOST:PORT` */
  address: string;
  /** a description of who else can reach the server; null if only this machine can */
  reach: string | null;
  /** the sessions that the server serves, for programs that run the server in their own process */
  sessions: Sessions;
  /** resolves with the cause once the home has been removed or moved, in which case the server must end */
  lost: Promise<CatalogueError>;
  /** Closes all connections and stops observing the sessions. The sessions keep running. */
  close(): Promise<void>;
}

/**
 * Starts the server of a home. It first finds all existing sessions again, and then starts to accept connections.
 * @throws CatalogueError server_running, port_taken, invalid_setting, screen_not_found, path_too_long
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { settings, version, clock, log, webDir, docsDir } = options;
  await prepareHome(settings.home);
  const lock = await requireLock(settings.home);
  const databaseFile = join(settings.home, DATABASE_FILE);
  let database: Database | null = null;
  let own: OwnSessions | null = null;
  let attended: OpenedSessions['attended'] | null = null;
  let search: Search | null = null;
  let schedules: Scheduler | null = null;
  let sinks: Sinks | null = null;
  try {
    database = openDatabase(databaseFile);
    if (existsSync(`${databaseFile}${DAMAGED_LOG}`))
      log.error(
        { file: `${databaseFile}${DAMAGED_LOG}` },
        "the end of the database's log could not be read, so the last changes are lost",
      );
    const screen = await openScreen(options);
    await removeLeftExchanges(screen);
    await leaveSizingTerminals(screen);
    search = openSearch(options);
    const disk = createDiskWatch({ dir: settings.stream_dir, clock, log });
    const drops = createDropStore(database);
    const ruleStore = createRuleStore(database);
    const answers = createAnswerStore(database);
    const userHome = options.environment.HOME ?? '/';
    const ruleEvents = new Emitter<[RuleEvent]>((cause) => log.error({ err: cause }, 'a listener for rules failed'));
    const approvals = createApprovals({
      ...{ home: settings.home, userHome, store: ruleStore, answers, clock, log },
      onDecided: (id) => ruleEvents.tell({ kind: 'decided', id }),
    });
    const onRules = (): void => ruleEvents.tell({ kind: 'changed' });
    const opened = await openSessions(options, { database, screen, search, disk, drops, approvals, onRules });
    own = opened.own;
    attended = opened.attended;
    const { sessions, attention } = opened;
    await own.start();
    const replays = createReplays(clock);
    const stopGrowing = growKeyframes({ sessions, replays, clock, logger: log });
    const bounds = keepInBounds({ sessions, replays, drops, fault: disk.fault, settings, clock, logger: log });
    /** set once the server is listening; no trigger's address is shown before then */
    let address = '';
    const { timeZone: timezone } = new Intl.DateTimeFormat().resolvedOptions();
    schedules = createScheduler({
      store: createScheduleStore(database),
      sessions: { ...sessions, named: own.named, idOf: own.idOf, overBudget: opened.budgets.overBudgetOfNew },
      clock,
      log,
      timezone,
      baseUrl: () => settings.public_url ?? address,
    });
    const presence = watchPresence({ file: join(settings.home, 'presence.json'), clock, log });
    sinks = createSinks({
      // Whoever presses a button of a message has seen the question.
      sessions: { ...sessions, answer: (slug, given) => attention.acting(slug, () => sessions.answer(slug, given)) },
      idOf: own.idOf,
      store: createOutboxStore(database),
      file: join(settings.home, 'sinks.json'),
      lookedMsAgo: presence.lookedMsAgo,
      bus: findDesktopBus(options.environment),
      clock,
      log,
      timezone,
    });
    const faces = await startServerFaces({
      ...{ sessions: byPerson(sessions, { attention, acted: presence.acted }), book: opened.book },
      sessionOf: own.sessionOf,
      pid: options.pid,
      replays,
      recordings: bounds.report,
      reviews: createReviewStore(database),
      answers,
      awaySince: presence.awaySince,
      idOf: own.idOf,
      schedules,
      sinks,
      setUps: opened.setUps,
      budgets: createBudgetList({ budgets: opened.budgets, sessions: { list: sessions.list, idOf: own.idOf } }),
      rules: createRules({
        ...{ approvals, store: ruleStore, clock },
        ...{ sessions: own.named, onChange: opened.onRulesChanged, onEvent: ruleEvents.on },
      }),
      settings,
      clock,
      logger: log,
      version,
      webDir,
      docsDir,
      environment: options.environment,
    });
    address = faces.address.url;
    // `start` may wake sessions. By now the server accepts connections, so clients learn about those sessions.
    attended.start();
    schedules.start();
    sinks.start();
    const reach = reachOf(settings.host);
    lock.describe({
      pid: options.pid,
      started_at: new Date(clock.now()).toISOString(),
      version,
      address: faces.address.url,
      reach,
      screen_dir: screen.dir,
    });
    const stopCheckpoints = checkpointWhenIdle(database, clock);
    const stopReturning = returnMemoryWhenIdle({
      ...{ clock, processorMs, residentBytes: process.memoryUsage.rss, log },
      returnMemory: async () => {
        await collectGarbage();
        await search?.collectGarbage();
        await returnFreedMemory();
      },
    });
    const stopReporting = reportWatchLimit(log);
    const home = awaitLoss(settings.home, database, log);
    const stopWatches = (): void => {
      stopGrowing();
      stopCheckpoints();
      stopReturning();
      schedules?.dispose();
      sinks?.dispose();
      home.stop();
      stopReporting();
    };
    const ready = reach === null ? 'the server is ready' : `the server is ready, and ${reach} can reach it`;
    log.info({ address: faces.address.url, socket: settings.socket, version }, ready);
    return {
      address: faces.address.url,
      reach,
      sessions,
      lost: home.lost,
      close: closer({ faces, stopWatches, bounds, replays, attended, own, search, database, lock, log }),
    };
  } catch (cause) {
    schedules?.dispose();
    sinks?.dispose();
    attended?.dispose();
    await own?.close();
    await search?.close();
    database?.close();
    lock.release();
    throw toDatabaseError(cause, databaseFile);
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function openScreen({ settings, environment, tempDir }: ServerOptions): Promise<ScreenHost> {
  const runDir = join(settings.home, 'run');
  return openScreenHost({ env: environment, screenDir: settings.screen_dir, runDir, tempDir });
}

function openSearch({ settings, searchProgram, clock, log }: ServerOptions): Search {
  return openSearchThread({
    program: searchProgram,
    file: join(settings.home, 'search.db'),
    elapsed: clock.elapsed,
    onFault: (message) => log.error({ fault: message }, 'the search index is damaged'),
  });
}

async function requireLock(home: string): Promise<HomeLock> {
  for (let attempt = 1; attempt <= LOCK_ATTEMPTS; attempt += 1) {
    const lock = takeHomeLock(home);
    if (lock !== null) return lock;
    await delay(LOCK_RETRY_MS);
  }
  const holder = readLockHolder(home);
  const who = holder === null ? '' : ` (pid ${holder.pid}${holder.address === null ? '' : `, ${holder.address}`})`;
  throw new CatalogueError('server_running', `A CBOS server is already running for ${home}${who}`);
}

function closer(parts: {
  faces: Faces;
  stopWatches: Dispose;
  bounds: Bounds;
  replays: Replays;
  attended: OpenedSessions['attended'];
  own: OwnSessions;
  search: Search;
  database: Database;
  lock: HomeLock;
  log: Logger;
}): () => Promise<void> {
  const { faces, stopWatches, bounds, replays, attended, own, search, database, lock, log } = parts;
  return async () => {
    stopWatches();
    bounds.dispose();
    await faces.close();
    await replays.close();
    await own.close();
    attended.dispose();
    await search.close();
    database.close();
    lock.release();
    log.info({}, 'the server has stopped');
  };
}
