import { z } from 'zod';
import type { RouteRow } from './route.ts';
import { Timestamp } from './words.ts';

/** What changed the files: a turn of the session, or a rewind by the user. */
export const TurnKind = z.enum(['turn', 'rewind']);
export type TurnKind = z.infer<typeof TurnKind>;

export const TurnNumber = z.int().min(1).max(999_999_999);

/** Identifies a turn in an address, either by its number or as the last one. */
export const TurnWord = z.string().regex(/^(last|[1-9]\d{0,8})$/, 'the number of a turn, or "last"');

/** A checkpoint has the files as they were at the beginning or at the end of a turn. */
export const TurnState = z.enum(['begin', 'end']);
export type TurnState = z.infer<typeof TurnState>;

/** A turn of a session. CBOS has saved the state of the files at its beginning and at its end. */
export const Turn = z
  .object({
    number: z.int(),
    kind: TurnKind.meta({ description: '`rewind` for a rewind instead of a turn, with the files before and after it' }),
    ref: z.string().meta({
      description:
        "The ref in the repository: its commit has the files at the end of the turn, and that commit's parent the files at the beginning",
    }),
    prompt: z.string().nullable().meta({ description: 'The first words of its prompt; null if unknown' }),
    began_at: Timestamp,
    ended_at: Timestamp.nullable().meta({ description: 'null while the turn is running, or if its end was not seen' }),
    late_ms: z.int().meta({
      description:
        'How long after the start of the turn the files were saved; changes before that moment count as made before the turn',
    }),
    files: z.int().meta({ description: 'How many files the turn changed; 0 while it is running' }),
    added: z.int().meta({ description: 'Number of lines' }),
    removed: z.int(),
  })
  .meta({ id: 'Turn' });
export type Turn = z.infer<typeof Turn>;

export const Turns = z
  .object({
    turns: z.array(Turn).meta({ description: 'Oldest first' }),
    fault: z.string().nullable().meta({
      description: 'Why the files of the last turn were not saved; null if they were saved, or if no turn has run yet',
    }),
  })
  .meta({ id: 'Turns' });
export type Turns = z.infer<typeof Turns>;

export const Rewind = z
  .strictObject({
    turn: TurnNumber,
    to: TurnState.meta({ description: 'The files as they were before the turn, or as it left them' }),
  })
  .meta({ id: 'Rewind' });
export type Rewind = z.infer<typeof Rewind>;

export const Rewound = z
  .object({
    saved: Turn.meta({
      description: 'The number of the rewind itself; to undo it, restore the files as they were before that number',
    }),
    written: z.int().meta({ description: 'How many files were changed or restored' }),
    deleted: z.int(),
    left: z.array(z.string()).meta({
      description:
        'Files that were left unchanged, because an ignored file is in their place, they were written during the rewind, or they were too large to keep',
    }),
  })
  .meta({ id: 'Rewound' });
export type Rewound = z.infer<typeof Rewound>;

/** The part of the REST interface for turns and rewinds. The routes for a turn's changes are in `changes-routes.ts`. */
export const TURN_ROUTES = {
  listTurns: {
    method: 'get',
    path: '/sessions/{slug}/turns',
    who: 'session',
    summary:
      "A session's turns, with the number of files and lines that each one changed; only turns whose files were saved",
    response: Turns,
    errors: ['no_such_session', 'no_such_path', 'not_a_repository', 'git_not_found', 'git_failed', 'missing_objects'],
  },
  rewindSession: {
    method: 'post',
    path: '/sessions/{slug}/rewind',
    who: 'person',
    summary:
      'Restore the files as they were before or after a turn. The current files are saved first, so this can be undone. Commits, branches and the index do not change',
    body: Rewind,
    response: Rewound,
    errors: [
      'no_such_session',
      'no_such_path',
      'not_a_repository',
      'no_such_turn',
      'already_running',
      'git_not_found',
      'git_failed',
      'missing_objects',
      'disk_full',
    ],
  },
} as const satisfies Record<string, RouteRow>;
