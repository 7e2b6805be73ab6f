import { randomBytes } from 'node:crypto';
import type { RunRecord, ScheduleRecord, ScheduleStore, TriggerRecord } from '../../platform/sqlite/schedule-store.ts';
import {
  CatalogueError,
  type NewTrigger,
  type ScheduleReason,
  type ScheduleTrigger,
  type TriggerAnswer,
} from '../../protocol/index.ts';
import { createGuesses, type Guesser } from '../auth/guesses.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { checkSignature, type SignedRequest } from './signature.ts';
import { iso } from './view-schedule.ts';

/** The length of the random part of a trigger's address. Nobody can guess 128 bits. */
const ID_BYTES = 16;
/** The length of a trigger's secret, which is the same as the length of the HMAC. */
const SECRET_BYTES = 32;

/** A request to a trigger's address. */
export interface TriggerRequest {
  header(name: string): string | null;
  /** reads the body; not called if the address does not exist */
  body(): Promise<Uint8Array>;
  from: Guesser;
}

/** The triggers of schedules: addresses to which other programs send signed POST requests. */
export interface Triggers {
  of(scheduleId: string): ScheduleTrigger | null;
  /** Creates a schedule's trigger, or replaces its secret. The address stays the same. */
  create(scheduleId: string): NewTrigger;
  remove(scheduleId: string): void;
  /** @throws CatalogueError no_such_trigger, bad_signature, too_many_attempts */
  take(id: string, request: TriggerRequest): Promise<TriggerAnswer>;
}

export interface TriggersOptions {
  store: ScheduleStore;
  clock: Clock;
  log: Logger;
  /** returns the address at which senders of webhooks reach the server */
  baseUrl(): string;
  plan: {
    overlapOf(schedule: ScheduleRecord): ScheduleReason | null;
    newRun(schedule: ScheduleRecord, about: { dueAt: number; now: number; reason: ScheduleReason | null }): RunRecord;
  };
  /** carries out a stored run */
  carryOut(schedule: ScheduleRecord, run: RunRecord): void;
  changed(): void;
}

export function createTriggers({ store, clock, log, baseUrl, plan, carryOut, changed }: TriggersOptions): Triggers {
  // Wrong signatures are counted separately from wrong tokens, because a sender with an old secret must not prevent
  // people from signing in.
  const wrong = createGuesses({ accepts: () => false, clock, ownUser: process.getuid?.() ?? 0 });
  const find = (scheduleId: string): TriggerRecord | null =>
    store.triggers().find((one) => one.scheduleId === scheduleId) ?? null;
  const view = ({ id, createdAt }: TriggerRecord): ScheduleTrigger => ({
    url: `${baseUrl().replace(/\/$/, '')}/triggers/${id}`,
    created_at: iso(createdAt),
  });

  /**
   * Refuses a request with a wrong signature, and counts it. A valid signature is accepted no matter how many wrong
   * ones came before: nobody can guess a signature, and all senders behind a proxy share one address.
   */
  function refuse(error: CatalogueError, from: Guesser): never {
    wrong.accepts('', from);
    throw error;
  }

  function fire(schedule: ScheduleRecord, key: string): TriggerAnswer {
    const now = clock.now();
    const reason = schedule.isPaused ? 'paused' : plan.overlapOf(schedule);
    // A schedule's own times are whole seconds, and a triggered run must not use the same time as one of them.
    const dueAt = now % 1_000 === 0 ? now + 1 : now;
    const run = store.accept(key, plan.newRun(schedule, { dueAt, now, reason }));
    if (run === null) return { status: 'repeated' };
    log.info({ schedule: schedule.name, outcome: run.outcome, reason }, "a webhook started a schedule's run");
    if (run.outcome === 'begun') carryOut(schedule, run);
    changed();
    return { status: 'accepted' };
  }

  return {
    of: (scheduleId) => {
      const found = find(scheduleId);
      return found === null ? null : view(found);
    },
    create: (scheduleId) => {
      const id = find(scheduleId)?.id ?? randomBytes(ID_BYTES).toString('base64url');
      const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
      const trigger = { scheduleId, id, secret, createdAt: clock.now() };
      store.setTrigger(trigger);
      changed();
      return { ...view(trigger), secret };
    },
    remove: (scheduleId) => {
      store.removeTrigger(scheduleId);
      changed();
    },
    take: async (id, { header, body, from }) => {
      const byAddress = (): TriggerRecord =>
        store.triggers().find((one) => one.id === id) ?? refuse(new CatalogueError('no_such_trigger'), from);
      byAddress();
      const request: SignedRequest = { header, body: await body() };
      // The secret may have been replaced while the body was being received.
      const { secret, scheduleId } = byAddress();
      const verdict = checkSignature(request, secret, clock.now());
      if (verdict.kind === 'wrong') return refuse(new CatalogueError('bad_signature', verdict.why), from);
      if (verdict.isPing) return { status: 'ignored' };
      const schedule = store.all().find((one) => one.id === scheduleId);
      if (schedule === undefined) return refuse(new CatalogueError('no_such_trigger'), from);
      return fire(schedule, verdict.key);
    },
  };
}
