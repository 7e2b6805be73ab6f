import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const BASE = 'http://site/docs/';

/**
 * Returns the links, pictures, styles, and scripts of a built site that lead nowhere, and those that a page loads from
 * another host. VitePress itself checks links between pages, but not the headings that these links point to.
 * @param {string} dir
 * @returns {string[]} one line per place
 */
export function brokenLinks(dir) {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const pages = new Map(files.map((name) => [name, readFileSync(join(dir, name), 'utf8')]));
  const ids = new Map([...pages].map(([name, html]) => [name, idsOf(html)]));
  return [...pages].flatMap(([name, html]) =>
    [...html.matchAll(/<(\w+)\b[^>]*?\s(?:href|src|srcset)="([^"]*)"/g)].flatMap(([, tag = '', target = '']) => {
      const problem = problemOf(tag, target.replaceAll('&amp;', '&'), { dir, name, ids });
      return problem === null ? [] : [`${name}: <${tag}> ${target}: ${problem}`];
    }),
  );
}

/**
 * @param {string} tag
 * @param {string} target
 * @param {{ dir: string, name: string, ids: Map<string, Set<string>> }} site
 * @returns {string | null}
 */
function problemOf(tag, target, { dir, name, ids }) {
  const page = new URL(name === 'index.html' ? '' : name.replace(/\.html$/, ''), BASE);
  const { protocol, host, pathname, hash } = new URL(target, page);
  if (protocol === 'data:') return null;
  if (host !== 'site') return tag === 'a' ? null : 'the page would load it from another host';
  const path = decodeURIComponent(pathname).slice('/docs/'.length);
  if (!pathname.startsWith('/docs/')) return 'it leads out of the site';
  const file = [path === '' ? 'index.html' : path, `${path}.html`].find((one) => existsSync(join(dir, one)));
  if (file === undefined) return 'there is no such page';
  const isThere = hash === '' || ids.get(file)?.has(decodeURIComponent(hash.slice(1))) !== false;
  return isThere ? null : 'the page has no such heading';
}

/** @param {string} html */
function idsOf(html) {
  return new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id));
}
