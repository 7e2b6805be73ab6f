import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { answerFile, readStaticFiles, type StaticFile } from './static-files.ts';
import type { WebPage } from './web-page.ts';

const ROOT = '/docs/';
const ROOT_WITHOUT_SLASH = '/docs';
const HASHED_FOLDER = '/docs/assets/';

/**
 * The Content-Security-Policy of the documentation. Its pages may run their own scripts, which also contain the search
 * index, but may not contact any server. Highlighted examples and icons need inline styles and images. `vue` is the
 * Trusted Types policy under which Vue writes the markup that the build generated.
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
 * Serves the documentation of this version at `/docs/`. No sign-in is needed, because every copy of CBOS contains the
 * same files. The files are read when they are first requested, because on most servers nobody ever requests them.
 * @param dir the directory of the built documentation; if it is null or missing, no pages are served
 */
export function createDocsSite(dir: string | null): WebPage {
  let read: ReadonlyMap<string, StaticFile> | null = null;
  const files = (): ReadonlyMap<string, StaticFile> => {
    if (read === null && dir !== null && existsSync(join(dir, 'index.html'))) read = readPages(dir);
    return read ?? new Map();
  };
  const isRoot = (path: string): boolean => path === ROOT || path === ROOT_WITHOUT_SLASH;
  return {
    // Only these exact paths need no sign-in. A check of the prefix would not do, because `/docs/../sessions` also
    // begins with `/docs/`.
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

/**
 * Returns the path at which a file is served: `guides/phone.html` at `/docs/guides/phone`, and `index.html` at
 * `/docs/`.
 */
function readPages(dir: string): ReadonlyMap<string, StaticFile> {
  return new Map(
    [...readStaticFiles(dir)].map(([name, file]) => [
      `${ROOT}${name === 'index.html' ? '' : name.replace(/\.html$/, '')}`,
      file,
    ]),
  );
}
