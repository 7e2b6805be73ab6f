import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { thresholdsOf } from '../core/settings/index.ts';
import { type ScreenRule, userObserver } from '../core/status/index.ts';
import { Emitter } from '../emitter/emitter.ts';
import {
  createTurnGates,
  noteRemade,
  openReplyWaits,
  registryDirectory,
  removeGates,
} from '../platform/claude/index.ts';
import {
  leaveSizingTerminals,
  openScreenHost,
  removeLeftExchanges,
  type ScreenHost,
} from '../platform/gnu-screen/index.ts';
import { runOnWaiting } from '../platform/notify/on-waiting.ts';
import { openSearchThread, type Search } from '../platform/search/index.ts';
import { prepareHome } from '../platform/settings/index.ts';
import { createAttentionStore } from '../platform/sqlite/attention-store.ts';
import {
  DAMAGED_LOG,
  DATABASE_FILE,
  type Database,
  openDatabase,
  toDatabaseError,
} from '../platform/sqlite/database.ts';
import { createDayStore } from '../platform/sqlite/day-store.ts';
import { createDeliveryStore } from '../platform/sqlite/delivery-store.ts';
import { createDropStore, type DropStore } from '../platform/sqlite/drop-store.ts';
import { createEventStore } from '../platform/sqlite/event-store.ts';
import { createHistoryStore } from '../platform/sqlite/history-store.ts';
import { type HomeLock, readLockHolder, takeHomeLock } from '../platform/sqlite/home-lock.ts';
import { createRuleStore, type RuleStore } from '../platform/sqlite/rule-store.ts';
import { createSessionStore } from '../platform/sqlite/session-store.ts';
import { createStashStore } from '../platform/sqlite/stash-store.ts';
import { createTerminalCostStore } from '../platform/sqlite/terminal-cost-store.ts';
import { CatalogueError, type Session, type Settings } from '../protocol/index.ts';
import { type Approvals, createApprovals } from './approval/approvals.ts';
import { createRulesDesk } from './approval/rules-desk.ts';
import { type AttendedSessions, attend } from './attention/attend.ts';
import { checkpointWhenIdle } from './checkpoint-when-idle.ts';
import type { Clock } from './clock.ts';
import { type Faces, startServerFaces } from './faces.ts';
import { createDiskWatch, type DiskWatch } from './fleet/disk-watch.ts';
import { createFleet, type Fleet } from './fleet/fleet.ts';
import { reachOf } from './http/reach.ts';
import type { Logger } from './logger.ts';
import { growKeyframes } from './replay/grow-keyframes.ts';
import { type Bounds, keepInBounds } from './replay/keep-in-bounds.ts';
import { createReplays, type Replays } from './replay/replays.ts';
import { createPatientDeliveries } from './session/patient-deliveries.ts';
import { createPatientWrites } from './session/patient-writes.ts';
import type { Dispose, SessionEvent, Sessions } from './sessions.ts';
import { awaitLoss } from './watch-home.ts';

/**
 * How often a server tries to take the lock. `cbos down` checks the lock by taking it for a moment, and a server that
 * starts at that moment tries again.
 */
const LOCK_ATTEMPTS = 5;
const LOCK_RETRY_MS = 60;

export interface ServerOptions {
  settings: Settings;
  /** the user's own rules over the screen */
  rules: readonly ScreenRule[];
  /** the server's own environment; sessions inherit it in part, and `on_waiting` inherits all of it */
  environment: Readonly<Record<string, string | undefined>>;
  /** for short-lived files if the home's path contains characters that Screen does not accept */
  tempDir: string;
  version: string;
  /** directory of the built web page; null if there is none */
  webDir: string | null;
  pid: number;
  /** the script of the search index's thread */
  searchProgram: string;
  clock: Clock;
  log: Logger;
}

export interface RunningServer {
  /** `http://HOST:PORT` */
  address: string;
  /** who else can reach the server, as text; null if only this machine can */
  reach: string | null;
  /** the sessions that the faces serve, for a program that runs the server in its own process */
  sessions: Sessions;
  /** resolves with the cause when the home was removed or moved, so that the server must end */
  lost: Promise<CatalogueError>;
  /** Stops the faces and the observation. Sessions stay alive. */
  close(): Promise<void>;
}

