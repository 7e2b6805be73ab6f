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

/** What a browser gets for signing in, beside the cookie: the key by which it knows its server again, and is known. */
export const NewSignIn = SignedIn.extend({
  id: z.string().meta({ description: 'Names the sign-in; no secret' }),
  key: z.string().meta({ description: 'Makes proofs (HMAC-SHA-256, its text as UTF-8); kept by the page, sent never' }),
  pass: z.string().meta({ description: 'The first pass' }),
}).meta({ id: 'NewSignIn' });
export type NewSignIn = z.infer<typeof NewSignIn>;

const Nonce = z.string().min(20).max(200);

/** A page asks who answers, before it sends anything that is worth something. */
export const Challenge = z.strictObject({ id: z.string().min(1).max(100), nonce: Nonce }).meta({ id: 'Challenge' });
export type Challenge = z.infer<typeof Challenge>;

/** The server's proof that it has the sign-in's key, and what the page has to prove the same with. */
export const ChallengeAnswer = z.object({ nonce: Nonce, proof: z.string() }).meta({ id: 'ChallengeAnswer' });
export type ChallengeAnswer = z.infer<typeof ChallengeAnswer>;

/** The page's proof: both nonces, and the code that its key makes of them. */
export const PassRequest = z
  .strictObject({ id: z.string().min(1).max(100), nonce: Nonce, server_nonce: Nonce, proof: z.string().max(200) })
  .meta({ id: 'PassRequest' });
export type PassRequest = z.infer<typeof PassRequest>;

/** What a page's requests carry beside the cookie, for an hour at most and never longer than the server runs. */
export const Pass = z.object({ pass: z.string() }).meta({ id: 'Pass' });
export type Pass = z.infer<typeof Pass>;

/** The header that carries the pass, and for WebSockets the prefix of the subprotocol that does. */
export const PASS_HEADER = 'cbos-pass';
export const PASS_SUBPROTOCOL_PREFIX = 'pass.';

/**
 * The text that one side proves to have the key with. It names the side, so that no proof can be sent back, and the
 * page's origin, so that a program on another port cannot pass the server's proofs on.
 */
export function proofText(side: 'server' | 'page', handshake: Omit<PassRequest, 'proof'> & { origin: string }): string {
  const { origin, id, nonce, server_nonce } = handshake;
  return ['cbos', side, origin, id, nonce, server_nonce].join('\n');
}

/** A code that signs one browser in, once. */
export const SignInLink = z.object({ code: z.string(), expires_at: Timestamp }).meta({ id: 'SignInLink' });
export type SignInLink = z.infer<typeof SignInLink>;
