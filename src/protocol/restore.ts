import { z } from 'zod';
import { ErrorBody } from './error-body.ts';
import { Timestamp } from './words.ts';

/** How a session in a terminal was lost: its processes are gone, and nobody ended it. */
export const LOSSES = [
  /** the machine was started anew */
  'reboot',
  /** Screen's daemon was killed under it */
  'screen_killed',
  /** a signal ended it while no server ran, as the end of a login does */
  'signal',
  /** it vanished while no server ran, without a word of Claude Code's */
  'vanished',
  /** it ended in the moments in which the server was ended too */
  'shutdown',
] as const;
export const Loss = z.enum(LOSSES);
export type Loss = z.infer<typeof Loss>;

/** Why a session is not brought back. */
export const RESTORE_REFUSALS = [
  'running',
  'parked',
  /** a JSON session needs no process while it waits */
  'json',
  /** a person or the session itself ended it */
  'ended',
  /** something else started it, and CBOS only observed it */
  'observed',
  'folder_gone',
  'worktree_gone',
  /** its own arguments choose a conversation, or send a prompt: a launch would do that again */
  'own_arguments',
  /** another session of this home has its conversation */
  'shared',
  /** a Claude Code that runs has its conversation open */
  'in_use',
  /** it had a conversation, and Claude Code has nothing saved of it */
  'no_conversation',
  /** the server has tried several times by itself */
  'gave_up',
] as const;
export const RestoreRefusal = z.enum(RESTORE_REFUSALS);
export type RestoreRefusal = z.infer<typeof RestoreRefusal>;

export const RestoreOutcome = z.enum(['planned', 'restoring', 'restored', 'left', 'failed', 'not_tried']);
export type RestoreOutcome = z.infer<typeof RestoreOutcome>;

/** One session of a restoration. */
export const RestoredSession = z
  .object({
    session: z.string(),
    outcome: RestoreOutcome.meta({
      description: '`not_tried`: too many launches before it had failed, or the server was ended',
    }),
    lost: Loss.nullable().meta({ description: 'How it was lost; null for a session that is not' }),
    how: z.enum(['resume', 'anew']).nullable().meta({
      description: 'On its conversation, or anew where it never had one; null for a session that is left',
    }),
    reason: RestoreRefusal.nullable().meta({ description: 'Why it is left' }),
    error: ErrorBody.nullable().meta({ description: 'Why it failed' }),
  })
  .meta({ id: 'RestoredSession' });
export type RestoredSession = z.infer<typeof RestoredSession>;

/** A restoration as it stands. */
export const Restoration = z
  .object({
    id: z.string().nullable().meta({ description: 'null for a plan, and where there was none' }),
    state: z.enum(['none', 'planned', 'running', 'done', 'stopped']).meta({
      description: '`stopped`: launches failed again and again, so the rest was not tried',
    }),
    by_itself: z.boolean().meta({ description: 'Whether the server began it, by the setting `restore.at_start`' }),
    started_at: Timestamp.nullable(),
    sessions: z.array(RestoredSession),
  })
  .meta({ id: 'Restoration' });
export type Restoration = z.infer<typeof Restoration>;

export const NewRestoration = z.strictObject({
  sessions: z.array(z.string()).min(1).optional().meta({ description: 'All lost ones when left out' }),
  dry_run: z.boolean().optional().meta({ description: 'Only says what would be done' }),
});
export type NewRestoration = z.infer<typeof NewRestoration>;
