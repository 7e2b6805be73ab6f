import { z } from 'zod';
import { type Route, SlugParam } from './route.ts';
import { Timestamp } from './words.ts';

/** What changed the files: a turn of the session, or a person who brought an earlier state back. */
export const TurnKind = z.enum(['turn', 'rewind']);
export type TurnKind = z.infer<typeof TurnKind>;

export const TurnNumber = z.int().min(1).max(999_999_999);

/** A turn of a session whose files CBOS has kept, as they were at its begin and at its end. */
export const Turn = z
  .object({
    number: z.int(),
    kind: TurnKind.meta({ description: '`rewind`: not a turn, but a rewind, with the files before it and after it' }),
    ref: z.string().meta({ description: 'In the repository: the files at its end; its parent has those at its begin' }),
    prompt: z.string().nullable().meta({ description: 'The first words of its prompt; null where nothing told them' }),
    began_at: Timestamp,
    ended_at: Timestamp.nullable().meta({ description: 'null while it runs, and where its end was not seen' }),
    late_ms: z.int().meta({
      description: 'How long after its begin the files were kept; what it changed earlier counts as there before it',
    }),
    files: z.int().meta({ description: 'How many files it changed; 0 while it runs' }),
    added: z.int().meta({ description: 'Lines' }),
    removed: z.int(),
  })
  .meta({ id: 'Turn' });
export type Turn = z.infer<typeof Turn>;

export const Turns = z
  .object({
    turns: z.array(Turn).meta({ description: 'The oldest first' }),
    fault: z.string().nullable().meta({
      description: 'Why the files of the last turn were not kept; null where they were, and where none ran yet',
    }),
  })
  .meta({ id: 'Turns' });
export type Turns = z.infer<typeof Turns>;

export const Rewind = z
  .strictObject({
    turn: TurnNumber,
    to: z.enum(['begin', 'end']).meta({ description: 'The files as they were before the turn, or as it left them' }),
  })
  .meta({ id: 'Rewind' });
export type Rewind = z.infer<typeof Rewind>;

export const Rewound = z
  .object({
    saved: Turn.meta({ description: 'The rewind itself: its begin has the files as they were, which undoes it' }),
    written: z.int().meta({ description: 'How many files got other bytes, or came back' }),
    deleted: z.int(),
    left: z.array(z.string()).meta({
      description:
        'Files that stay as they are: something that git ignores is in their place, they were written meanwhile, or they were too large to be kept',
    }),
  })
  .meta({ id: 'Rewound' });
export type Rewound = z.infer<typeof Rewound>;

/** The files of a session's turns. What a turn changed: `changes-routes.ts`. */
export const TURN_ROUTES = {
  listTurns: {
    method: 'get',
    path: '/sessions/{slug}/turns',
    summary: 'The turns of a session whose files are kept, with how many files and lines each changed',
    params: SlugParam,
    success: 200,
    response: Turns,
    errors: ['no_such_session', 'no_such_path', 'not_a_repository', 'git_not_found', 'git_failed'],
  },
  rewindSession: {
    method: 'post',
    path: '/sessions/{slug}/rewind',
    summary:
      'Bring back the files as they were before or after a turn; those that are there now are kept first, so it can be undone. Commits, branches and the index stay',
    params: SlugParam,
    body: Rewind,
    success: 200,
    response: Rewound,
    errors: [
      'no_such_session',
      'no_such_path',
      'not_a_repository',
      'no_such_turn',
      'already_running',
      'git_not_found',
      'git_failed',
      'disk_full',
    ],
  },
} as const satisfies Record<string, Route>;
