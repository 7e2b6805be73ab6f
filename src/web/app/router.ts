import { signal } from '@preact/signals';

/** Where the page is; addresses are behind `#`, so no server's log has them and none of them is a route of REST. */
export type Place =
  | { page: 'home' }
  | SessionPlace
  | Replay
  | { page: 'new' }
  | { page: 'search'; query: string }
  | { page: 'stash' }
  | { page: 'history' }
  | { page: 'settings' }
  | { page: 'sign-in'; code: string };

/** `seq`: the event of its conversation that is looked for. */
export interface SessionPlace {
  page: 'session';
  slug: string;
  seq?: number | null;
}

/**
 * `recording`: `SLUG.N` of one that a restart moved aside, null: the one that goes on. Where it stands: one of the two,
 * or its start.
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
  place.value = parsePlace(location.hash);
});

export function parsePlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', name = '', view = ''] = path.split('/').map(decode);
  const parameters = new URLSearchParams(query);
  switch (page) {
    case 's':
      if (name === '') return { page: 'home' };
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
    case 'history':
    case 'settings':
      return { page };
    default:
      return { page: 'home' };
  }
}

/** The address of a place, for links. */
export function addressOf(target: Place): string {
  switch (target.page) {
    case 'home':
      return '#/';
    case 'session':
      return `#/s/${encodeURIComponent(target.slug)}${target.seq == null ? '' : `?seq=${target.seq}`}`;
    case 'replay': {
      const { slug, recording, offset, t } = target;
      const parameters = Object.entries({ recording, offset, t }).filter(([, value]) => value !== null);
      const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
      return `#/s/${encodeURIComponent(slug)}/replay${query === '' ? '' : `?${query}`}`;
    }
    case 'search':
      return target.query === '' ? '#/search' : `#/search?q=${encodeURIComponent(target.query)}`;
    case 'sign-in':
      return `#/sign-in/${encodeURIComponent(target.code)}`;
    default:
      return `#/${target.page}`;
  }
}

export function goTo(target: Place): void {
  location.hash = addressOf(target);
}

/** Changes the address without a step in the browser's history: for a code that must not stay there. */
export function replaceBy(target: Place): void {
  history.replaceState(null, '', addressOf(target));
  place.value = target;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return ''; // a broken escape names nothing
  }
}

function numberOf(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name);
  return text === null || !/^\d+(\.\d+)?$/.test(text) ? null : Number(text);
}
