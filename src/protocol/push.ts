import { z } from 'zod';

/** Longer addresses of push services have not been seen; browsers' own are a few hundred characters. */
const MAX_ENDPOINT = 2_000;

/** A push service of a browser's maker, or one on this machine. */
const Endpoint = z
  .url()
  .max(MAX_ENDPOINT)
  .regex(/^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost)(:\d+)?\/)/, { error: 'must be https, or on this machine' });

/** As `PushSubscription.toJSON()` of a browser gives it. */
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

/** What is sent, encrypted for the browser: what its service worker shows. */
export interface PushMessage {
  session: string;
  title: string;
  body: string;
}
