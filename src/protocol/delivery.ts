import { z } from 'zod';
import { DELIVERY_PHASES, DELIVERY_STATUSES } from './delivery-phases.ts';
import { Timestamp } from './words.ts';

export const DeliveryStatus = z.enum(DELIVERY_STATUSES);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export type DeliveryPhase = keyof typeof DELIVERY_PHASES;
export const DeliveryPhase = z.enum(Object.keys(DELIVERY_PHASES) as [DeliveryPhase, ...DeliveryPhase[]]);

/** A text that is being sent to a session's prompt, with its outcome. */
export const Delivery = z
  .object({
    id: z.string(),
    session: z.string(),
    text: z.string(),
    status: DeliveryStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
    removed: z.int().meta({ description: 'How many control characters were taken out of the text' }),
    from: z.string().optional().meta({
      description: 'The session inside which it was sent, `?` where that is not known; left out: by a person',
    }),
    phase: DeliveryPhase.optional().meta({
      description: 'Where it is on its way; each phase belongs to one status. Left out by servers of before',
    }),
    note: z.string().nullable().meta({ description: 'What happened to it that its status does not say' }),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof Delivery>;
