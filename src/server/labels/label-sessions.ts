/**
 * Keeps the tags, the repository, and the archived flag of each session. Lists and events leave out archived sessions,
 * so no face can count them. Everything about an archived session can still be looked up by its name.
 */

import { editTags, isEnded, type Labels, UNLABELLED } from '../../core/labels/index.ts';
import type { LabelStore } from '../../platform/sqlite/label-store.ts';
import { type Broadcast, CatalogueError, matchesSelector, type Session } from '../../protocol/index.ts';
import type { BaseSessions } from '../base-sessions.ts';
import type { Book } from '../book/book.ts';
import { keepFacts } from '../book/kept-facts.ts';
import type { Clock } from '../clock.ts';
import type { PatientWrites } from '../session/patient-writes.ts';
import { toTimestamp } from '../session/view.ts';
import type { Dispose, SessionEvent, Sessions } from '../sessions.ts';
import { createRepositoryFinder } from './repository-finder.ts';

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
  const facts = keepFacts(store, writes, UNLABELLED);
  const { of, note } = facts;
  const isArchived = (slug: string): boolean => of(book.idOf(slug)).archivedAt !== null;
  const list = (): Session[] => base.list().filter(({ slug }) => !isArchived(slug));
  const change = (slug: string, edit: (labels: Labels) => Labels) => facts.change(base.idOf(slug), edit);
  const finder = createRepositoryFinder({
    find: options.findRepository,
    of: (id) => of(id).repository,
    onFound: (id, repository) => {
      note(id, { ...of(id), repository });
      const slug = book.slugOf(id);
      if (slug !== null && !isArchived(slug)) place.tell({ kind: 'updated', session: base.get(slug) });
    },
  });

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
          finder.see(id, event.session, event.kind);
        }
        break;
      case 'removed':
        pass(event);
        facts.forget(id);
        finder.forget(id);
        break;
      default:
        if (!isHidden) pass(event);
    }
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
    await finder.find(id, session);
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
