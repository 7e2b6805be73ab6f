import { z } from 'zod';
import { ErrorBody } from './error-body.ts';
import { Timestamp } from './words.ts';

/** How a terminal session was lost, which means that its processes are gone although nobody ended it. */
export const LOSSES = [
  /** the machine was rebooted */
  'reboot',
  /** the session's Screen daemon was killed */
  'screen_killed',
  /** a signal ended the session while no server was running, for example when the user logged out */
  'signal',
  /** the session disappeared while no server was running, and Claude Code did not report its end */
  'vanished',
  /** the session ended at about the same time as the server */
  'shutdown',
] as const;
export const Loss = z.enum(LOSSES);
export type Loss = z.infer<typeof Loss>;

/** Why a session will not be restored. */
export const RESTORE_REFUSALS = [
  'running',
  'parked',
  /** it is a JSON session, which needs no process between turns */
  'json',
  /** the user ended it, or it ended on its own */
  'ended',
  /** another program started the session, and CBOS only observed it */
  'observed',
  'folder_gone',
  'worktree_gone',
  /** its arguments select a conversation or contain a prompt, which launching it again would repeat */
  'own_arguments',
  /** another session of this home has the same conversation */
  'shared',
  /** its conversation is open in a running Claude Code */
  'in_use',
  /** it had a conversation, but Claude Code did not save it */
  'no_conversation',
  /** the server has already tried to restore it several times */
  'gave_up',
] as const;
export const RestoreRefusal = z.enum(RESTORE_REFUSALS);
export type RestoreRefusal = z.infer<typeof RestoreRefusal>;

export const RestoreOutcome = z.enum(['planned', 'restoring', 'restored', 'left', 'failed', 'not_tried']);
export type RestoreOutcome = z.infer<typeof RestoreOutcome>;

/** One session in a restoration. */
export const RestoredSession = z
  .object({
    session: z.string(),
    outcome: RestoreOutcome.meta({
      description: '`not_tried`: too many earlier launches failed, or the server was stopped',
    }),
    lost: Loss.nullable().meta({ description: "How the session was lost; null for a session that isn't lost" }),
    how: z.enum(['resume', 'anew']).nullable().meta({
      description:
        'Whether the session continues its conversation, or starts a new one because it never had one; null for a session that is not restored',
    }),
    reason: RestoreRefusal.nullable().meta({ description: 'Why the session is not restored' }),
    error: ErrorBody.nullable().meta({ description: 'Why restoring the session failed' }),
  })
  .meta({ id: 'RestoredSession' });
export type RestoredSession = z.infer<typeof RestoredSession>;

/** The progress of a restoration. */
export const Restoration = z
  .object({
    id: z.string().nullable().meta({ description: 'null for a plan, or if there was no restoration' }),
    state: z.enum(['none', 'planned', 'running', 'done', 'stopped']).meta({
      description: '`stopped`: launches failed repeatedly, so CBOS did not try the rest',
    }),
    by_itself: z
      .boolean()
      .meta({ description: 'Whether the server started the restoration because of the setting `restore.at_start`' }),
    started_at: Timestamp.nullable(),
    sessions: z.array(RestoredSession),
  })
  .meta({ id: 'Restoration' });
export type Restoration = z.infer<typeof Restoration>;

export const NewRestoration = z.strictObject({
  sessions: z.array(z.string()).min(1).optional().meta({ description: 'Default: all lost sessions' }),
  dry_run: z.boolean().optional().meta({ description: 'Only report what would be done' }),
});
export type NewRestoration = z.infer<typeof NewRestoration>;
