import { z } from 'zod';
import { Timestamp } from './words.ts';

/** What a page shows to be let in: the code of a one-time link, or the token. */
export const SignIn = z
  .strictObject({ code: z.string().min(1).max(200).optional(), token: z.string().min(1).max(10_000).optional() })
  .refine(({ code, token }) => (code === undefined) !== (token === undefined), {
    error: 'needs either code or token',
  })
  .meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof SignIn>;

/** Who is signed in; the cookie itself is out of a page's reach. */
export const SignedIn = z
  .object({
    expires_at: Timestamp.nullable().meta({ description: 'When the cookie ends; null for a client with the token' }),
    version: z.string().meta({ description: "The server's version" }),
    public_url: z.string().nullable().meta({ description: 'Where other machines find the page, null when not set' }),
  })
  .meta({ id: 'SignedIn' });
export type SignedIn = z.infer<typeof SignedIn>;

/** A code that signs one browser in, once. */
export const SignInLink = z.object({ code: z.string(), expires_at: Timestamp }).meta({ id: 'SignInLink' });
export type SignInLink = z.infer<typeof SignInLink>;

/**
 * The link that a code makes. The code stands behind `#`: browsers keep that part to themselves, so no log and no
 * `Referer` ever has it.
 * @param address `http://HOST:PORT`
 */
export function signInUrl(address: string, code: string): string {
  return `${address.replace(/\/+$/, '')}/#/sign-in/${code}`;
}
