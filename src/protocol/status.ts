import { z } from 'zod';
import { Question } from './question.ts';
import { DETAIL_NAMES, PRIMARIES, STATES } from './status-words.ts';
import { Timestamp } from './words.ts';

export const Primary = z.enum(PRIMARIES);
export type Primary = z.infer<typeof Primary>;

export const Detail = z.enum(DETAIL_NAMES);
export type Detail = z.infer<typeof Detail>;

export const State = z.enum(STATES);
export type State = z.infer<typeof State>;

export const Health = z.enum(['ALIVE', 'STUCK', 'RECOVERED', 'DEAD']);
export type Health = z.infer<typeof Health>;

export const EvidenceSource = z.enum(['hook', 'registry', 'screen', 'process', 'json', 'user', 'none']);
export type EvidenceSource = z.infer<typeof EvidenceSource>;

/** The source and the rule that determined a status, and the text that the rule read. */
export const Because = z
  .object({ source: EvidenceSource, rule: z.string(), evidence: z.string() })
  .meta({ id: 'Because' });
export type Because = z.infer<typeof Because>;

export const Status = z
  .object({
    primary: Primary.nullable(),
    detail: Detail.nullable(),
    health: Health,
    since: Timestamp.meta({ description: 'When this combination of primary and detail began' }),
    unchanged_ms: z.number().meta({ description: 'Time since anything changed, including a spinner' }),
    quiet_ms: z.number().meta({ description: 'Time since anything except a spinner and its clock changed' }),
    because: Because,
    question: Question.nullable().meta({ description: 'The open question; if several are open, the oldest' }),
    questions: z.array(Question).optional().meta({
      description: 'All open questions, oldest first, each with its asker; missing if the server is older',
    }),
    interrupted: z.literal(true).optional().meta({
      description:
        'The session is idle because its last turn was interrupted: by Esc, by `POST /sessions/{slug}/interrupt`, by an answer no, or by a hook of a tool call that stops the turn; absent otherwise',
    }),
  })
  .meta({ id: 'Status' });
export type Status = z.infer<typeof Status>;
