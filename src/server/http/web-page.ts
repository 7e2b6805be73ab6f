import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * What the page may do: run its own scripts and communicate with its own server, and nothing else. It never contacts
 * another host. The page may contain inline styles, because xterm.js writes its colours that way. Inline scripts are
 * forbidden, and no text becomes markup (`trusted-types`), so the output of a session can cause neither.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types cbos',
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/**
 * The file with which the server answers the update of every service worker. That includes a worker that another
 * program left under an address and a scope of its own.
 */
export const SERVICE_WORKER = '/service-worker.js';

/** The names in this folder contain a hash of their content, so a browser never requests them twice. */
const HASHED_FOLDER = '/assets/';
const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

/** The encodings, best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

interface PageFile {
  type: string;
  etag: string;
  /** as built; null if only compressed ones are kept */
  plain: Uint8Array | null;
  encoded: Map<string, Uint8Array>;
}

/** The built web page. */
export interface WebPage {
  /** Reports whether a path names one of its files. `/` does not count, because other programs get a text there. */
  has(path: string): boolean;
  /** The answer to a GET of a path; null if the path does not belong to the page. */
  answer(path: string, request: Request): Response | null;
}

/**
 * Reads all files into memory (1.5 MB, compressed). An update may remove them while the server is running, and a page
 * that was loaded before still needs its parts.
 * @param dir null or a missing directory means a server without a page
 */
export function readWebPage(dir: string | null): WebPage {
  const files = dir !== null && existsSync(dir) ? readFiles(dir) : new Map<string, PageFile>();
  return {
    has: (path) => path !== '/' && files.has(path),
    answer: (path, request) => {
      const file = files.get(path);
      return file === undefined ? null : answer(file, path, request);
    },
  };
}

function readFiles(dir: string): Map<string, PageFile> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const files = new Map<string, PageFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const encoded = new Map<string, Uint8Array>();
    for (const [encoding, suffix] of ENCODINGS) {
      if (names.includes(`${name}${suffix}`)) encoded.set(encoding, readFileSync(join(dir, `${name}${suffix}`)));
    }
    const content = readFileSync(join(dir, name));
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
    const path = name === 'index.html' ? '/' : `/${name}`;
    files.set(path, { type, etag, plain: encoded.has('gzip') ? null : content, encoded });
  }
  return files;
}

function answer(file: PageFile, path: string, request: Request): Response {
  const headers: Record<string, string> = {
    'Content-Type': file.type,
    'Content-Security-Policy': PAGE_POLICY,
    'Cache-Control': path.startsWith(HASHED_FOLDER) ? FOR_EVER : ASK_AGAIN,
    ETag: file.etag,
    Vary: path === '/' ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
    ...(path === SERVICE_WORKER ? { 'Service-Worker-Allowed': '/' } : {}),
  };
  if (request.headers.get('if-none-match')?.includes(file.etag) === true) {
    return new Response(null, { status: 304, headers });
  }
  const accepted = acceptedEncodings(request.headers.get('accept-encoding') ?? '');
  for (const [encoding, body] of file.encoded) {
    if (accepted.has(encoding))
      return new Response(asBody(body), { headers: { ...headers, 'Content-Encoding': encoding } });
  }
  return new Response(asBody(file.plain ?? gunzipSync(file.encoded.get('gzip') ?? new Uint8Array())), { headers });
}

/** The bytes of a file are never shared memory, although the type allows it. */
function asBody(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}

/** Parses `gzip, br;q=0.5, zstd;q=0` into gzip and br. */
function acceptedEncodings(header: string): Set<string> {
  return new Set(
    header
      .split(',')
      .map((part) => part.trim().toLowerCase())
      .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
      .map((part) => part.split(';', 1)[0] ?? ''),
  );
}
