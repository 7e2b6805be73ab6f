import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BudgetRule } from '../core/budgets/index.ts';
import { thresholdsOf } from '../core/settings/index.ts';
import { type ScreenRule, userObserver } from '../core/status/index.ts';
import { Emitter } from '../emitter/emitter.ts';
import {
  configDirectory,
  createOwnKeys,
  createTurnGates,
  noteRemade,
  openReplyWaits,
  registryDirectory,
  removeGates,
} from '../platform/claude/index.ts';
import { findMainCheckout } from '../platform/git/git-dir.ts';
import type { ScreenHost } from '../platform/gnu-screen/index.ts';
import { runOnWaiting } from '../platform/notify/on-waiting.ts';
import type { Search } from '../platform/search/index.ts';
import { createAttentionStore } from '../platform/sqlite/attention-store.ts';
import { createBudgetStore } from '../platform/sqlite/budget-store.ts';
import type { Database } from '../platform/sqlite/database.ts';
import { createDayStore } from '../platform/sqlite/day-store.ts';
import { createDeliveryStore } from '../platform/sqlite/delivery-store.ts';
import type { DropStore } from '../platform/sqlite/drop-store.ts';
import { createEventStore } from '../platform/sqlite/event-store.ts';
import { createHistoryStore } from '../platform/sqlite/history-store.ts';
import { createLabelStore, type LabelStore } from '../platform/sqlite/label-store.ts';
import { createSessionStore } from '../platform/sqlite/session-store.ts';
import { createSetUpStore } from '../platform/sqlite/set-up-store.ts';
import { createStashStore } from '../platform/sqlite/stash-store.ts';
import { createTerminalCostStore } from '../platform/sqlite/terminal-cost-store.ts';
import type { Session, Settings } from '../protocol/index.ts';
import type { Approvals } from './approval/approvals.ts';
import { createCallGuard } from './approval/call-guard.ts';
import { type Attention, attend } from './attention/attend.ts';
import { type Book, createBook } from './book/book.ts';
import { type Budgets, createBudgets } from './budgets/budgets.ts';
import type { Clock } from './clock.ts';
import type { DiskWatch } from './disk-watch.ts';
import { joinSessions } from './join-sessions.ts';
import { labelSessions } from './labels/label-sessions.ts';
import type { Logger } from './logger.ts';
import { createPatientDeliveries } from './session/patient-deliveries.ts';
import { createPatientWrites, type PatientWrites } from './session/patient-writes.ts';
import { createOwnSessions, type OwnSessions } from './sessions/own-sessions.ts';
import type { SessionEvent, Sessions } from './sessions.ts';
import { createSetUps, type SetUps } from './worktrees/set-ups.ts';

export interface SessionSettings {
  settings: Settings;
  /** the user's own status rules, which read the screen */
  rules: readonly ScreenRule[];
  /** the budgets that limit what sessions may spend */
  budgetRules: readonly BudgetRule[];
  /**
   * the environment of the server's own process; sessions inherit part of it, and the `on_waiting` command inherits all
   * of it
   */
  environment: Readonly<Record<string, string | undefined>>;
  /** the pid of the server's own process */
  pid: number;
  clock: Clock;
  log: Logger;
}

export interface SessionParts {
  database: Database;
  screen: ScreenHost;
  search: Search;
  disk: DiskWatch;
  drops: DropStore;
  approvals: Approvals;
  /** called after the approval rules have changed */
  onRules(): void;
}

export interface OpenedSessions {
  own: OwnSessions;
  setUps: SetUps;
  budgets: Budgets;
  /** Tells the hooks that the approval rules have changed. */
  onRulesChanged: () => Promise<void>;
  attended: Pick<Attention, 'start' | 'dispose'>;
  attention: Pick<Attention, 'acting' | 'actingUntilSeen'>;
  /** the sessions as every face shows them, with attention facts and labels */
  sessions: Sessions;
  book: Book;
}

/**
 * Creates the sessions of this home with their stores, the attention facts and the labels. No session is observed
 * before `start` is called.
 */
