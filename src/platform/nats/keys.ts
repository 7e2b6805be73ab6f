import { createUser, fromPublic, fromSeed } from '@nats-io/nkeys';

/** A pair of Ed25519 keys in the format that NATS uses. The seed is secret. */
export interface MachineKey {
  id: string;
  seed: string;
}

export function createKey(): MachineKey {
  const pair = createUser();
  return { id: pair.getPublicKey(), seed: Buffer.from(pair.getSeed()).toString('latin1') };
}

/** Returns the public key of a seed, or null if the string is not a seed. */
export function publicKeyOf(seed: string): string | null {
  try {
    return fromSeed(seedBytes(seed)).getPublicKey();
  } catch {
    // The string came from outside, and the library throws an error for anything that is wrong with it.
    return null;
  }
}

/** Signs a string with the key of a seed. */
export function sign(seed: string, text: string): string {
  return Buffer.from(fromSeed(seedBytes(seed)).sign(Buffer.from(text))).toString('base64url');
}

/** Reports whether the owner of a public key signed this string. */
export function isSignedBy(id: string, text: string, signature: string): boolean {
  try {
    return fromPublic(id).verify(Buffer.from(text), Buffer.from(signature, 'base64url'));
  } catch {
    return false; // this is not a public key, or not a signature
  }
}

export const seedBytes = (seed: string): Uint8Array => Buffer.from(seed, 'latin1');
