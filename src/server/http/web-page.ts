import { existsSync } from 'node:fs';
import { answerFile, readStaticFiles } from './static-files.ts';

/**
 * The Content-Security-Policy of the page. The page may run only its own scripts and communicate only with its own
 * server. Inline styles are allowed, because xterm.js uses them for colours. Inline scripts are forbidden, and text
 * cannot be turned into markup (`trusted-types`), so a session's output can never act as a script or as markup.
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

/**
 * The file that the server returns whenever a browser updates any service worker, even a worker that another program
 * installed earlier under another path.
 */
export const SERVICE_WORKER = '/service-worker.js';

const HASHED_FOLDER = '/assets/';

/** The built web page, or another set of files that browsers may load without a sign-in. */
export interface WebPage {
  /**
   * Reports whether a path is one of the page's files. `/` does not count, because clients other than browsers get a
   * line of text there.
   */
  has(path: string): boolean;
  /** Returns the response to a GET request for a path; null if the page has no file with this path. */
  answer(path: string, request: Request): Response | null;
}

/**
 * Reads all files into memory (1.5 MB, compressed). An update of CBOS may remove the files while the server is running,
 * and a page that is already open may still need them.
 * @param dir the directory of the built page; if it is null or missing, no files are served
 */
export function readWebPage(dir: string | null): WebPage {
  const files = new Map(
    dir !== null && existsSync(dir)
      ? [...readStaticFiles(dir)].map(([name, file]) => [name === 'index.html' ? '/' : `/${name}`, file])
      : [],
  );
  return {
    has: (path) => path !== '/' && files.has(path),
    answer: (path, request) => {
      const file = files.get(path);
      if (file === undefined) return null;
      const headers = {
        'Content-Security-Policy': PAGE_POLICY,
        ...(path === '/' ? { Vary: 'Accept, Accept-Encoding' } : {}),
        ...(path === SERVICE_WORKER ? { 'Service-Worker-Allowed': '/' } : {}),
      };
      return answerFile(file, request, { isHashed: path.startsWith(HASHED_FOLDER), headers });
    },
  };
}

/** Serves several sets of files as if they were one. No path may occur in more than one set. */
export function joinPages(...pages: readonly WebPage[]): WebPage {
  return {
    has: (path) => pages.some((page) => page.has(path)),
    answer: (path, request) => {
      for (const page of pages) {
        const answer = page.answer(path, request);
        if (answer !== null) return answer;
      }
      return null;
    },
  };
}
