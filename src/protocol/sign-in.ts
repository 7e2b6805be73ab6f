import { z } from 'zod';
import { Timestamp } from './words.ts';

/** The request with which a page signs in. It contains the code from a one-time link, or the token. */
export const SignIn = z
  .strictObject({ code: z.string().min(1).max(200).optional(), token: z.string().min(1).max(10_000).optional() })
  .refine(({ code, token }) => (code === undefined) !== (token === undefined), {
    error: 'needs either code or token',
  })
  .meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof SignIn>;

/** A browser's sign-in. The page cannot read the cookie itself. */
export const SignedIn = z
  .object({
    expires_at: Timestamp.nullable().meta({ description: 'When the cookie expires; null for a client with the token' }),
    version: z.string().meta({ description: "The server's version" }),
    public_url: z.string().nullable().meta({ description: "The page's address for other machines; null if not set" }),
  })
  .meta({ id: 'SignedIn' });
export type SignedIn = z.infer<typeof SignedIn>;

/**
 * The response to a sign-in. In addition to the cookie, the browser gets the key with which it and the server recognize
 * each other.
 */
export const NewSignIn = SignedIn.extend({
  id: z.string().meta({ description: 'The id of the sign-in; not secret' }),
  key: z.string().meta({
    description: 'The key for proofs (HMAC-SHA-256, its text as UTF-8); the page keeps it and never sends it',
  }),
  pass: z.string().meta({ description: 'The first pass' }),
}).meta({ id: 'NewSignIn' });
export type NewSignIn = z.infer<typeof NewSignIn>;

const Nonce = z.string().min(20).max(200);

/** A page's request that the server prove its identity, before the page sends anything sensitive. */
export const Challenge = z.strictObject({ id: z.string().min(1).max(100), nonce: Nonce }).meta({ id: 'Challenge' });
export type Challenge = z.infer<typeof Challenge>;

/** The server's proof that it has the key of the sign-in, and the nonce for the page's own proof. */
export const ChallengeAnswer = z.object({ nonce: Nonce, proof: z.string() }).meta({ id: 'ChallengeAnswer' });
export type ChallengeAnswer = z.infer<typeof ChallengeAnswer>;

/** The page's proof: both nonces, and the authentication code that the page computes from them with its key. */
export const PassRequest = z
  .strictObject({ id: z.string().min(1).max(100), nonce: Nonce, server_nonce: Nonce, proof: z.string().max(200) })
  .meta({ id: 'PassRequest' });
export type PassRequest = z.infer<typeof PassRequest>;

/**
 * The pass that a page sends with its requests in addition to the cookie. It is valid for at most an hour, and becomes
 * invalid when the server stops.
 */
export const Pass = z.object({ pass: z.string() }).meta({ id: 'Pass' });
export type Pass = z.infer<typeof Pass>;

/**
 * The name of the header that contains the pass. For WebSockets, it is also the prefix of the subprotocol that contains
 * the pass.
 */
export const PASS_HEADER = 'cbos-pass';
export const PASS_SUBPROTOCOL_PREFIX = 'pass.';

/**
 * Returns the string that one side authenticates in order to prove that it has the key. The string names the side,
 * because the other side could otherwise just send the same proof back. It also names the page's origin, because a
 * program on another port could otherwise relay the server's proofs.
 */
export function proofText(side: 'server' | 'page', handshake: Omit<PassRequest, 'proof'> & { origin: string }): string {
  const { origin, id, nonce, server_nonce } = handshake;
  return ['cbos', side, origin, id, nonce, server_nonce].join('\n');
}

/** A code with which one browser can sign in, once. */
export const SignInLink = z.object({ code: z.string(), expires_at: Timestamp }).meta({ id: 'SignInLink' });
export type SignInLink = z.infer<typeof SignInLink>;