/**
 * Starts the server of a home: finds all its sessions again, then opens its faces.
 * @throws CatalogueError server_running, port_taken, invalid_setting, screen_not_found, path_too_long
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { settings, version, clock, log, webDir } = options;
  await prepareHome(settings.home);
  const lock = await requireLock(settings.home);
  const databaseFile = join(settings.home, DATABASE_FILE);
  let database: Database | null = null;
  let fleet: Fleet | null = null;
  let attended: AttendedSessions | null = null;
  let search: Search | null = null;
  try {
    database = openDatabase(databaseFile);
    if (existsSync(`${databaseFile}${DAMAGED_LOG}`))
      log.error(
        { file: `${databaseFile}${DAMAGED_LOG}` },
        "the database's log could not be read to its end: what was written last is lost",
      );
    const screen = await openScreen(options);
    await removeLeftExchanges(screen);
    await leaveSizingTerminals(screen);
    search = openSearch(options);
    const disk = createDiskWatch({ dir: settings.stream_dir, clock, log });
    const drops = createDropStore(database);
    const ruleStore = createRuleStore(database);
    const approvals = openApprovals(options, ruleStore);
    const opened = await openFleet(options, { database, screen, search, disk, drops, approvals });
    fleet = opened.fleet;
    attended = opened.attended;
    const { sessions } = attended;
    await fleet.start();
    const replays = createReplays(clock);
    const stopGrowing = growKeyframes({ sessions, replays, clock, logger: log });
    const bounds = keepInBounds({
      sessions,
      replays,
      drops,
      fault: disk.fault,
      settings,
      clock,
      logger: log,
    });
    const faces = await startServerFaces({
      sessions,
      sessionOf: fleet.sessionOf,
      pid: options.pid,
      replays,
      recordings: bounds.report,
      rules: createRulesDesk({ approvals, store: ruleStore, clock, sessions: fleet.named }),
      settings,
      clock,
      logger: log,
      version,
      webDir,
      environment: options.environment,
    });
    // Every face listens by now, so it learns which sessions wake.
    attended.start();
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
    const home = awaitLoss(settings.home, database, log);
    const stopWatches = (): void => {
      stopGrowing();
      stopCheckpoints();
      home.stop();
    };
    const ready = reach === null ? 'the server is ready' : `the server is ready, and open to ${reach}`;
    log.info({ address: faces.address.url, socket: settings.socket, version }, ready);
    return {
      address: faces.address.url,
      reach,
      sessions,
      lost: home.lost,
      close: closer({ faces, stopWatches, bounds, replays, attended, fleet, search, database, lock, log }),
    };
  } catch (cause) {
    attended?.dispose();
    await fleet?.close();
    await search?.close();
    database?.close();
    lock.release();
    throw toDatabaseError(cause, databaseFile);
  }
}

function openScreen({ settings, environment, tempDir }: ServerOptions): Promise<ScreenHost> {
  const runDir = join(settings.home, 'run');
  return openScreenHost({ env: environment, screenDir: settings.screen_dir, runDir, tempDir });
}

function openApprovals({ settings, environment, clock, log }: ServerOptions, store: RuleStore): Approvals {
  return createApprovals({ home: settings.home, userHome: environment.HOME ?? '/', store, clock, log });
}

async function openFleet(
  options: ServerOptions,
  parts: {
    database: Database;
    screen: ScreenHost;
    search: Search;
    disk: DiskWatch;
    drops: DropStore;
    approvals: Approvals;
  },
): Promise<{ fleet: Fleet; attended: AttendedSessions }> {
  const { settings, environment, clock, log } = options;
  const { database, screen, search, disk, drops, approvals } = parts;
  const thresholds = thresholdsOf(settings);
  const spoolDir = join(settings.home, 'hooks');
  await mkdir(spoolDir, { recursive: true, mode: 0o700 });
  removeGates(spoolDir);
  const gates = createTurnGates(spoolDir);
  const events = new Emitter<[SessionEvent]>((cause, event) =>
    log.error({ err: cause, event: event.kind }, 'a listener of session events failed'),
  );
  const writes = createPatientWrites(clock, log);
  const fleet = createFleet({
    deps: {
      clock,
      log,
      screen,
      thresholds,
      observe: userObserver(options.rules, thresholds),
      sessions: createSessionStore(database),
      history: createHistoryStore(database),
      deliveries: createPatientDeliveries(createDeliveryStore(database), writes),
      stash: createStashStore(database),
      events: createEventStore(database),
      search,
      days: createDayStore(database),
      terminalCosts: createTerminalCostStore(database),
      writes,
      disk,
      drops,
      isFlushed: settings.stream_flush,
      holdTurn: gates.hold,
      approvals,
      waits: openReplyWaits(spoolDir),
      emit: (event) => events.tell(event),
      onEvent: events.on,
    },
    launch: { settings, environment, screen, spoolDir },
    registryDir: registryDirectory(environment),
    pid: options.pid,
    onSpoolRemade: () => {
      gates.renew();
      noteRemade(spoolDir, clock.now());
    },
    onGateChanged: gates.renew,
  });
  const attended = attend({
    sessions: fleet,
    store: createAttentionStore(database),
    writes,
    clock,
    log,
    onWaiting: (session) => notifyWaiting(options, session),
  });
  return { fleet, attended };
}

function openSearch({ settings, searchProgram, clock, log }: ServerOptions): Search {
  return openSearchThread({
    program: searchProgram,
    file: join(settings.home, 'search.db'),
    elapsed: clock.elapsed,
    onFault: (message) => log.error({ fault: message }, 'the search index has a fault'),
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
  throw new CatalogueError('server_running', `A CBOS server runs on ${home} already${who}`);
}

function closer(parts: {
  faces: Faces;
  stopWatches: Dispose;
  bounds: Bounds;
  replays: Replays;
  attended: AttendedSessions;
  fleet: Fleet;
  search: Search;
  database: Database;
  lock: HomeLock;
  log: Logger;
}): () => Promise<void> {
  const { faces, stopWatches, bounds, replays, attended, fleet, search, database, lock, log } = parts;
  return async () => {
    stopWatches();
    bounds.dispose();
    await faces.close();
    await replays.close();
    await fleet.close();
    attended.dispose();
    await search.close();
    database.close();
    lock.release();
    log.info({}, 'the server has ended');
  };
}

function notifyWaiting({ settings, environment, log }: ServerOptions, session: Session): void {
  if (settings.on_waiting === null) return;
  const { primary, detail, question } = session.status;
  runOnWaiting({
    command: settings.on_waiting,
    environment,
    notice: {
      slug: session.slug,
      state: session.state,
      detail: `${primary}/${detail}`,
      question: question?.text ?? '',
    },
    onFault: (message) => log.warn({ slug: session.slug }, message),
  });
}
