import { existsSync } from 'node:fs';
import { answerFile, readStaticFiles } from './static-files.ts';

/**
 * The policy for the page. It may run only its own scripts and communicate only with its own server. The page may
 * contain inline styles, because xterm.js writes its colours that way. Inline scripts are forbidden, and no text
 * becomes markup (`trusted-types`), so a session's output can never act as either.
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
 * The file that the server returns whenever any service worker updates itself. That includes a worker that another
 * program left behind under its own address and scope.
 */
export const SERVICE_WORKER = '/service-worker.js';

const HASHED_FOLDER = '/assets/';

/** The built web page, or another set of files that needs no sign-in. */
export interface WebPage {
  /**
   * Reports whether a path belongs to one of the page's files. `/` does not count, because other programs get a line of
   * text there.
   */
  has(path: string): boolean;
  /** The response to a GET request for a path; null if the path does not belong to the page. */
  answer(path: string, request: Request): Response | null;
}

/**
 * Reads all files into memory (1.5 MB, compressed). An update may remove the files while the server is running, and a
 * page that was loaded before still needs its parts.
 * @param dir the built page; null or a missing directory means that there is none
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

/** Serves several sets of files as one. Their paths must differ. */
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
