import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { ROOT } from '../../root.mjs';
import { linkPages } from '../links.mjs';
import { PAGES, SECTIONS } from '../pages.mjs';
import { moveScripts } from '../scripts.mjs';

const link = ({ title, path }) => ({ text: title, link: `/${path}` });

/** The repository's top-level files and folders that contain pages. */
const PLACES = new Set(PAGES.map(({ source }) => source.split('/', 1)[0]));

export default defineConfig({
  title: 'CBOS',
  description: 'Run, watch and answer many Claude Code sessions side by side',
  lang: 'en',
  // The address at which the server serves the site.
  base: '/docs/',
  srcDir: ROOT,
  // Without this setting, VitePress would look for its cache among the sources.
  cacheDir: join(ROOT, 'build', 'docs-cache'),
  srcExclude: readdirSync(ROOT).flatMap((name) => (PLACES.has(name) ? [] : [name, `${name}/**`])),
  rewrites: Object.fromEntries(PAGES.map(({ source, path }) => [source, `${path || 'index'}.md`])),
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: '/docs/icon.svg', type: 'image/svg+xml' }]],
  // Turn off attributes, so that `{slug}` in a heading remains plain text.
  markdown: { config: linkPages, attrs: false },
  transformHtml: moveScripts,
  themeConfig: {
    nav: SECTIONS.filter(({ collapsed }) => collapsed !== true).map(({ title, pages: [first] }) => ({
      ...link(first),
      text: title,
      activeMatch: `^/${first.path.split('/', 1)[0]}`,
    })),
    sidebar: SECTIONS.map(({ title, pages, collapsed = false }) => ({
      text: title,
      collapsed,
      items: pages.map(link),
    })),
    outline: [2, 3],
    search: { provider: 'local' },
  },
  vite: { publicDir: false, logLevel: 'warn', build: { chunkSizeWarningLimit: 4_000 } },
});
