import { z } from 'zod';
import { Timestamp } from './words.ts';

/** The request from a page that signs in: the code from a one-time link, or the token. */
export const SignIn = z
  .strictObject({ code: z.string().min(1).max(200).optional(), token: z.string().min(1).max(10_000).optional() })
  .refine(({ code, token }) => (code === undefined) !== (token === undefined), {
    error: 'needs either code or token',
  })
  .meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof SignIn>;

/** A browser's sign-in. The cookie itself is not accessible to the page. */
export const SignedIn = z
  .object({
    expires_at: Timestamp.nullable().meta({ description: 'When the cookie expires; null for a client with the token' }),
    version: z.string().meta({ description: "The server's version" }),
    public_url: z.string().nullable().meta({ description: "The page's address for other machines; null if not set" }),
  })
  .meta({ id: 'SignedIn' });
export type SignedIn = z.infer<typeof SignedIn>;

/**
 * The response to a sign-in, in addition to the cookie: the key with which the browser and its server recognise each
 * other.
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

/** A page's request for proof of the server's identity, before the page sends anything valuable. */
export const Challenge = z.strictObject({ id: z.string().min(1).max(100), nonce: Nonce }).meta({ id: 'Challenge' });
export type Challenge = z.infer<typeof Challenge>;

/** The server's proof that it has the sign-in's key, and the nonce for the page's own proof. */
export const ChallengeAnswer = z.object({ nonce: Nonce, proof: z.string() }).meta({ id: 'ChallengeAnswer' });
export type ChallengeAnswer = z.infer<typeof ChallengeAnswer>;

/** The page's proof: both nonces, and the code that the page's key computes from them. */
export const PassRequest = z
  .strictObject({ id: z.string().min(1).max(100), nonce: Nonce, server_nonce: Nonce, proof: z.string().max(200) })
  .meta({ id: 'PassRequest' });
export type PassRequest = z.infer<typeof PassRequest>;

/**
 * The pass that a page's requests contain in addition to the cookie. It is valid for at most an hour, and never longer
 * than the server runs.
 */
export const Pass = z.object({ pass: z.string() }).meta({ id: 'Pass' });
export type Pass = z.infer<typeof Pass>;

/**
 * The header that contains the pass. For WebSockets, the same word is the prefix of the subprotocol that contains the
 * pass.
 */
export const PASS_HEADER = 'cbos-pass';
export const PASS_SUBPROTOCOL_PREFIX = 'pass.';

/**
 * Returns the string that one side signs to prove that it has the key. The string names the side, because a proof could
 * otherwise be sent back. It also names the page's origin, because a program on another port could otherwise forward
 * the server's proofs.
 */
export function proofText(side: 'server' | 'page', handshake: Omit<PassRequest, 'proof'> & { origin: string }): string {
  const { origin, id, nonce, server_nonce } = handshake;
  return ['cbos', side, origin, id, nonce, server_nonce].join('\n');
}

/** A code that signs in one browser, once. */
export const SignInLink = z.object({ code: z.string(), expires_at: Timestamp }).meta({ id: 'SignInLink' });
export type SignInLink = z.infer<typeof SignInLink>;
