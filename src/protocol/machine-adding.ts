import { z } from 'zod';
import { ErrorBody } from './error-body.ts';
import { JoinFleet, Member } from './machines.ts';

/**
 * The conversation between `cbos fleet add` and `cbos fleet receive` on the machine that it adds, over ssh. Each
 * message is one line. The login shell there may print other lines, so each line of the conversation has a prefix.
 */
const PREFIX = 'cbos-fleet-add-1 ';

/** What the machine that is added says. */
export const AddedSays = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('hello'),
    /** the version of CBOS, for display */
    cbos: z.string().max(64),
    /** whether its server was started just now */
    started: z.boolean(),
    /** the fleet to which the machine belongs, or null */
    fleet: z.object({ machine: Member.shape.name, founder: Member.shape.id.nullable() }).nullable(),
  }),
  z.object({ kind: z.literal('reached'), reachable: z.boolean() }),
  z.object({ kind: z.literal('joined'), id: Member.shape.id, name: Member.shape.name }),
  z.object({ kind: z.literal('kept') }),
  z.object({ kind: z.literal('left') }),
  z.object({ kind: z.literal('failed'), error: ErrorBody }),
]);
export type AddedSays = z.infer<typeof AddedSays>;

/** What the founder asks. If the conversation ends after `join` without `keep`, the machine leaves the fleet again. */
export const AddingAsks = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('reach'), host: z.string().min(1).max(260), port: z.int().min(1).max(65_535) }),
  z.object({ kind: z.literal('join'), request: JoinFleet }),
  z.object({ kind: z.literal('keep') }),
]);
export type AddingAsks = z.infer<typeof AddingAsks>;

export const addingLine = (message: AddedSays | AddingAsks): string => `${PREFIX}${JSON.stringify(message)}`;

/** Reads a line of the conversation. Returns undefined for any other line, and null for a message that is not valid. */
export function readAddingLine<T extends AddedSays | AddingAsks>(
  line: string,
  schema: z.ZodType<T>,
): T | null | undefined {
  if (!line.startsWith(PREFIX)) return undefined;
  try {
    return schema.safeParse(JSON.parse(line.slice(PREFIX.length))).data ?? null;
  } catch {
    return null; // The other machine may write anything.
  }
}
