import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, isSlug, SLUG_PATTERN } from '../../protocol/index.ts';
import { type ActorDeps, SessionActor } from '../session/actor.ts';
import { createDeliverer, type Deliverer } from '../session/deliver.ts';
import { createSessionStash, noSuchStash, type SessionStash } from '../session/stash.ts';

/** A listed session: its actor, the path of its texts, and the replies kept for it. */
export interface Member {
  actor: SessionActor;
  deliverer: Deliverer;
  stash: SessionStash;
}

/** The listed sessions. Slugs that are being launched are reserved, so two launches cannot take the same. */
export interface Roster {
  all(): Member[];
  /** @throws CatalogueError no_such_session */
  get(slug: string): Member;
  byLaunch(launchId: string): Member | null;
  byScreen(screenId: string): Member | null;
  /** @throws CatalogueError no_such_stash */
  byStash(id: string): Member;
  add(record: SessionRecord): Member;
  remove(member: Member): void;
  /**
   * Reserves a slug while `work` runs.
   * @throws CatalogueError invalid_slug, slug_taken
   */
  claim<T>(slug: string, work: () => Promise<T>): Promise<T>;
  /** the name made a valid, free slug */
  freeSlug(name: string): string;
}

export function createRoster(deps: ActorDeps): Roster {
  const members: Member[] = [];
  const claimed = new Set<string>();
  const isTaken = (slug: string): boolean => claimed.has(slug) || members.some(({ actor }) => actor.slug === slug);

  return {
    all: () => [...members],
    get: (slug) => {
      const member = members.find(({ actor }) => actor.slug === slug);
      if (member === undefined)
        throw new CatalogueError('no_such_session', `There is no session ${JSON.stringify(slug)}`);
      return member;
    },
    byLaunch: (launchId) => members.find(({ actor }) => actor.record.launchId === launchId) ?? null,
    byScreen: (screenId) => members.find(({ actor }) => actor.record.screenId === screenId && !actor.isDead()) ?? null,
    byStash: (id) => {
      const member = members.find(({ actor }) => deps.stash.get(actor.record.id, id) !== null);
      if (member === undefined) throw noSuchStash(id);
      return member;
    },
    add: (record) => {
      deps.sessions.save(record);
      const actor = new SessionActor(deps, record);
      const deliverer = createDeliverer(actor);
      const member = { actor, deliverer, stash: createSessionStash(actor, deliverer) };
      members.push(member);
      return member;
    },
    remove: (member) => {
      const index = members.indexOf(member);
      if (index >= 0) members.splice(index, 1);
      member.stash.dispose();
      member.deliverer.dispose();
      member.actor.dispose();
      deps.sessions.remove(member.actor.record.id);
      if (member.actor.isListed()) deps.emit({ kind: 'removed', slug: member.actor.slug });
    },
    claim: async (slug, work) => {
      assertSlug(slug);
      if (isTaken(slug)) throw new CatalogueError('slug_taken', `A session ${slug} is listed already`);
      claimed.add(slug);
      try {
        return await work();
      } finally {
        claimed.delete(slug);
      }
    },
    freeSlug: (name) => {
      const base = slugOf(name);
      if (isSlug(base) && !isTaken(base)) return base;
      for (let number = 2; ; number += 1) {
        const slug = `${base.slice(0, 60)}-${number}`;
        if (!isTaken(slug)) return slug;
      }
    },
  };
}

/** @throws CatalogueError invalid_slug */
export function assertSlug(slug: string): void {
  if (isSlug(slug)) return;
  const shown = slug.length > 40 ? `${slug.slice(0, 40)}…` : slug;
  throw new CatalogueError('invalid_slug', `${JSON.stringify(shown)} cannot be the name of a session`);
}

/** A name as near to the given one as a slug can be. */
function slugOf(name: string): string {
  const slug = name
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[-_]+/, '')
    .slice(0, 64)
    .replace(/-+$/, '');
  return SLUG_PATTERN.test(slug) ? slug : 'session';
}
