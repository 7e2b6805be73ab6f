/**
 * This directory contains everything that concerns all sessions of this home. `own-sessions.ts` has the methods that
 * the faces call, this file has the list of sessions, and `observe.ts` watches everything outside the server (Screen's
 * sessions and their processes: `survey-screens.ts`).
 *
 * - requests: `create-session.ts`, `change-session.ts`, `stop-session.ts`
 * - converting a session to the other type: `convert-session.ts`
 * - sessions that another program started: `adopt-session.ts`
 * - whether a Claude Code process is listed here, belongs to another home, or belongs to nobody: `owner.ts`
 * - sessions that were lost, for example in a reboot: `losses.ts`
 * - restoring lost sessions: `restoring.ts`
 * - sessions that are missing from the database after a restart: `bring-back.ts`
 * - which processes belong to a session: `session-processes.ts`
 * - what a hook may report about a session's conversation: `own-payload.ts`
 * - sending one prompt to several sessions: `broadcast.ts`
 * - history, days, and search: `look-back.ts`
 */

import { findAmong, type ScreenSession } from '../../platform/gnu-screen/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, isSlug, type SessionType, SLUG_PATTERN } from '../../protocol/index.ts';
import { type ActorDeps, SessionActor } from '../session/actor.ts';
import type { SessionControls } from '../session/controls.ts';
import { createSessionStash, noSuchStash, type SessionStash } from '../session/stash.ts';

/** A listed session: its state, its controls, and the replies kept for it. */
export interface Member {
  actor: SessionActor;
  controls: SessionControls;
  stash: SessionStash;
}

/**
 * The list of sessions. The slug of a session that is being launched is reserved, so two launches cannot take the same
 * slug.
 */
export interface ListedSessions {
  all(): Member[];
  /** @throws CatalogueError no_such_session */
  get(slug: string): Member;
  byLaunch(launchId: string): Member | null;
  /** returns the session that owns a live Screen session, even if the user has renamed the Screen session */
  byScreen(screen: ScreenSession): Member | null;
  /** @throws CatalogueError no_such_stash */
  byStash(id: string): Member;
  /** Lists a new session that a client has requested. @throws if the session cannot be saved right now */
  add(record: SessionRecord): Member;
  /** Lists a session of the previous server, which is already in the database. */
  addAgain(record: SessionRecord): Member;
  /** Lists a session that CBOS has just discovered. The session is saved as soon as possible. */
  find(record: SessionRecord): Member;
  /** Removes a session from the list, and deletes its database rows as soon as possible. */
  remove(member: Member): void;
  /** Converts the session to the other type. The caller has already ended the old process. */
  retype(member: Member, type: SessionType): void;
  /** Releases the resources of all listed sessions. */
  dispose(): void;
  /**
   * Reserves a slug while `work` runs.
   * @throws CatalogueError invalid_slug, slug_taken
   */
  claim<T>(slug: string, work: () => Promise<T>): Promise<T>;
  /** returns the name, changed into a valid slug that is not in use */
  freeSlug(name: string): string;
}

export function createListedSessions(
  deps: ActorDeps,
  createControls: (actor: SessionActor) => SessionControls,
): ListedSessions {
  const members: Member[] = [];
  const claimed = new Set<string>();
  const isTaken = (slug: string): boolean => claimed.has(slug) || members.some(({ actor }) => actor.slug === slug);

  function addAgain(record: SessionRecord): Member {
    const actor = new SessionActor(deps, record);
    const controls = createControls(actor);
    const member = { actor, controls, stash: createSessionStash(actor, controls.deliverer) };
    members.push(member);
    return member;
  }

  return {
    all: () => [...members],
    get: (slug) => {
      const member = members.find(({ actor }) => actor.slug === slug);
      if (member === undefined)
        throw new CatalogueError('no_such_session', `No session is named ${JSON.stringify(slug)}`);
      return member;
    },
    byLaunch: (launchId) => members.find(({ actor }) => actor.record.launchId === launchId) ?? null,
    byScreen: (screen) => members.find(({ actor }) => !actor.isDead() && isSame(actor.record, screen)) ?? null,
    byStash: (id) => {
      const member = members.find(({ actor }) => deps.stash.get(actor.record.id, id) !== null);
      if (member === undefined) throw noSuchStash(id);
      return member;
    },
    add: (record) => {
      deps.writes.demand(() => deps.sessions.save(record));
      return addAgain(record);
    },
    find: (record) => {
      deps.writes.write(() => deps.sessions.save(record));
      return addAgain(record);
    },
    addAgain,
    remove: (member) => {
      const index = members.indexOf(member);
      if (index >= 0) members.splice(index, 1);
      disposeMember(member);
      const { id } = member.actor.record;
      deps.deliveries.forget(id);
      deps.writes.write(() => deps.sessions.remove(id));
      deps.search.forget(id);
      if (member.actor.isListed()) deps.emit({ kind: 'removed', slug: member.actor.slug });
    },
    retype: (member, type) => {
      const { actor } = member;
      member.stash.dispose();
      member.controls.dispose();
      actor.retype(type);
      member.controls = createControls(actor);
      member.stash = createSessionStash(actor, member.controls.deliverer);
    },
    dispose: () => members.forEach(disposeMember),
    claim: async (slug, work) => {
      assertSlug(slug);
      if (isTaken(slug)) throw new CatalogueError('slug_taken', `A session named ${slug} already exists`);
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

function isSame({ screenId, daemon }: SessionRecord, screen: ScreenSession): boolean {
  return screenId !== null && findAmong([screen], { id: screenId, daemon }) !== null;
}

function disposeMember({ actor, controls, stash }: Member): void {
  stash.dispose();
  controls.dispose();
  actor.dispose();
}

/** @throws CatalogueError invalid_slug */
export function assertSlug(slug: string): void {
  if (isSlug(slug)) return;
  const shown = slug.length > 40 ? `${slug.slice(0, 40)}…` : slug;
  throw new CatalogueError('invalid_slug', `${JSON.stringify(shown)} isn't a valid session name`);
}

/** Returns the valid slug that is most similar to the given name. */
function slugOf(name: string): string {
  const slug = name
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[-_]+/, '')
    .slice(0, 64)
    .replace(/-+$/, '');
  return SLUG_PATTERN.test(slug) ? slug : 'session';
}
