import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

/** The supported content encodings, from best to worst. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** A file that is served to browsers, held in memory. */
export interface StaticFile {
  type: string;
  etag: string;
  /** the uncompressed content; null if only compressed versions are kept */
  plain: Uint8Array | null;
  encoded: Map<string, Uint8Array>;
}

/**
 * Reads all files in a directory into a map, keyed by their paths within the directory. Only these files are ever
 * served, so no URL can lead out of the directory.
 */
export function readStaticFiles(dir: string): Map<string, StaticFile> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const present = new Set(names);
  const files = new Map<string, StaticFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const encoded = new Map<string, Uint8Array>();
    for (const [encoding, suffix] of ENCODINGS) {
      if (present.has(`${name}${suffix}`)) encoded.set(encoding, readFileSync(join(dir, `${name}${suffix}`)));
    }
    const content = readFileSync(join(dir, name));
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
    files.set(name, { type, etag, plain: encoded.has('gzip') ? null : content, encoded });
  }
  return files;
}

/**
 * Answers a GET request for a file.
 * @param how.isHashed whether the file's name contains a hash of its content, so that a browser never requests it twice
 * @param how.headers headers to send in addition to the usual ones
 */
export function answerFile(
  file: StaticFile,
  request: Request,
  how: { isHashed: boolean; headers: Readonly<Record<string, string>> },
): Response {
  const headers: Record<string, string> = {
    'Content-Type': file.type,
    'Cache-Control': how.isHashed ? FOR_EVER : ASK_AGAIN,
    ETag: file.etag,
    Vary: 'Accept-Encoding',
    ...how.headers,
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

/** The type also allows shared memory, but the bytes of a file are never in shared memory. */
function asBody(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}

/** Parses an Accept-Encoding header: `gzip, br;q=0.5, zstd;q=0` becomes gzip and br. */
function acceptedEncodings(header: string): Set<string> {
  return new Set(
    header
      .split(',')
      .map((part) => part.trim().toLowerCase())
      .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
      .map((part) => part.split(';', 1)[0] ?? ''),
  );
}
