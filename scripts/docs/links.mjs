import { posix, relative } from 'node:path';
import { ROOT } from '../root.mjs';
import { EXTRA_FILES, PAGES } from './pages.mjs';

/** Maps files in the repository to addresses on the site. The README is replaced by the site's first page. */
const ADDRESSES = new Map([
  ['README.md', '/'],
  ...PAGES.map(({ source, path }) => /** @type {const} */ ([source, `/${path}`])),
  ...Object.entries(EXTRA_FILES).map(([path, source]) => /** @type {const} */ ([source, `/${path}`])),
]);

/**
 * Rewrites links and pictures that work on GitHub, so that they also work on the site. A link to a file that isn't a
 * page, such as a source file, becomes plain text.
 * @param {import('vitepress').MarkdownRenderer} md
 */
export function linkPages(md) {
  md.core.ruler.push('cbos-links', ({ env, tokens }) => {
    const folder = posix.dirname(relative(ROOT, env.realPath ?? env.path));
    for (const token of tokens) {
      for (const piece of [token, ...(token.children ?? [])]) {
        // Vite resolves a path relative to the page only if the path begins with a dot.
        if (piece.type.startsWith('html_'))
          piece.content = piece.content.replaceAll(/\b(src|srcset)="(?=pictures\/)/g, '$1="./');
      }
      linkTokens(token.children ?? [], folder);
    }
  });
}

/** @param {ReturnType<import('vitepress').MarkdownRenderer['parse']>} tokens @param {string} folder of the page */
function linkTokens(tokens, folder) {
  let isRemoved = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? '';
      const address = siteAddress(href, folder);
      isRemoved = address === null;
      if (address !== null) token.attrSet('href', address);
    }
    if (isRemoved && (token.type === 'link_open' || token.type === 'link_close')) {
      token.type = 'text';
      token.tag = '';
      token.content = '';
      token.nesting = 0;
    }
  }
}

/**
 * Returns the address on the site to which a link on a page leads, or null if the link leads to a file that is not on
 * the site.
 * @param {string} href
 * @param {string} folder the folder of the page in the repository
 */
export function siteAddress(href, folder) {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href;
  const [path = '', ...anchor] = href.split('#');
  const address = ADDRESSES.get(posix.normalize(posix.join(folder, path)));
  if (address !== undefined) return [address, ...anchor].join('#');
  // VitePress reports links to pages that do not exist.
  return path.endsWith('.md') ? href : null;
}
