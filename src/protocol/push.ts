import { z } from 'zod';

/**
 * The maximum length of a push service's address. Longer ones have not been seen, and browsers' addresses are a few
 * hundred characters long.
 */
const MAX_ENDPOINT = 2_000;

/** A browser vendor's push service, or one on this machine. */
const Endpoint = z
  .url()
  .max(MAX_ENDPOINT)
  .regex(/^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost)(:\d+)?\/)/, {
    error: 'must use https, or be on this machine',
  });

/** The result of a browser's `PushSubscription.toJSON()`. */
export const PushSubscription = z
  .strictObject({
    endpoint: Endpoint,
    expirationTime: z.number().nullable().optional(),
    keys: z.strictObject({ p256dh: z.base64url().max(200), auth: z.base64url().max(100) }),
  })
  .meta({ id: 'PushSubscription' });
export type PushSubscription = z.infer<typeof PushSubscription>;

export const PushSubscriber = z.strictObject({ endpoint: Endpoint });

export const PushKey = z.object({ public_key: z.string() }).meta({ id: 'PushKey' });

/** A message encrypted for the browser. Its service worker shows the message. */
export interface PushMessage {
  session: string;
  title: string;
  body: string;
}