export async function openSessions(
  options: SessionSettings,
  { database, screen, search, disk, drops, approvals, onRules }: SessionParts,
): Promise<OpenedSessions> {
  const { settings, environment, clock, log } = options;
  const thresholds = thresholdsOf(settings);
  const spoolDir = join(settings.home, 'hooks');
  await mkdir(spoolDir, { recursive: true, mode: 0o700 });
  removeGates(spoolDir);
  const gates = createTurnGates(spoolDir);
  const guard = createCallGuard({ spoolDir, home: settings.home, approvals, log, onChange: onRules });
  const stopGuard = await guard.start();
  const events = new Emitter<[SessionEvent]>((cause, event) =>
    log.error({ err: cause, event: event.kind }, 'a listener of session events failed'),
  );
  const book = createBook({ idOf: (slug) => own.idOf(slug), log });
  const writes = createPatientWrites(clock, log);
  const labels = createLabelStore(database);
  const stores = { events: createEventStore(database), terminalCosts: createTerminalCostStore(database) };
  const budgets = createBudgets({
    ...{ rules: options.budgetRules, store: createBudgetStore(database), ...stores, labels, clock, log },
  });
  const setUps = createSetUps({
    ...{ home: settings.home, userHome: environment.HOME ?? '/', clock },
    store: createSetUpStore(database),
  });
  const ownKeys = createOwnKeys(clock.now);
  const own = createOwnSessions({
    deps: {
      ...{ clock, log, screen, thresholds },
      observe: userObserver(options.rules, thresholds),
      enterDoes: ({ launch, reported }) =>
        ownKeys.enterDoes(reported.configDir ?? configDirectory({ ...environment, ...launch.env })),
      sessions: createSessionStore(database),
      history: createHistoryStore(database),
      deliveries: createPatientDeliveries(createDeliveryStore(database), writes),
      stash: createStashStore(database),
      events: {
        ...stores.events,
        append: (id, batch) => {
          const stored = stores.events.append(id, batch);
          if (batch.turns.length > 0) budgets.note();
          return stored;
        },
      },
      search,
      days: createDayStore(database),
      terminalCosts: {
        ...stores.terminalCosts,
        count: (session, day, totalUsd) => {
          stores.terminalCosts.count(session, day, totalUsd);
          budgets.note();
        },
      },
      ...{ budgets, writes, disk, drops },
      isFlushed: settings.stream_flush,
      holdTurn: gates.hold,
      waits: openReplyWaits(spoolDir),
      shown: book.shown,
      emit: (event) => {
        events.tell(event);
        book.tell(event);
      },
      onEvent: events.on,
    },
    launch: { settings, environment, screen, spoolDir, setUps },
    ...{ approvals, budgets },
    registryDir: registryDirectory(environment),
    pid: options.pid,
    onSpoolRemade: () => {
      gates.renew();
      void guard.refresh();
      noteRemade(spoolDir, clock.now());
    },
    onGateChanged: gates.renew,
    onGuardChanged: () => void guard.refresh(),
    areCallsGuarded: guard.isOn,
  });
  const features = addFeatures(options, { book, own, database, labels, writes, onLabels: budgets.note });
  return {
    own,
    setUps,
    budgets,
    onRulesChanged: guard.refresh,
    attended: {
      start: features.attention.start,
      dispose: () => {
        stopGuard();
        budgets.dispose();
        features.dispose();
      },
    },
    ...{ sessions: features.sessions, attention: features.attention },
    book,
  };
}

interface FeatureParts {
  book: Book;
  own: OwnSessions;
  database: Database;
  labels: LabelStore;
  writes: PatientWrites;
  onLabels: () => void;
}

/** Adds to the book who has looked at each session, and the labels. */
function addFeatures(
  options: SessionSettings,
  { book, own, database, labels, writes, onLabels }: FeatureParts,
): { attention: Attention; sessions: Sessions; dispose: () => void } {
  const { clock } = options;
  const attention = attend({
    ...{ book, sessions: own, store: createAttentionStore(database), writes, clock },
    onWaiting: (session) => notifyWaiting(options, session),
  });
  const labelled = labelSessions({
    ...{ book, sessions: own, findRepository: findMainCheckout, writes, clock },
    store: {
      ...labels,
      save: (id, kept) => {
        labels.save(id, kept);
        onLabels();
      },
    },
  });
  const { start: _, close: __, sessionOf: ___, named: ____, ...requests } = own;
  return {
    attention,
    sessions: joinSessions(requests, { attention, labels: labelled.requests, book }),
    dispose: () => {
      labelled.dispose();
      attention.dispose();
    },
  };
}

function notifyWaiting({ settings, environment, log }: SessionSettings, session: Session): void {
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
