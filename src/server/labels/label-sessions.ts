/**
 * Adds tags, the repository, and the archived flag to each session. `labelSessions` wraps the sessions that `attend`
 * returns, and every face uses the result. Lists and events leave out archived sessions, so no face can count them.
 * Everything about an archived session can still be looked up by its name.
 */

import { editTags, isEnded, type Labels, UNLABELLED } from '../../core/labels/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import type { LabelStore } from '../../platform/sqlite/label-store.ts';
import {
  type Broadcast,
  type BroadcastResult,
  CatalogueError,
  matchesSelector,
  placeOf,
  type Session,
} from '../../protocol/index.ts';
import { passOn, showThrough } from '../attention/pass-on.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { PatientWrites } from '../session/patient-writes.ts';
import { toTimestamp } from '../session/view.ts';
import type { Dispose, SessionEvent, Sessions } from '../sessions.ts';

/** The methods that only this file adds to the sessions. */
type Own = 'tag' | 'archive' | 'unarchive' | 'archived';

/**
 * A prompt, with the sessions to send it to. This file chooses the sessions, because it knows which ones are listed.
 */
export type NamedBroadcast = Pick<Broadcast, 'text' | 'command' | 'queue'> & { slugs: readonly string[] };

/** The sessions, before labels are added to them. */
export interface UnlabelledSessions extends Omit<Sessions, Own | 'broadcast'> {
  broadcast(request: NamedBroadcast): Promise<BroadcastResult[]>;
  /**
   * Returns the session's id, which stays the same when the session is renamed or restarted. @throws CatalogueError
   * no_such_session
   */
  idOf(slug: string): string;
  /** Prevents a lost session from being restored automatically. @throws CatalogueError no_such_session */
  forgetLoss(slug: string): void;
}

export interface LabelOptions {
  sessions: UnlabelledSessions;
  store: LabelStore;
  writes: Pick<PatientWrites, 'write' | 'demand'>;
  clock: Clock;
  log: Logger;
  /** returns the main checkout of the repository that a folder belongs to; null if the folder is in no repository */
  findRepository(folder: string): Promise<string | null>;
}

export interface LabelledSessions {
  sessions: Sessions;
  dispose: Dispose;
}

