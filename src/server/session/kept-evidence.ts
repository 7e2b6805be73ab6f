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
 * What is stored along with evidence: the clock's setting at that time, and how far the evidence's times had been
 * shifted by then.
 */
const Kept = z.object({ clock: z.object({ boot: z.string(), offset_ms: z.number() }), moved_ms: z.number() });

export interface Restored<T> {
  evidence: T;
  movedMs: number;
}

/** Returns evidence in the form in which it is stored. {@link restoreHooks} and {@link restoreJson} read this form. */
export function keepEvidence(evidence: HookEvidence | JsonEvidence, movedMs: number, clock: Clock): unknown {
  const kept: z.infer<typeof Kept> = { clock: clock.setting(), moved_ms: movedMs };
  return { ...evidence, kept };
}

/**
 * Restores evidence that a previous server got from hooks, and adjusts it to the current clock. Fields that later
 * versions of CBOS have added are empty at first.
 */
export function restoreHooks(value: unknown, clock: Clock): Restored<HookEvidence> {
  return restore({ value, empty: NO_HOOKS, move: moveHooks, clock });
}

/** Restores evidence from the events of a JSON session in the same way. */
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

/**
 * Returns how far the clock has been moved since the evidence was stored. After a reboot, this is noticed only if the
 * evidence contains a time in the future.
 */
function sinceThen({ clock: then }: z.infer<typeof Kept>, evidence: HookEvidence | JsonEvidence, clock: Clock): number {
  const today = clock.setting();
  const isSameBoot = then.boot !== '' && then.boot === today.boot;
  return isSameBoot ? today.offset_ms - then.offset_ms : backFromFuture(evidence, clock);
}

function backFromFuture({ lastAt }: HookEvidence | JsonEvidence, clock: Clock): number {
  return lastAt === null ? 0 : Math.min(0, Math.floor(clock.now() - lastAt));
}
