import { CatalogueError, type CHECKPOINT_ROUTES, type TURN_ROUTES, type TurnState } from '../../protocol/index.ts';
import type { SessionChanges } from '../changes/session-changes.ts';
import type { Handlers } from '../handlers.ts';
import type { Sessions } from '../sessions.ts';
import type { Checkpoints, WhichState, WhichTurn } from './checkpoints.ts';

type ChangesRoute = 'changes' | 'patch' | 'changedSide' | keyof typeof TURN_ROUTES | keyof typeof CHECKPOINT_ROUTES;

/** Creates the handlers that compare a session's files: now with its base, or before and after one of its turns. */
export function createChangesHandlers({
  sessions,
  changes,
  turns,
}: {
  sessions: Pick<Sessions, 'get'>;
  changes: SessionChanges;
  turns: Checkpoints;
}): Pick<Handlers, ChangesRoute> {
  const numberOf = (turn: string): WhichTurn => (turn === 'last' ? turn : Number(turn));
  const whichOf = ({ base, turn }: { base?: string | undefined; turn?: string | undefined }): WhichTurn | null => {
    if (turn === undefined) return null;
    if (base !== undefined)
      throw new CatalogueError('invalid_request', 'base: cannot be combined with a turn, which has its own base');
    return numberOf(turn);
  };
  const stateOf = ({ turn }: { turn: string }, { state }: { state?: TurnState | undefined }): WhichState => ({
    turn: numberOf(turn),
    state: state ?? null,
  });
  return {
    changes: ({ params, query }) => {
      const which = whichOf(query);
      const session = sessions.get(params.slug);
      const asked = { base: query.base ?? null, patchOf: query.patch_of ?? null };
      return which === null ? changes.list(session, asked) : turns.changes(session, which);
    },
    patch: ({ params, query }) => {
      const which = whichOf(query);
      const session = sessions.get(params.slug);
      const names = { file: query.file ?? null, oldFile: query.old_file ?? null };
      return which === null
        ? changes.patch(session, { base: query.base ?? null, ...names })
        : turns.patch(session, which, names);
    },
    changedSide: ({ params, query }) => {
      const which = whichOf(query);
      const session = sessions.get(params.slug);
      const asked = { file: query.file, side: query.side };
      return which === null
        ? changes.side(session, { base: query.base ?? null, ...asked })
        : turns.side(session, which, asked);
    },
    listTurns: ({ params }) => turns.list(sessions.get(params.slug)),
    rewindSession: ({ params, body }) => turns.rewind(sessions.get(params.slug), body),
    checkpointFiles: ({ params, query }) =>
      turns.files(sessions.get(params.slug), stateOf(params, query), {
        folder: query.folder ?? '',
        from: query.from ?? 0,
      }),
    checkpointChanges: ({ params, query }) => turns.changesBefore(sessions.get(params.slug), stateOf(params, query)),
    checkpointFile: ({ params, query }) => turns.file(sessions.get(params.slug), stateOf(params, query), query.path),
  };
}
