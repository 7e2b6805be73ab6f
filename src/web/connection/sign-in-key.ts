import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { NewSignIn } from '../../protocol/index.ts';

/** The key by which this browser and its server recognize each other. */
export interface SignInKey {
  id: string;
  /** Computes the authentication code of a string with the key: HMAC-SHA-256, in hexadecimal. */
  prove(text: string): Promise<string>;
}

const DATABASE = 'cbos';
const STORE = 'sign-in';
/**
 * The name under which the key is stored. It is always the same, because a browser has only one sign-in per address.
 */
const ONLY = 'current';
const PLAIN = 'cbos.sign-in';

interface Kept {
  id: string;
  key: CryptoKey;
}

/**
 * Holds the key until it has been stored. If the browser cannot store it (in a private window, or because of a policy),
 * the key lasts as long as the page is open.
 */
let unkept: SignInKey | null = null;

/** Read the key each time, because another tab may have signed in again. */
export async function loadSignInKey(): Promise<SignInKey | null> {
  return unkept ?? (await loadSealed()) ?? loadPlain();
}

/**
 * Stores the key in a form that scripts can use but cannot read. If another program serves a page at this address while
 * the server is down, it cannot steal the key. Browsers support this only for local addresses and over HTTPS, and
 * Firefox not in private windows. Where it is not supported, the key is stored as text.
 */
export async function keepSignInKey({ id, key }: Pick<NewSignIn, 'id' | 'key'>): Promise<void> {
  unkept = plainKey({ id, key });
  try {
    const sealed = await crypto.subtle.importKey('raw', encode(key), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
    ]);
    const kept: Kept = { id, key: sealed };
    await inStore('readwrite', (store) => store.put(kept, ONLY));
  } catch {
    // The browser does not support this, so store the key as text.
    keepPlain({ id, key });
    return;
  }
  unkept = null;
}

function keepPlain(signIn: Pick<NewSignIn, 'id' | 'key'>): void {
  try {
    localStorage.setItem(PLAIN, JSON.stringify(signIn));
    unkept = null;
  } catch {
    // The key then lasts only as long as this page is open.
  }
}

export async function forgetSignInKey(): Promise<void> {
  unkept = null;
  try {
    localStorage.removeItem(PLAIN);
    await inStore('readwrite', (store) => store.delete(ONLY));
  } catch {
    // If the key was never stored, there is nothing to remove.
  }
}

async function loadSealed(): Promise<SignInKey | null> {
  try {
    const kept = (await inStore('readonly', (store) => store.get(ONLY))) as Kept | undefined;
    if (kept === undefined) return null;
    return { id: kept.id, prove: async (text) => hex(await crypto.subtle.sign('HMAC', kept.key, encode(text))) };
  } catch {
    return null;
  }
}

function loadPlain(): SignInKey | null {
  try {
    const text = localStorage.getItem(PLAIN);
    return text === null ? null : plainKey(JSON.parse(text) as Pick<NewSignIn, 'id' | 'key'>);
  } catch {
    return null;
  }
}

function plainKey({ id, key }: Pick<NewSignIn, 'id' | 'key'>): SignInKey {
  return { id, prove: async (text) => bytesToHex(hmac(sha256, utf8ToBytes(key), utf8ToBytes(text))) };
}

function inStore<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction(STORE, mode);
      const asked = ask(transaction.objectStore(STORE));
      transaction.oncomplete = () => {
        database.close();
        resolve(asked.result);
      };
      transaction.onabort = () => {
        database.close();
        reject(transaction.error);
      };
    };
  });
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

function hex(bytes: ArrayBuffer): string {
  return bytesToHex(new Uint8Array(bytes));
}
