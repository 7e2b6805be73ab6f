import type { Primary, Session } from '../../protocol/index.ts';

/**
 * Returns the name of a schedule's next session: `NIGHTLY-1`, `NIGHTLY-2`, and so on. Each number is used only once, so
 * a run can name its session before the session is launched.
 * @param used the session names of all earlier runs on record
 */
export function nextName(base: string, used: readonly (string | null)[], isTaken: (name: string) => boolean): string {
  const numbers = used.flatMap((name) => {
    const number = name?.startsWith(`${base}-`) === true ? Number(name.slice(base.length + 1)) : Number.NaN;
    return Number.isSafeInteger(number) ? [number] : [];
  });
  let number = Math.max(0, ...numbers) + 1;
  while (isTaken(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}

/**
 * Reports whether a session that a run launched is not done yet, that is, whether it is starting, working, asking, or
 * stuck.
 */
export function isAtWork({ status, parked_at: parkedAt }: Pick<Session, 'status' | 'parked_at'>): boolean {
  const done: readonly (Primary | null)[] = ['idle', 'dead'];
  return parkedAt === null && !done.includes(status.primary);
}
