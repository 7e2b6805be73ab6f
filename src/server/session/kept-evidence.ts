import { z } from 'zod';
import {
  type HookEvidence,
  type JsonEvidence,
  moveHooks,
  moveJson,
  NO_EVENTS,
  NO_HOOKS,
} from '../../core/status/index.ts';
import type { Clock } from '../clock.ts';

/**
 * Beside the evidence: how the clock was set when it was written down, and by how much its times had been moved by
 * then.
 */
const Kept = z.object({ clock: z.object({ boot: z.string(), offset_ms: z.number() }), moved_ms: z.number() });

export interface Restored<T> {
  evidence: T;
  movedMs: number;
}

/** Evidence as it is written down, for {@link restoreHooks} and {@link restoreJson}. */
export function keepEvidence(evidence: HookEvidence | JsonEvidence, movedMs: number, clock: Clock): unknown {
  const kept: z.infer<typeof Kept> = { clock: clock.setting(), moved_ms: movedMs };
  return { ...evidence, kept };
}

/** What hooks told a former server, by the clock of today. What later versions of CBOS have added begins empty. */
export function restoreHooks(value: unknown, clock: Clock): Restored<HookEvidence> {
  return restore({ value, empty: NO_HOOKS, move: moveHooks, clock });
}

/** The same of the events of a JSON session. */
export function restoreJson(value: unknown, clock: Clock): Restored<JsonEvidence> {
  return restore({ value, empty: NO_EVENTS, move: moveJson, clock });
}

function restore<T extends HookEvidence | JsonEvidence>(parts: {
  value: unknown;
  empty: T;
  move: (evidence: T, byMs: number) => T;
  clock: Clock;
}): Restored<T> {
  const { kept: found, ...fields } = (parts.value ?? {}) as Partial<T> & { kept?: unknown };
  const evidence: T = { ...parts.empty, ...fields };
  const kept = Kept.safeParse(found).data;
  const byMs = kept === undefined ? backFromFuture(evidence, parts.clock) : sinceThen(kept, evidence, parts.clock);
  return { evidence: parts.move(evidence, byMs), movedMs: (kept?.moved_ms ?? 0) + byMs };
}

/** By how much the clock was set since; after a reboot only a time that lies in the future tells of it. */
function sinceThen({ clock: then }: z.infer<typeof Kept>, evidence: HookEvidence | JsonEvidence, clock: Clock): number {
  const today = clock.setting();
  const isSameBoot = then.boot !== '' && then.boot === today.boot;
  return isSameBoot ? today.offset_ms - then.offset_ms : backFromFuture(evidence, clock);
}

function backFromFuture({ lastAt }: HookEvidence | JsonEvidence, clock: Clock): number {
  return lastAt === null ? 0 : Math.min(0, Math.floor(clock.now() - lastAt));
}
