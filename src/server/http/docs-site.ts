import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { answerFile, readStaticFiles, type StaticFile } from './static-files.ts';
import type { WebPage } from './web-page.ts';

const ROOT = '/docs/';
const ROOT_WITHOUT_SLASH = '/docs';
const HASHED_FOLDER = '/docs/assets/';

/**
 * The policy for the documentation. It may run its own scripts, which also contain its search index, but never contacts
 * any server. Its highlighted examples and its icons need inline styles and images. `vue` is the policy under which Vue
 * writes the markup that the build generated.
 */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types vue',
].join('; ');

const NOT_BUILT = 'The documentation has not been built. Build it with `npm run docs`, then reload this page.\n';

/**
 * Serves the documentation of this version at `/docs/`, without a sign-in: every copy of CBOS contains the same files.
 * They are read at the first request for them, because most servers never get one.
 * @param dir the built documentation; null or a missing directory means that there is none
 */
export function createDocsSite(dir: string | null): WebPage {
  let read: ReadonlyMap<string, StaticFile> | null = null;
  const files = (): ReadonlyMap<string, StaticFile> => {
    if (read === null && dir !== null && existsSync(join(dir, 'index.html'))) read = readPages(dir);
    return read ?? new Map();
  };
  const isRoot = (path: string): boolean => path === ROOT || path === ROOT_WITHOUT_SLASH;
  return {
    // Only these exact paths are open, because `/docs/../sessions` also begins with `/docs/`.
    has: (path) => isRoot(path) || (path.startsWith(ROOT) && files().has(path)),
    answer: (path, request) => {
      if (!isRoot(path) && !path.startsWith(ROOT)) return null;
      const file = files().get(path === ROOT_WITHOUT_SLASH ? ROOT : path);
      if (file === undefined) return isRoot(path) ? new Response(NOT_BUILT, { status: 404, headers: PLAIN }) : null;
      if (path === ROOT_WITHOUT_SLASH) return new Response(null, { status: 307, headers: { Location: ROOT } });
      const headers = { 'Content-Security-Policy': DOCS_POLICY };
      return answerFile(file, request, { isHashed: path.startsWith(HASHED_FOLDER), headers });
    },
  };
}

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8' };

/** `guides/phone.html` is at `/docs/guides/phone`, and `index.html` at `/docs/`. */
function readPages(dir: string): ReadonlyMap<string, StaticFile> {
  return new Map(
    [...readStaticFiles(dir)].map(([name, file]) => [
      `${ROOT}${name === 'index.html' ? '' : name.replace(/\.html$/, '')}`,
      file,
    ]),
  );
}
