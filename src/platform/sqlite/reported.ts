import { z } from 'zod';

/** What Claude Code itself has reported about a session's conversation, and about the folder in which it works. */
export const Reported = z.object({
  /** the path of the conversation's transcript; null if nothing has reported it yet */
  transcript: z.string().nullable(),
  /** Claude Code's configuration directory, which a wrapper may have chosen; null if unknown */
  configDir: z.string().nullable(),
  /** the session's place, if that is not the folder in which it was started */
  place: z.string().nullable(),
  /** whether a launch without this conversation would lose something: an answer, or a turn that no hook reports */
  isBegun: z.boolean(),
  /** whether a turn has ended in this launch although no hook has reported */
  isSilent: z.boolean().default(false),
  /** what the launch asked Claude Code to do, until Claude Code reports that it has done so; otherwise null */
  asked: z.enum(['resume', 'fork']).nullable().default(null),
  /** the conversation that Claude Code began instead of the one that the launch asked for; null if there is none */
  instead: z.string().nullable().default(null),
});
export type Reported = z.infer<typeof Reported>;

/** What is known before Claude Code has reported anything. */
export const NOTHING_REPORTED: Reported = {
  transcript: null,
  configDir: null,
  place: null,
  isBegun: false,
  isSilent: false,
  asked: null,
  instead: null,
};