export function labelSessions(options: LabelOptions): LabelledSessions {
  const { sessions: base, store, writes, clock, log } = options;
  const kept = store.all();
  const ids = new Map<string, string>();
  /** the folder for which each session's repository was last determined */
  const lookedIn = new Map<string, string>();
  const events = new Emitter<[SessionEvent]>((cause, event) =>
    log.error({ err: cause, event: event.kind }, 'a listener of session events failed'),
  );

  const of = (id: string | undefined): Labels => (id === undefined ? null : kept.get(id)) ?? UNLABELLED;
  const shown = (session: Session): Session => {
    const { tags, repository, archivedAt } = of(ids.get(session.slug));
    const archived_at = archivedAt === null ? null : toTimestamp(archivedAt);
    return { ...session, tags: [...tags], repository, archived_at };
  };
  const isArchived = (slug: string): boolean => of(ids.get(slug)).archivedAt !== null;
  const list = (): Session[] => base.list().flatMap((session) => (isArchived(session.slug) ? [] : [shown(session)]));
  const get = (slug: string): Session => shown(base.get(slug));

  /** Saves an observed fact, either now or as soon as the disk has room. */
  function note(id: string, next: Labels): void {
    kept.set(id, next);
    writes.write(() => {
      const latest = kept.get(id);
      if (latest !== undefined) store.save(id, latest);
    });
  }

  /** Saves a change that a person requested. @throws while the home is not writable, in which case nothing changes */
  function change(slug: string, edit: (labels: Labels) => Labels): { before: Labels; after: Labels } {
    const id = base.idOf(slug);
    const before = of(id);
    const after = edit(before);
    if (after !== before) {
      writes.demand(() => store.save(id, after));
      kept.set(id, after);
    }
    return { before, after };
  }

  /** Determines the repository that a session works in. This is done once for each folder, and never by polling. */
  async function findRepository(session: Session): Promise<void> {
    const { slug } = session;
    const path = placeOf(session);
    const id = ids.get(slug);
    if (id === undefined || path === null) return;
    lookedIn.set(id, path);
    const found = await options.findRepository(path).catch(() => null);
    // If the folder no longer exists, the known repository is kept. If the session has moved to another folder by now,
    // another call determines its repository.
    if (found === null || found === of(id).repository || lookedIn.get(id) !== path) return;
    note(id, { ...of(id), repository: found });
    const now = [...ids].find(([, one]) => one === id)?.[0];
    if (now !== undefined && !isArchived(now)) events.tell({ kind: 'updated', session: get(now) });
  }

  /**
   * Unarchives a session that is running again, because a running session must never be hidden. @returns whether the
   * event for the session must be held back
   */
  function staysHidden(session: Session): boolean {
    const id = ids.get(session.slug);
    if (id === undefined || of(id).archivedAt === null) return false;
    if (isEnded(session)) return true;
    note(id, { ...of(id), archivedAt: null });
    events.tell({ kind: 'added', session: shown(session) });
    return true;
  }

  function take(event: SessionEvent): void {
    switch (event.kind) {
      case 'added':
      case 'state':
      case 'updated':
      case 'woken': {
        const { session } = event;
        if (event.kind === 'added') ids.set(session.slug, base.idOf(session.slug));
        if (staysHidden(session)) return;
        events.tell({ ...event, session: shown(session) });
        if (isToBeLookedFor(session, event.kind)) void findRepository(session);
        break;
      }
      case 'renamed': {
        const id = ids.get(event.from);
        ids.delete(event.from);
        if (id !== undefined) ids.set(event.session.slug, id);
        if (!isArchived(event.session.slug)) events.tell({ ...event, session: shown(event.session) });
        break;
      }
      case 'removed': {
        const id = ids.get(event.slug);
        events.tell(event);
        ids.delete(event.slug);
        if (id === undefined) break;
        kept.delete(id);
        lookedIn.delete(id);
        break;
      }
      default:
        if (!isArchived(event.slug)) events.tell(event);
    }
  }

  /**
   * Reports whether to determine the session's repository now, for example because the session may have turned its
   * folder into a repository during the turn.
   */
  function isToBeLookedFor(session: Session, kind: 'added' | 'state' | 'updated' | 'woken'): boolean {
    const { slug, status } = session;
    const path = placeOf(session);
    const id = ids.get(slug);
    if (id === undefined || path === null) return false;
    const mayHaveMade = kind === 'state' && status.primary === 'idle' && of(id).repository === null;
    return lookedIn.get(id) !== path || mayHaveMade;
  }

  /** Returns the receivers of a broadcast, which must be listed and accept prompts. */
  function receivers({ state, tags, repo }: Broadcast): string[] {
    const takes = ({ adopted, status }: Session): boolean => adopted && status.primary !== 'dead';
    const chosen = list().filter((session) => takes(session) && matchesSelector(session, { state, tags, repo }));
    return chosen.map(({ slug }) => slug);
  }

  /** Launches a session and gives it tags. */
  async function label(slug: string, tags: readonly string[], launch: () => Promise<Session>): Promise<Session> {
    if (isArchived(slug)) throw takenByArchived(slug);
    const session = await launch();
    const id = base.idOf(session.slug);
    if (tags.length > 0) {
      note(id, editTags(of(id), { add: [...tags] }));
      events.tell({ kind: 'updated', session: get(session.slug) });
    }
    // A script that selects sessions by repository right after this call must already find this session.
    await findRepository(session);
    return get(session.slug);
  }

  const stopListening = base.onEvent(take);
  for (const session of base.list()) take({ kind: 'added', session });

  const sessions: Sessions = {
    ...passOn(base),
    ...showThrough(base, shown),
    list,
    get,
    archived: () => base.list().flatMap((session) => (isArchived(session.slug) ? [shown(session)] : [])),
    create: ({ tags = [], ...request }) => label(request.slug, tags, () => base.create(request)),
    fork: (slug, request) => label(request.slug, of(base.idOf(slug)).tags, () => base.fork(slug, request)),
    restore: (request) => base.restore(request),
    kill: async (slug) => shown(await base.kill(slug)),
    seen: (slug, look) => shown(base.seen(slug, look)),
    unseen: (slug) => shown(base.unseen(slug)),
    snooze: (slug, request) => shown(base.snooze(slug, request)),
    unsnooze: (slug) => shown(base.unsnooze(slug)),
    send: (slug, request) => base.send(slug, request),
    answer: (slug, request) => base.answer(slug, request),
    continueAfterLimit: (slug) => base.continueAfterLimit(slug),
    interrupt: (slug) => base.interrupt(slug),
    keys: (slug, keys) => base.keys(slug, keys),
    invoke: (slug, request) => base.invoke(slug, request),
    applyStash: (id) => base.applyStash(id),
    broadcast: async ({ state, tags, repo, all, ...request }) => {
      const slugs = request.slugs ?? receivers({ state, tags, repo, all, ...request });
      return base.broadcast({ ...request, slugs });
    },
    onEvent: events.on,
    tag: (slug, edit) => {
      const { before, after } = change(slug, (labels) => editTags(labels, edit));
      if (after !== before && after.archivedAt === null) events.tell({ kind: 'updated', session: get(slug) });
      return get(slug);
    },
    archive: (slug) => {
      const session = base.get(slug);
      if (!isEnded(session)) throw stillRuns(session);
      const { before } = change(slug, (labels) =>
        labels.archivedAt === null ? { ...labels, archivedAt: clock.now() } : labels,
      );
      base.forgetLoss(slug);
      if (before.archivedAt === null) events.tell({ kind: 'removed', slug, archived: true });
      return get(slug);
    },
    unarchive: (slug) => {
      const { before } = change(slug, (labels) =>
        labels.archivedAt === null ? labels : { ...labels, archivedAt: null },
      );
      if (before.archivedAt !== null) events.tell({ kind: 'added', session: get(slug) });
      return get(slug);
    },
  };

  return {
    sessions,
    dispose: () => {
      stopListening();
      events.clear();
    },
  };
}

function stillRuns({ slug, type }: Session): CatalogueError {
  const park = type === 'screen' ? `, \`cbos park ${slug}\` keeps it ready for the next prompt` : '';
  const hint = `\`cbos stop ${slug}\` ends it first${park}`;
  return new CatalogueError('session_alive', `${slug} is running, so it stays listed`, { hint });
}

function takenByArchived(slug: string): CatalogueError {
  const hint = `\`cbos unarchive ${slug}\` lists it again, \`cbos rename ${slug} NEW\` frees the name`;
  return new CatalogueError('slug_taken', `An archived session is named ${slug}`, { hint });
}
