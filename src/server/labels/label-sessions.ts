/**
 * Keeps the tags, the repository, and the archived flag of each session. Lists and events leave out archived sessions,
 * so no face can count them. Everything about an archived session can still be looked up by its name.
 */

import { editTags, isEnded, type Labels, UNLABELLED } from '../../core/labels/index.ts';
import type { LabelStore } from '../../platform/sqlite/label-store.ts';
import { type Broadcast, CatalogueError, matchesSelector, placeOf, type Session } from '../../protocol/index.ts';
import type { BaseSessions } from '../base-sessions.ts';
import type { Book } from '../book/book.ts';
import type { Clock } from '../clock.ts';
import type { PatientWrites } from '../session/patient-writes.ts';
import { toTimestamp } from '../session/view.ts';
import type { Dispose, SessionEvent, Sessions } from '../sessions.ts';

export interface LabelOptions {
  book: Book;
  sessions: Pick<BaseSessions, 'list' | 'get' | 'idOf' | 'create' | 'fork' | 'broadcast' | 'forgetLoss'>;
  store: LabelStore;
  writes: Pick<PatientWrites, 'write' | 'demand'>;
  clock: Clock;
  /** returns the main checkout of the repository that a folder belongs to; null if the folder is in no repository */
  findRepository(folder: string): Promise<string | null>;
}

/** The requests that depend on labels. */
export type LabelledRequests = Pick<
  Sessions,
  'list' | 'archived' | 'create' | 'fork' | 'broadcast' | 'tag' | 'archive' | 'unarchive'
>;

export interface LabelledSessions {
  requests: LabelledRequests;
  dispose: Dispose;
}

export function labelSessions(options: LabelOptions): LabelledSessions {
  const { book, sessions: base, store, writes, clock } = options;
  const kept = store.all();
  /** the folder for which each session's repository was last determined */
  const lookedIn = new Map<string, string>();

  const of = (id: string | undefined): Labels => (id === undefined ? null : kept.get(id)) ?? UNLABELLED;
  const isArchived = (slug: string): boolean => of(book.idOf(slug)).archivedAt !== null;
  const list = (): Session[] => base.list().filter(({ slug }) => !isArchived(slug));

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
    const path = placeOf(session);
    const id = book.idOf(session.slug);
    if (id === undefined || path === null) return;
    lookedIn.set(id, path);
    const found = await options.findRepository(path).catch(() => null);
    // If the folder no longer exists, the known repository is kept. If the session has moved to another folder by now,
    // another call determines its repository.
    if (found === null || found === of(id).repository || lookedIn.get(id) !== path) return;
    note(id, { ...of(id), repository: found });
    const now = book.slugOf(id);
    if (now !== null && !isArchived(now)) place.tell({ kind: 'updated', session: base.get(now) });
  }

  type Pass = (event: SessionEvent) => void;

  /** Unarchives a session that is running again, because a running session must never be hidden. */
  function takeHidden(session: Session, id: string, pass: Pass): void {
    if (isEnded(session)) return;
    note(id, { ...of(id), archivedAt: null });
    pass({ kind: 'added', session });
  }

  function take(event: SessionEvent, id: string, pass: Pass): void {
    const isHidden = of(id).archivedAt !== null;
    switch (event.kind) {
      case 'added':
      case 'state':
      case 'updated':
      case 'woken':
        if (isHidden) takeHidden(event.session, id, pass);
        else {
          pass(event);
          if (isToBeLookedFor(event.session, id, event.kind)) void findRepository(event.session);
        }
        break;
      case 'removed':
        pass(event);
        kept.delete(id);
        lookedIn.delete(id);
        break;
      default:
        if (!isHidden) pass(event);
    }
  }

  /**
   * Reports whether to determine the session's repository now, for example because the session may have turned its
   * folder into a repository during the turn.
   */
  function isToBeLookedFor(session: Session, id: string, kind: SessionEvent['kind']): boolean {
    const path = placeOf(session);
    if (path === null) return false;
    const mayHaveMade = kind === 'state' && session.status.primary === 'idle' && of(id).repository === null;
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
      place.tell({ kind: 'updated', session: base.get(session.slug) });
    }
    // A script that selects sessions by repository right after this call must already find this session.
    await findRepository(session);
    return base.get(session.slug);
  }

  const place = book.add({
    of: (id) => {
      const { tags, repository, archivedAt } = of(id);
      return { tags: [...tags], repository, archived_at: archivedAt === null ? null : toTimestamp(archivedAt) };
    },
    take,
  });
  for (const session of base.list()) take({ kind: 'added', session }, base.idOf(session.slug), () => undefined);

  const requests: LabelledRequests = {
    list,
    archived: () => base.list().filter(({ slug }) => isArchived(slug)),
    create: ({ tags = [], ...request }) => label(request.slug, tags, () => base.create(request)),
    fork: (slug, request) => label(request.slug, of(base.idOf(slug)).tags, () => base.fork(slug, request)),
    broadcast: async ({ state, tags, repo, all, ...request }) => {
      const slugs = request.slugs ?? receivers({ state, tags, repo, all, ...request });
      return base.broadcast({ ...request, slugs });
    },
    tag: (slug, edit) => {
      const { before, after } = change(slug, (labels) => editTags(labels, edit));
      if (after !== before && after.archivedAt === null) place.tell({ kind: 'updated', session: base.get(slug) });
      return base.get(slug);
    },
    archive: (slug) => {
      const session = base.get(slug);
      if (!isEnded(session)) throw stillRuns(session);
      const { before } = change(slug, (labels) =>
        labels.archivedAt === null ? { ...labels, archivedAt: clock.now() } : labels,
      );
      base.forgetLoss(slug);
      if (before.archivedAt === null) place.tell({ kind: 'removed', slug, archived: true });
      return base.get(slug);
    },
    unarchive: (slug) => {
      const { before } = change(slug, (labels) =>
        labels.archivedAt === null ? labels : { ...labels, archivedAt: null },
      );
      if (before.archivedAt !== null) place.tell({ kind: 'added', session: base.get(slug) });
      return base.get(slug);
    },
  };
  return { requests, dispose: place.dispose };
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
