import { createPrivateKey, createPublicKey, type KeyObject, sign as signBytes, verify } from 'node:crypto';
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

/**
 * Signs a string with the key of a seed. Node signs, because the library's own JavaScript takes ten times as long, and
 * a fleet on a shared NATS server signs every message.
 */
export function sign(seed: string, text: string): string {
  return signBytes(null, Buffer.from(text), privateKeyOf(seed)).toString('base64url');
}

/** Reports whether the owner of a public key signed this string. */
export function isSignedBy(id: string, text: string, signature: string): boolean {
  try {
    return verify(null, Buffer.from(text), publicKeyObject(id), Buffer.from(signature, 'base64url'));
  } catch {
    return false; // this is not a public key, or not a signature
  }
}

/**
 * How many keys to keep in Node's form, which is more than a fleet has. Anybody with access to a shared NATS server can
 * send messages with new keys.
 */
const MOST_KEPT = 1_000;

/**
 * Keeps the results of a function. OpenSSL 3 takes 0.4 ms to read a private key and 0.1 ms to read a public one, which
 * is longer than it takes to sign and to check a message.
 */
function kept(read: (encoded: string) => KeyObject): (encoded: string) => KeyObject {
  const keys = new Map<string, KeyObject>();
  return (encoded) => {
    let key = keys.get(encoded);
    if (key !== undefined) return key;
    key = read(encoded);
    if (keys.size >= MOST_KEPT) keys.clear();
    keys.set(encoded, key);
    return key;
  };
}

const privateKeyOf = kept((seed) =>
  createPrivateKey({ key: der(PRIVATE, seed, SEED_PREFIX_BYTES), format: 'der', type: 'pkcs8' }),
);

const publicKeyObject = kept((id) => {
  // The library checks the kind of the key, and its checksum.
  fromPublic(id);
  return createPublicKey({ key: der(PUBLIC, id, PUBLIC_PREFIX_BYTES), format: 'der', type: 'spki' });
});

/** The beginnings of an Ed25519 key in DER, which the 32 bytes of the key follow (RFC 8410). */
const PRIVATE = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;
/** How many bytes of an encoded seed and of an encoded public key say what it is. */
const SEED_PREFIX_BYTES = 2;
const PUBLIC_PREFIX_BYTES = 1;

/** Returns a key of NATS, which is base32 with a prefix and a checksum, in the form that Node reads. */
function der(beginning: Buffer, encoded: string, prefixBytes: number): Buffer {
  return Buffer.concat([beginning, fromBase32(encoded).subarray(prefixBytes, prefixBytes + KEY_BYTES)]);
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export const seedBytes = (seed: string): Uint8Array => Buffer.from(seed, 'latin1');
