import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../root.mjs';

/**
 * @typedef {{ title: string, source: string, path: string }} Page the file in the repository, and its address below
 *   `/docs/`, without `.md`; empty for the first page
 * @typedef {{ title: string, pages: readonly Page[], collapsed?: boolean }} Section
 */

/** @param {string} title @param {string} source @param {string} path @returns {Page} */
const page = (title, source, path) => ({ title, source, path });

/** The first page of the site. It is not listed in any section, because the site's name links to it. */
const HOME = page('CBOS', 'docs/index.md', '');

/**
 * The contents of the site, in the order of the sidebar. Each page under docs/ is in exactly one section. Pages whose
 * names are in capitals have the same paths as in the repository, because sources and other pages refer to them.
 * @type {readonly Section[]}
 */
export const SECTIONS = [
  {
    title: 'Get started',
    pages: [page('Ten minutes with CBOS', 'docs/get-started.md', 'get-started')],
  },
  {
    title: 'Guides',
    pages: [
      page('Answer from your phone', 'docs/guides/phone.md', 'guides/phone'),
      page('Notifications on other devices', 'docs/guides/notifications.md', 'guides/notifications'),
      page('Run fifty sessions', 'docs/guides/fifty.md', 'guides/fifty'),
      page('Prepare worktrees', 'docs/guides/worktrees.md', 'guides/worktrees'),
      page('Use JSON sessions in scripts', 'docs/guides/scripts.md', 'guides/scripts'),
      page('Recordings and search', 'docs/guides/recordings.md', 'guides/recordings'),
      page('Let rules answer permissions', 'docs/RULES.md', 'guides/rules'),
      page('Send prompts at set times', 'docs/SCHEDULES.md', 'guides/schedules'),
      page('Limit what sessions spend', 'docs/guides/budgets.md', 'guides/budgets'),
      page('Join several machines', 'docs/FLEET.md', 'guides/fleet'),
      page('Run in containers', 'docs/guides/containers.md', 'guides/containers'),
      page('Security behind a proxy', 'docs/guides/proxy.md', 'guides/proxy'),
      page('Run with systemd', 'docs/guides/systemd.md', 'guides/systemd'),
      page('The page, in pictures', 'docs/GALLERY.md', 'guides/gallery'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('The command line', 'docs/COMMANDS.md', 'reference/command-line'),
      page('Every command', 'docs/reference/commands.md', 'reference/commands'),
      page('Arguments for Claude Code', 'docs/reference/arguments.md', 'reference/arguments'),
      page('What Claude Code does on its own', 'docs/reference/from-within.md', 'reference/from-within'),
      page('Settings', 'docs/SETTINGS.md', 'reference/settings'),
      page('The API, by example', 'docs/API.md', 'reference/api'),
      page('REST', 'docs/reference/rest.md', 'reference/rest'),
      page('WebSocket frames', 'docs/reference/websocket.md', 'reference/websocket'),
      page('Errors', 'docs/ERRORS.md', 'reference/errors'),
      page('Statuses', 'docs/reference/statuses.md', 'reference/statuses'),
      page('Questions', 'docs/reference/questions.md', 'reference/questions'),
      page('Glossary', 'docs/GLOSSARY.md', 'reference/glossary'),
    ],
  },
  {
    title: 'Explanation',
    pages: [
      page('How the status is known', 'docs/explanation/status.md', 'explanation/status'),
      page('How delivery is proven', 'docs/explanation/delivery.md', 'explanation/delivery'),
      page('How often the status is right', 'docs/explanation/accuracy.md', 'explanation/accuracy'),
      page('How fast CBOS is', 'docs/explanation/speed.md', 'explanation/speed'),
      page('Security', 'docs/SECURITY.md', 'explanation/security'),
      page('Faults', 'docs/FAULTS.md', 'explanation/faults'),
      page('All accuracy figures', 'docs/ACCURACY.md', 'explanation/accuracy-figures'),
    ],
  },
  {
    title: 'Contributing',
    pages: [
      page('How to contribute', 'CONTRIBUTING.md', 'contributing/contributing'),
      page('Architecture', 'docs/ARCHITECTURE.md', 'contributing/architecture'),
      page('How we write', 'docs/STYLE.md', 'contributing/style'),
      page('Recording Claude Code', 'docs/RECORDING.md', 'contributing/recording'),
      page('Report a vulnerability', 'SECURITY.md', 'contributing/report'),
      page('Changes', 'CHANGELOG.md', 'contributing/changelog'),
    ],
  },
  { title: 'Decisions', pages: decisions(), collapsed: true },
];

/** @type {readonly Page[]} */
export const PAGES = [HOME, ...SECTIONS.flatMap(({ pages }) => pages)];

/** Returns the pages of all decision records, with their titles. */
function decisions() {
  return readdirSync(join(ROOT, 'docs/adr'))
    .sort()
    .map((file) => {
      const [, title = file] = /^# (.*)$/m.exec(readFileSync(join(ROOT, 'docs/adr', file), 'utf8')) ?? [];
      return page(title.replaceAll('`', ''), `docs/adr/${file}`, `decisions/${basename(file, '.md')}`);
    });
}

/**
 * Other files in the folder of pages that are also part of the site, by their addresses.
 * @type {Readonly<Record<string, string>>}
 */
export const EXTRA_FILES = { 'openapi.json': 'docs/openapi.json', 'icon.svg': 'src/web/public/icon.svg' };
