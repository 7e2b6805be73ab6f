import { signal } from '@preact/signals';

/**
 * The current location within the page. It is the part of the address after `#`, so servers never log it, and it cannot
 * collide with a REST route.
 */
export type Place =
  | { page: 'home' }
  | SessionPlace
  | Replay
  /** without `turn`: everything since the branch began */
  | { page: 'changes'; slug: string; file: string | null; turn?: number | null }
  | { page: 'compare'; slugs: readonly string[] }
  | { page: 'new' }
  | { page: 'search'; query: string }
  | { page: 'stash' }
  | { page: 'archived' }
  | { page: 'lost' }
  | { page: 'inbox' }
  | { page: 'history' }
  | { page: 'budgets' }
  | { page: 'resources' }
  | { page: 'catchup' }
  | { page: 'schedules' }
  | { page: 'rules' }
  | { page: 'audit'; session: string | null }
  | { page: 'settings' }
  | { page: 'sign-in'; code: string };

/** `seq` is the number of the conversation's event to show. */
export interface SessionPlace {
  page: 'session';
  slug: string;
  seq?: number | null;
}

/**
 * `recording` is `SLUG.N` for an earlier recording that a restart moved aside, or null for the current one. One of the
 * two other fields gives the position; if neither is set, the position is the start.
 */
export interface Replay {
  page: 'replay';
  slug: string;
  recording: string | null;
  offset: number | null;
  t: number | null;
}

export const place = signal<Place>(parsePlace(location.hash));

addEventListener('hashchange', () => {
  const target = parsePlace(location.hash);
  if (addressOf(target) !== addressOf(place.peek())) place.value = target;
});

export function parsePlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', name = '', view = ''] = path.split('/').map(decode);
  const parameters = new URLSearchParams(query);
  switch (page) {
    case 's':
      if (name === '') return { page: 'home' };
      if (view === 'changes')
        return { page: 'changes', slug: name, file: parameters.get('file'), turn: numberOf(parameters, 'turn') };
      if (view !== 'replay') return { page: 'session', slug: name, seq: numberOf(parameters, 'seq') };
      return {
        page: 'replay',
        slug: name,
        recording: parameters.get('recording'),
        offset: numberOf(parameters, 'offset'),
        t: numberOf(parameters, 't'),
      };
    case 'search':
      return { page: 'search', query: parameters.get('q') ?? '' };
    case 'sign-in':
      return { page: 'sign-in', code: name };
    case 'new':
    case 'stash':
    case 'archived':
    case 'lost':
    case 'inbox':
    case 'history':
    case 'budgets':
    case 'resources':
    case 'catchup':
    case 'schedules':
    case 'rules':
    case 'settings':
      return { page };
    case 'compare':
      return { page, slugs: (parameters.get('with') ?? '').split(',').filter((slug) => slug !== '') };
    case 'audit':
      return { page, session: parameters.get('session') };
    default:
      return { page: 'home' };
  }
}

/** Returns the address of a location, for use in links. */
export function addressOf(target: Place): string {
  switch (target.page) {
    case 'home':
      return '#/';
    case 'session':
      return `#/s/${encodeURIComponent(target.slug)}${target.seq == null ? '' : `?seq=${target.seq}`}`;
    case 'replay': {
      const { slug, recording, offset, t } = target;
      return `#/s/${encodeURIComponent(slug)}/replay${queryOf({ recording, offset, t })}`;
    }
    case 'changes': {
      const { slug, file, turn = null } = target;
      return `#/s/${encodeURIComponent(slug)}/changes${queryOf({ turn, file })}`;
    }
    case 'search':
      return target.query === '' ? '#/search' : `#/search?q=${encodeURIComponent(target.query)}`;
    case 'compare':
      return `#/compare?with=${target.slugs.map(encodeURIComponent).join(',')}`;
    case 'audit':
      return target.session === null ? '#/audit' : `#/audit?session=${encodeURIComponent(target.session)}`;
    case 'sign-in':
      return `#/sign-in/${encodeURIComponent(target.code)}`;
    default:
      return `#/${target.page}`;
  }
}

function queryOf(fields: Readonly<Record<string, string | number | null>>): string {
  const parameters = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : `${name}=${encodeURIComponent(value)}`,
  );
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`;
}

/**
 * Goes to a location immediately, without waiting for the browser's event. Otherwise, a key pressed before the event
 * would act on the old location.
 */
export function goTo(target: Place): void {
  location.hash = addressOf(target);
  place.value = target;
}

/**
 * Changes the address without adding an entry to the browser's history. It is used to remove a sign-in code, which must
 * not stay in the history.
 */
export function replaceBy(target: Place): void {
  history.replaceState(null, '', addressOf(target));
  place.value = target;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return ''; // a broken escape matches nothing
  }
}

function numberOf(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name);
  return text === null || !/^\d+(\.\d+)?$/.test(text) ? null : Number(text);
}
