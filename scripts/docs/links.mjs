import { posix, relative } from 'node:path';
import { ROOT } from '../root.mjs';
import { EXTRA_FILES, PAGES } from './pages.mjs';

/** Maps files of the repository to addresses of the site. The first page stands for the README. */
const ADDRESSES = new Map([
  ['README.md', '/'],
  ...PAGES.map(({ source, path }) => /** @type {const} */ ([source, `/${path}`])),
  ...Object.entries(EXTRA_FILES).map(([path, source]) => /** @type {const} */ ([source, `/${path}`])),
]);

/**
 * Makes the pages, whose links and pictures work on GitHub, work on the site too. A link to a file that is no page,
 * such as a source, becomes plain text.
 * @param {import('vitepress').MarkdownRenderer} md
 */
export function linkPages(md) {
  md.core.ruler.push('cbos-links', ({ env, tokens }) => {
    const folder = posix.dirname(relative(ROOT, env.realPath ?? env.path));
    for (const token of tokens) {
      for (const piece of [token, ...(token.children ?? [])]) {
        // Vite takes only a path that begins with a dot for a file beside the page.
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
 * Returns where a link of a page leads on the site; null if it leads to a file that the site lacks.
 * @param {string} href
 * @param {string} folder of the page in the repository
 */
export function siteAddress(href, folder) {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href;
  const [path = '', ...anchor] = href.split('#');
  const address = ADDRESSES.get(posix.normalize(posix.join(folder, path)));
  if (address !== undefined) return [address, ...anchor].join('#');
  // VitePress reports the link to a page that does not exist.
  return path.endsWith('.md') ? href : null;
}
