import { findTcpUser } from '../../platform/process/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';

/** The addresses and ports of the socket on which a request with a token arrived. */
export interface Guesser {
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
  localPort?: number | undefined;
}

/**
 * How many wrong tokens are allowed. A person would not type this many, and a script with an old token would be noticed
 * before it had sent this many.
 */
const MOST_WRONG = 20;
const WINDOW_MS = 60_000;

/**
 * How many addresses are counted separately. All other addresses share one count. A whole IPv6 network counts as one
 * address.
 */
const MOST_ADDRESSES = 1_000;

/**
 * Limits how many tokens a client can try, because a token chosen by a person may be guessable. The limit applies per
 * address, so no client can lock out another. Processes of the server's own user can read the token anyway, so a
 * correct token from such a process is always accepted.
 */
export interface Guesses {
  /**
   * Reports whether a token is correct.
   * @throws CatalogueError too_many_attempts
   */
  accepts(token: string, from: Guesser): boolean;
}

export function createGuesses(options: {
  accepts(token: string): boolean;
  clock: Pick<Clock, 'elapsed'>;
  /** the id of the user who runs the server */
  ownUser: number;
  userOf?: typeof findTcpUser;
}): Guesses {
  const { accepts, clock, ownUser, userOf = findTcpUser } = options;
  const wrong = new Map<string, number[]>();
  const countWrong = (place: string): number[] => {
    const recent = (wrong.get(place) ?? []).filter((at) => at > clock.elapsed() - WINDOW_MS);
    if (recent.length === 0) wrong.delete(place);
    else wrong.set(place, recent);
    return recent;
  };
  const isOwn = (place: string, { remotePort: theirs, localPort: ours }: Guesser): boolean =>
    place === LOOPBACK && theirs !== undefined && ours !== undefined && userOf({ theirs, ours }) === ownUser;
  return {
    accepts: (token, from) => {
      const place = placeOf(from.remoteAddress ?? '', (known) => wrong.has(known) || wrong.size < MOST_ADDRESSES);
      const recent = countWrong(place);
      const isTooMany = recent.length >= MOST_WRONG;
      if (isTooMany && !isOwn(place, from)) throw new CatalogueError('too_many_attempts');
      if (accepts(token)) return true;
      if (isTooMany) throw new CatalogueError('too_many_attempts');
      wrong.set(place, [...recent, clock.elapsed()]);
      return false;
    },
  };
}

const LOOPBACK = 'this machine';
const ELSEWHERE = 'elsewhere';

/**
 * Returns the key under which wrong tokens are counted: this machine, an IPv4 address, or the network of an IPv6
 * address.
 */
function placeOf(address: string, hasRoom: (place: string) => boolean): string {
  const plain = address.replace(/^::ffff:/i, '');
  if (plain === '::1' || plain.startsWith('127.')) return LOOPBACK;
  const place = plain.includes(':') ? networkOf(plain) : plain;
  return hasRoom(place) ? place : ELSEWHERE;
}

/**
 * Returns the first 64 bits of an IPv6 address. They usually identify one household, or one machine that could use a
 * new address for each guess.
 */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':');
}
