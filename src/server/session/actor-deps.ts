import type { ScreenObserver, Thresholds } from '../../core/status/index.ts';
import type { ReplyWaits } from '../../platform/claude/index.ts';
import type { ScreenHost } from '../../platform/gnu-screen/index.ts';
import type { Search } from '../../platform/search/index.ts';
import type { DayStore } from '../../platform/sqlite/day-store.ts';
import type { DropStore } from '../../platform/sqlite/drop-store.ts';
import type { EventStore } from '../../platform/sqlite/event-store.ts';
import type { HistoryStore } from '../../platform/sqlite/history-store.ts';
import type { SessionRecord, SessionStore } from '../../platform/sqlite/session-store.ts';
import type { StashStore } from '../../platform/sqlite/stash-store.ts';
import type { TerminalCostStore } from '../../platform/sqlite/terminal-cost-store.ts';
import type { OverBudget, Session } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { DiskWatch } from '../disk-watch.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, SessionEvent } from '../sessions.ts';
import type { PatientDeliveries } from './patient-deliveries.ts';
import type { PatientWrites } from './patient-writes.ts';

/** The budgets, as a session needs them. */
interface SessionBudgets {
  /** returns the first budget that prevents CBOS from sending prompts to a session; null if CBOS may send */
  overBudget(session: Pick<SessionRecord, 'id' | 'slug'>): Omit<OverBudget, 'holds'> | null;
  /** notes that something was spent, sent, held, or tagged */
  note(): void;
}

/** The dependencies that all actors share. */
export interface ActorDeps {
  clock: Clock;
  log: Logger;
  thresholds: Thresholds;
  /** reads a screen, using the user's own status rules as well */
  observe: ScreenObserver;
  screen: ScreenHost;
  sessions: SessionStore;
  history: HistoryStore;
  deliveries: PatientDeliveries;
  stash: StashStore;
  events: EventStore;
  search: Search;
  days: DayStore;
  terminalCosts: TerminalCostStore;
  /** the budgets that limit what sessions may spend */
  budgets: SessionBudgets;
  /** writes of facts that are only recorded, which may wait until the home is writable */
  writes: PatientWrites;
  /** reports whether recordings can be written */
  disk: DiskWatch;
  /** the record of what was dropped from recordings */
  drops: DropStore;
  /** returns what Enter does in the prompt of this session's Claude Code; null if it submits the prompt */
  enterDoes?: (record: Pick<SessionRecord, 'launch' | 'reported'>) => string | null;
  /** whether `script` flushes each write of a recording */
  isFlushed: boolean;
  /**
   * makes the tools of a launch and the end of its turn wait until the returned function is called, so that no dialog
   * can open before then
   */
  holdTurn: (launchId: string) => () => void;
  /** the waits of hooks that want a reply to their question */
  waits: ReplyWaits;
  /** returns the name of another running session that has this session's conversation open, or null if none has */
  alsoOpenIn?: (record: SessionRecord) => string | null;
  /** returns a session with what the features know about it */
  shown?: (id: string, session: Session) => Session;
  emit: (event: SessionEvent) => void;
  onEvent: (listener: (event: SessionEvent) => void) => Dispose;
}
