import { localDay } from '../../core/history/index.ts';
import type { StatusLineReport } from '../../platform/claude/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { ActorDeps } from './actor-deps.ts';
import type { KeptRecord } from './kept-record.ts';

/** The figures that Claude Code reports to the status line of a terminal session. Unknown figures are null. */
export type Figures = Omit<StatusLineReport, 'sessionId'>;

const NO_FIGURES: Figures = {
  model: null,
  effort: null,
  context: null,
  costUsd: null,
  linesAdded: null,
  linesRemoved: null,
};

interface FiguresOf extends Pick<ActorDeps, 'clock' | 'terminalCosts'> {
  readonly kept: Pick<KeptRecord, 'current' | 'write'>;
}

/**
 * Keeps the figures of one session. A report counts only for its launch and for the conversation that it mentions.
 * After a restart, `/clear`, or `/resume`, the figures are unknown until the next report. A report that some other
 * process writes on behalf of a session counts only if that process knows the conversation's id.
 */
export class SessionFigures {
  readonly #session: FiguresOf;
  #last: { launchId: string; report: StatusLineReport } | null = null;

  constructor(session: FiguresOf) {
    this.#session = session;
  }

  shown({ type, launchId, claudeSessionId }: SessionRecord): Figures {
    if (type !== 'screen' || this.#last?.launchId !== launchId) return NO_FIGURES;
    const { report } = this.#last;
    if (report.sessionId !== claudeSessionId) return NO_FIGURES;
    const { sessionId: _, ...figures } = report;
    return figures;
  }

  /** @returns whether the report changes what the faces show */
  see(launchId: string, report: StatusLineReport): boolean {
    const { kept } = this.#session;
    const before = this.shown(kept.current);
    this.#last = { launchId, report };
    const now = this.shown(kept.current);
    if (now.costUsd !== null && now.costUsd !== before.costUsd) this.#count(launchId, now.costUsd);
    return JSON.stringify(now) !== JSON.stringify(before);
  }

  #count(launchId: string, totalUsd: number): void {
    const { kept, clock, terminalCosts } = this.#session;
    const day = localDay(clock.now());
    const { id } = kept.current;
    kept.write(() => terminalCosts.count({ id, launchId }, day, totalUsd));
  }
}
