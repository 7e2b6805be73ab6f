import type { Explanation, RateLimit } from '../../protocol/index.ts';
import { arbitrate } from './arbitrate/arbitrate.ts';
import { type Hearing, hear } from './arbitrate/hearing.ts';
import type { Evidence, SourceVerdict } from './evidence.ts';
import type { Cut } from './kept-text.ts';
import type { Millis } from './millis.ts';
import type { Thresholds } from './thresholds.ts';

const iso = (at: Millis | null): string | null => (at === null ? null : new Date(at).toISOString());

/**
 * Returns everything that is known about a session, the verdict of each source, and the reason why one source was
 * believed. For the same evidence, the verdict is the same as the one from `derive`.
 */
export function explain(
  evidence: Evidence,
  now: Millis,
  thresholds: Thresholds,
): Omit<Explanation, 'status' | 'claude_version'> {
  const hearing = hear(evidence, now, thresholds);
  const { winner, why, recheckAt } = arbitrate(hearing);
  const order = [hearing.process, hearing.json, hearing.hook, hearing.screen, hearing.registry];
  return {
    at: new Date(now).toISOString(),
    stuck_threshold_ms: thresholds.stuckMs,
    thresholds: {
      spinner_settle_ms: thresholds.spinnerSettleMs,
      prompt_settle_ms: thresholds.promptSettleMs,
      silent_end_ms: thresholds.silentEndMs,
      draw_lag_ms: thresholds.drawLagMs,
      stale_screen_ms: thresholds.staleScreenMs,
    },
    verdicts: order.filter((voice) => voice !== null).map((voice) => tell(voice, winner)),
    why,
    recheck_at: iso(recheckAt),
    evidence: {
      process: evidence.process && {
        alive: evidence.process.alive,
        started_at: iso(evidence.process.startedAt),
        ended_at: iso(evidence.process.endedAt),
      },
      hooks: hookFacts(evidence),
      screen: screenFacts(hearing),
      registry: evidence.registry && {
        status: evidence.registry.status,
        waiting_for: evidence.registry.waitingFor,
        updated_at: iso(evidence.registry.statusUpdatedAt),
        read_at: new Date(evidence.registry.readAt).toISOString(),
      },
      json: jsonFacts(evidence),
    },
  };
}

/** Arbitration may refine a source's verdict, so the winner is identified by its source rather than by its verdict. */
function tell(voice: SourceVerdict, winner: SourceVerdict | null): Explanation['verdicts'][number] {
  const { source, primary, detail, rule, evidence, since } = voice;
  return {
    source,
    primary,
    detail,
    rule,
    evidence,
    since: new Date(since).toISOString(),
    won: winner?.source === source,
  };
}

function hookFacts({ hooks }: Evidence): Explanation['evidence']['hooks'] {
  if (hooks.lastAt === null) return null;
  return {
    last_at: iso(hooks.lastAt),
    started: hooks.started && { at: new Date(hooks.started.at).toISOString(), source: hooks.started.source },
    prompt: hooks.prompt && {
      at: new Date(hooks.prompt.at).toISOString(),
      text: hooks.prompt.text,
      ...cutTold(hooks.prompt),
      ...(hooks.prompt.isQueued === true ? { queued: true } : {}),
    },
    tools: hooks.tools.map(({ name, at, requestedAt }) => ({
      name,
      at: new Date(at).toISOString(),
      requested_at: iso(requestedAt),
    })),
    tool_ended_at: iso(hooks.toolEndedAt),
    turn_end: hooks.turnEnd && {
      at: new Date(hooks.turnEnd.at).toISOString(),
      event: hooks.turnEnd.event,
      error: hooks.turnEnd.error,
      message: hooks.turnEnd.message,
      ...cutTold(hooks.turnEnd),
      ...limitTold(hooks.turnEnd),
    },
    compacting_since: iso(hooks.compactingSince),
  };
}

const cutTold = ({ isCut }: Cut): { cut?: true } => (isCut === true ? { cut: true } : {});

const limitTold = ({ limit }: { limit?: RateLimit }): { limit?: RateLimit } => (limit === undefined ? {} : { limit });

function jsonFacts({ json }: Evidence): Explanation['evidence']['json'] {
  if (json === undefined) return null;
  return {
    last_at: iso(json.lastAt),
    prompt: json.prompt && {
      at: new Date(json.prompt.at).toISOString(),
      text: json.prompt.text,
      ...cutTold(json.prompt),
    },
    busy_since: iso(json.busySince),
    phase: json.phase && { kind: json.phase.kind, at: new Date(json.phase.at).toISOString() },
    tools: json.tools.map(({ name, at }) => ({ name, at: new Date(at).toISOString() })),
    questions: json.requests.map(({ name, requestedAt }) => ({ name, at: new Date(requestedAt).toISOString() })),
    compacting_since: iso(json.compactingSince),
    turn_end: json.turnEnd && {
      at: new Date(json.turnEnd.at).toISOString(),
      error: json.turnEnd.error,
      message: json.turnEnd.message,
      ...cutTold(json.turnEnd),
      interrupted: json.turnEnd.interrupted,
      ...(json.turnEnd.commandError === undefined ? {} : { command_error: json.turnEnd.commandError }),
      ...limitTold(json.turnEnd),
    },
    retry: json.retry && {
      at: new Date(json.retry.at).toISOString(),
      next_at: new Date(json.retry.nextAt).toISOString(),
      reason: json.retry.reason,
    },
    background: json.background.length,
  };
}

function screenFacts({ evidence: { screen }, settled }: Hearing): Explanation['evidence']['screen'] {
  if (screen === null || settled === null) return null;
  const { reading, since } = settled;
  return {
    rule: reading.rule,
    since: new Date(since).toISOString(),
    newest_rule: screen.reading.rule,
    newest_since: new Date(screen.readingSince).toISOString(),
    dialog_seen_at: iso(screen.dialogSeenAt),
    changed_at: new Date(screen.changedAt).toISOString(),
    progressed_at: new Date(screen.progressedAt).toISOString(),
    draft: screen.reading.draft,
    lines: [...screen.frame.lines],
    cols: screen.frame.cols,
    rows: screen.frame.rows,
    cursor: screen.frame.cursor,
    dim_rows: [...screen.frame.dimRows],
    alert_rows: [...(screen.frame.alertRows ?? [])],
    ended_rows: [...(screen.frame.endedRows ?? [])],
    flow: screen.flow.flow,
  };
}
