import { z } from 'zod';
import {
  advanceStatus,
  DEFAULT_THRESHOLDS,
  type Evidence,
  type HookEvidence,
  type JsonEvidence,
  NO_EVENTS,
  NO_FLOW,
  NO_HOOKS,
  readScreen,
  type SettledReading,
  type Thresholds,
} from '../../src/core/status/index.ts';
import { Explanation, type RateLimit } from '../../src/protocol/index.ts';

/** The contents of a file written by `cbos record-misdetection`. */
const Misdetection = Explanation.omit({ status: true }).extend({
  cbos: z.string(),
  /** the correct status, like `waiting/permission` */
  should_be: z.string(),
  /** the status that was reported */
  said: z.string(),
  /** absent in files from before thresholds existed */
  thresholds: Explanation.shape.thresholds.optional(),
});
export type Misdetection = z.infer<typeof Misdetection>;

/** If a file lacks a source, the CBOS that wrote it did not know that source, so the source reported nothing. */
const NO_SOURCE = { process: null, hooks: null, screen: null, registry: null, json: null };

/** Parts of the screen that older versions of CBOS did not read. */
const UNSEEN = { ended_rows: [], flow: null };

/**
 * @throws if the text is not a misdetection report; the error names the field
 */
export function parseMisdetection(text: string): Misdetection {
  const written = JSON.parse(text) as { evidence?: { screen?: object | null } };
  const evidence = { ...NO_SOURCE, ...written.evidence };
  const screen = evidence.screen && { ...UNSEEN, ...evidence.screen };
  return Misdetection.parse({ ...written, evidence: { ...evidence, screen } });
}

const millis = (at: string): number => Date.parse(at);
const maybe = (at: string | null): number | null => (at === null ? null : Date.parse(at));

/**
 * Returns the evidence that a status was derived from, as far as an explanation contains it. The inputs of calls are
 * left out, because no verdict depends on them.
 */
export function evidenceOf({ evidence, verdicts }: Pick<Misdetection, 'evidence' | 'verdicts'>): Evidence {
  const { process, hooks, screen, registry, json } = evidence;
  return {
    process: process && {
      alive: process.alive,
      startedAt: maybe(process.started_at),
      endedAt: maybe(process.ended_at),
    },
    hooks: hooks === null ? NO_HOOKS : hooksOf(hooks),
    screen: screen && screenOf(screen, verdicts),
    registry: registry && {
      status: (['idle', 'busy', 'waiting', 'shell'] as const).find((word) => word === registry.status) ?? null,
      waitingFor: registry.waiting_for,
      statusUpdatedAt: maybe(registry.updated_at),
      sessionId: null,
      readAt: millis(registry.read_at),
    },
    ...(json === null ? {} : { json: jsonOf(json) }),
  };
}

type Told = Misdetection['evidence'];

function hooksOf(hooks: NonNullable<Told['hooks']>): HookEvidence {
  return {
    ...NO_HOOKS,
    lastAt: maybe(hooks.last_at),
    started: hooks.started && { at: millis(hooks.started.at), source: hooks.started.source },
    prompt: hooks.prompt && { at: millis(hooks.prompt.at), text: hooks.prompt.text },
    tools: hooks.tools.map(({ name, at, requested_at }, index) => ({
      id: `call-${index}`,
      name,
      input: null,
      at: millis(at),
      requestedAt: maybe(requested_at),
      agent: null,
    })),
    toolEndedAt: maybe(hooks.tool_ended_at),
    turnEnd: hooks.turn_end && endOf(hooks.turn_end),
    compactingSince: maybe(hooks.compacting_since),
  };
}

function endOf<End extends { at: string; limit?: RateLimit | undefined }>({ at, limit, ...end }: End) {
  return { ...end, at: millis(at), ...(limit === undefined ? {} : { limit }) };
}

function jsonOf(json: NonNullable<Told['json']>): JsonEvidence {
  return {
    ...NO_EVENTS,
    lastAt: maybe(json.last_at),
    prompt: json.prompt && { at: millis(json.prompt.at), text: json.prompt.text },
    busySince: maybe(json.busy_since),
    phase: json.phase && { ...json.phase, at: millis(json.phase.at) },
    tools: json.tools.map(({ name, at }, index) => ({
      id: `call-${index}`,
      name,
      input: null,
      at: millis(at),
      requestedAt: null,
      agent: null,
    })),
    requests: json.questions.map(({ name, at }, index) => ({
      requestId: `question-${index}`,
      id: null,
      name,
      input: null,
      at: millis(at),
      requestedAt: millis(at),
      agent: null,
      suggestions: [],
    })),
    compactingSince: maybe(json.compacting_since),
    retry: json.retry && {
      at: millis(json.retry.at),
      nextAt: millis(json.retry.next_at),
      reason: json.retry.reason,
    },
    background: Array.from({ length: json.background }, (_, index) => `task-${index}`),
    turnEnd: json.turn_end && endOf(json.turn_end),
  };
}

/**
 * While a redraw has not settled, the previous reading counts. For that reading, only the source's verdict is known,
 * not the frame.
 */
function screenOf(
  screen: NonNullable<Told['screen']>,
  verdicts: Misdetection['verdicts'],
): NonNullable<Evidence['screen']> {
  const before = screen.since === screen.newest_since ? undefined : verdicts.find(({ source }) => source === 'screen');
  const settled: SettledReading | null =
    before === undefined
      ? null
      : {
          reading: { ...before, dialog: null, draft: screen.draft, cover: null, lastMessage: null, footerRow: 0 },
          since: millis(screen.since),
        };
  const { lines, cursor, cols, rows, flow } = screen;
  const colours = { dimRows: screen.dim_rows, alertRows: screen.alert_rows, endedRows: screen.ended_rows };
  const frame = { lines, cursor, cols, rows, ...colours };
  return {
    frame,
    flow: { ...NO_FLOW, flow, runsRight: flow !== null },
    next: null,
    isLate: false,
    reading: readScreen(frame, { flow }),
    readingSince: millis(screen.newest_since),
    primarySince: millis(screen.newest_since),
    settled: { alone: settled, accompanied: settled },
    dialogSeenAt: maybe(screen.dialog_seen_at),
    clearSince: null,
    clearedAt: null,
    changedAt: millis(screen.changed_at),
    progressedAt: millis(screen.progressed_at),
  };
}

/**
 * Returns the status that CBOS reports today for recorded evidence: like `waiting/permission`, `stuck`, or `unknown`.
 */
export function sayOf(recorded: Omit<Misdetection, 'cbos' | 'should_be' | 'said'>): string {
  const { memory } = advanceStatus(null, {
    evidence: evidenceOf(recorded),
    now: millis(recorded.at),
    thresholds: thresholdsOf(recorded),
  });
  return [memory.primary ?? 'unknown', memory.detail].filter((word) => word !== null).join('/');
}

const thresholdsOf = ({
  stuck_threshold_ms,
  thresholds,
}: Pick<Misdetection, 'stuck_threshold_ms' | 'thresholds'>): Thresholds =>
  thresholds === undefined
    ? { ...DEFAULT_THRESHOLDS, stuckMs: stuck_threshold_ms }
    : {
        stuckMs: stuck_threshold_ms,
        spinnerSettleMs: thresholds.spinner_settle_ms,
        promptSettleMs: thresholds.prompt_settle_ms,
        silentEndMs: thresholds.silent_end_ms,
        drawLagMs: thresholds.draw_lag_ms,
        staleScreenMs: thresholds.stale_screen_ms,
      };
