import { z } from 'zod';

/**
 * The maximum length of a push service's address. The addresses that browsers use are a few hundred characters long,
 * and none longer than this limit has been seen.
 */
const MAX_ENDPOINT = 2_000;

/** The address of a push service, which is either a browser vendor's or one on this machine. */
const Endpoint = z
  .url()
  .max(MAX_ENDPOINT)
  .regex(/^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost)(:\d+)?\/)/, {
    error: 'must use https, or be on this machine',
  });

/** A browser's push subscription, as returned by `PushSubscription.toJSON()`. */
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

/** A push message, which is encrypted for the browser and shown by the page's service worker. */
export interface PushMessage {
  session: string;
  title: string;
  body: string;
}
