import { z } from 'zod';
import { DELIVERY_PHASES, DELIVERY_STATUSES } from './delivery-phases.ts';
import { Timestamp } from './words.ts';

export const DeliveryStatus = z.enum(DELIVERY_STATUSES);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export type DeliveryPhase = keyof typeof DELIVERY_PHASES;
export const DeliveryPhase = z.enum(Object.keys(DELIVERY_PHASES) as [DeliveryPhase, ...DeliveryPhase[]]);

/**
 * The phase of a delivery, as clients see it. `over_budget` means that the message is held because a budget has been
 * used up. This phase is never stored, because it ends automatically when the budget's day is over.
 */
export const ShownPhase = z.enum([...DeliveryPhase.options, 'over_budget']);
export type ShownPhase = z.infer<typeof ShownPhase>;

/** A message on its way to a session's prompt, with its outcome. */
export const Delivery = z
  .object({
    id: z.string(),
    session: z.string(),
    text: z.string(),
    status: DeliveryStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
    removed: z.int().meta({ description: 'How many control characters were removed from the prompt' }),
    from: z.string().optional().meta({
      description: 'The session from which the prompt was sent, `?` if unknown; absent if a person sent it',
    }),
    phase: ShownPhase.optional().meta({
      description:
        'How far the delivery has progressed; each phase belongs to one status. Older servers omit this field',
    }),
    note: z.string().nullable().meta({ description: 'Anything else that happened to the delivery, beyond its status' }),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof Delivery>;
