import { z } from 'zod';
import { QuestionKind } from './question.ts';
import type { RouteRow } from './route.ts';
import { Timestamp } from './words.ts';

/**
 * What happened in a session. `finished`: a turn ended successfully. `interrupted`: the user interrupted a turn.
 * `failed`: a turn ended with an error. `limit`: a usage limit cut off a turn. `asked`: the session asked a question.
 * `stuck`: a turn showed no sign of life. `stopped`: Claude Code ended.
 */
export const CatchupKind = z.enum(['finished', 'interrupted', 'failed', 'limit', 'asked', 'stuck', 'stopped']);
export type CatchupKind = z.infer<typeof CatchupKind>;

/** The place in a recording where an event can be seen. */
export const CatchupReplay = z
  .object({
    recording: z
      .string()
      .meta({ description: 'the name of the session, or SLUG.N for one that a restart moved aside' }),
    t: z.number().min(0).meta({ description: 'seconds from the start of the recording' }),
  })
  .meta({ id: 'CatchupReplay' });
export type CatchupReplay = z.infer<typeof CatchupReplay>;

export const CatchupEvent = z
  .object({
    at: Timestamp,
    kind: CatchupKind,
    question: QuestionKind.nullable().meta({
      description:
        'for `asked`: the kind of question; a `question` may also have been asked in the text at the end of a turn',
    }),
    lasted_ms: z.int().nullable().meta({ description: 'how long it lasted; null if it is still going on' }),
    replay: CatchupReplay.nullable().meta({
      description: 'null for a JSON session, or if no recording shows the event',
    }),
  })
  .meta({ id: 'CatchupEvent' });
export type CatchupEvent = z.infer<typeof CatchupEvent>;

export const CatchupSession = z
  .object({
    session: z.string(),
    asks: z.boolean().meta({ description: 'whether a question is open now' }),
    finished: z.int().meta({ description: 'how many turns ended without an error, not counting interrupted turns' }),
    reply: z.string().nullable().meta({ description: "the first lines of the session's last reply" }),
    changes: z.object({ files: z.int(), added: z.int(), removed: z.int() }).nullable().meta({
      description:
        "What the session's turns changed; a file counts once for each turn that changed it. null if the files of the turns are not saved",
    }),
    cost_usd: z.number().nullable().meta({ description: 'null if nothing reported the cost' }),
    is_cost_by_day: z.boolean().meta({
      description:
        'whether the cost covers whole days, beginning with the day of `since`, because a session in a terminal reports its costs only by day',
    }),
    events: z.array(CatchupEvent).meta({ description: 'Oldest first; at most the last 100' }),
  })
  .meta({ id: 'CatchupSession' });
export type CatchupSession = z.infer<typeof CatchupSession>;

/** What happened while the user was away. */
export const Catchup = z
  .object({
    since: Timestamp,
    from: z.enum(['request', 'away', 'day']).meta({
      description:
        'where `since` comes from: the request, the time when the person last used CBOS or, if that is unknown, 24 hours ago',
    }),
    sessions: z
      .array(CatchupSession)
      .meta({ description: 'Sessions with an open question come first; otherwise, the most recently changed first' }),
  })
  .meta({ id: 'Catchup' });
export type Catchup = z.infer<typeof Catchup>;

/** The part of the REST interface that reports what happened while the user was away. */
export const CATCHUP_ROUTES = {
  catchup: {
    method: 'get',
    path: '/catchup',
    who: 'session',
    summary:
      'What the sessions did while the person was away: which ones finished, asked or got stuck, and what changed',
    query: z.strictObject({
      since: Timestamp.optional().meta({ description: 'Default: the time when the person last used CBOS' }),
    }),
    response: Catchup,
  },
} as const satisfies Record<string, RouteRow>;
