import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { OLDEST_BROWSERS } from '../../scripts/build/page.mjs';
import { errorsPage } from '../../scripts/generate/errors-page.mjs';
import { ROOT } from '../../scripts/root.mjs';
import { resolveSettings } from '../../src/core/settings/index.ts';
import { ERRORS, SETTING_ROWS } from '../../src/protocol/index.ts';
import { PROGRAM } from '../harness/cbos.ts';

const PAGES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** Returns the `code spans` of a page, without fenced blocks. */
function spans(page: string): string[] {
  const prose = read(page).replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span ?? '');
}

describe.each(PAGES)('%s', (page) => {
  test('mentions no path that does not exist', () => {
    const paths = spans(page).filter((span) => /^(src|test|scripts|bench|docs|\.ci)\/[\w./-]+$/.test(span));
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('links to no page that does not exist', () => {
    const targets = [...read(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target]) => target ?? '');
    const local = targets.filter((target) => !/^https?:/.test(target));
    expect(local.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });
});

test('every room, and every folder of a room, is on the page about the architecture', () => {
  const page = read('docs/ARCHITECTURE.md');
  const folders = (path: string) =>
    readdirSync(join(ROOT, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${path}/${entry.name}`);
  const rooms = folders('src');
  expect(rooms.filter((room) => !page.includes(`  ${room.slice('src/'.length)}/`))).toEqual([]);
  const inside = rooms.filter((room) => room !== 'src/protocol').flatMap(folders);
  expect(inside.filter((folder) => !page.includes(`${folder}/`))).toEqual([]);
});

test('the head comment of a file names no file that does not exist', () => {
  const named = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => {
      const [head = ''] = /^\/\*\*[\s\S]*?\*\//.exec(read(`src/${name}`)) ?? [];
      // The named file is in the same folder, or in a folder above it.
      const folders = ['.', '..', '../..', '../../..'].map((up) => join(ROOT, 'src', dirname(name), up));
      return [...head.matchAll(/`([\w./-]+\.(?:tsx?|css))`/g)].map(([, file = '']) => ({
        file,
        isThere: folders.some((folder) => existsSync(join(folder, file))),
      }));
    });
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ isThere }) => !isThere)).toEqual([]);
});

test('each decision has rejected options, a cost, and its own number', () => {
  const decisions = readdirSync(join(ROOT, 'docs/adr')).sort();
  // A decision gets its number before it is written, so a number may be missing for a while. No number is used twice.
  expect(new Set(decisions.map((name) => name.slice(0, 4))).size).toBe(decisions.length);
  for (const name of decisions) {
    const text = read(`docs/adr/${name}`);
    expect(text, name).toMatch(new RegExp(`^# ${Number(name.slice(0, 4))}\\. `));
    expect(text, name).toContain('**Cost.**');
  }
});

test('the page of errors is the catalogue', () => {
  expect(read('docs/ERRORS.md')).toBe(errorsPage(ERRORS));
});

test('the table of settings is the table of the protocol', () => {
  const rows = [...read('docs/SETTINGS.md').matchAll(/^\| `(\w+)` \| (\S+) \| (\S+) \| .* \| (.*) \|$/gm)].map(
    ([, name, environment, file, about]) => ({ name, environment, file, about }),
  );
  const cell = (word: string | null) => (word === null ? '—' : `\`${word}\``);
  expect(rows).toEqual(
    SETTING_ROWS.map(({ name, environment, file, about }) => ({
      name,
      environment: cell(environment),
      file: cell(file),
      about,
    })),
  );
});

test('each example of config.toml is accepted, and each setting in a sentence', () => {
  const resolve = (text: string) =>
    resolveSettings({
      flags: {},
      environment: {},
      file: { path: 'config.toml', values: parse(text), toAbsolutePath: (path) => path },
      toAbsolutePath: (path) => path,
    });
  const blocks = PAGES.flatMap((page) =>
    [...read(page).matchAll(/^```toml\n(# ~\/\.cbos\/config\.toml\n[\s\S]*?)^```/gm)].map(([, block = '']) => block),
  );
  const words = SETTING_ROWS.flatMap(({ name, file }) => [name, file]);
  // The changelog also names settings that are refused.
  const lines = PAGES.filter((page) => page !== 'CHANGELOG.md')
    .flatMap(spans)
    .filter((span) => words.includes(/^([\w.]+) = /.exec(span)?.[1] ?? ''));
  expect([blocks.length > 5, lines.length > 5]).toEqual([true, true]);
  for (const text of [...blocks, ...lines]) expect(() => resolve(text), text).not.toThrow();
});

test('no text of CBOS about config.toml spells a setting by hand', () => {
  // `inConfigFile` and `settingKey` take the key from the row.
  const words = SETTING_ROWS.flatMap(({ name, file }) => [name, file]).filter((word) => /[_.]/.test(word ?? ''));
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const byHand = files.flatMap((file) =>
    read(`src/${file}`)
      .split('\n')
      .filter((line) => line.includes('config.toml') && !/^\s*(\/?\*|\/\/)/.test(line))
      .filter((line) => (line.match(/(?<!')[a-z_]+(\.[a-z_]+)*(?!')/g) ?? []).some((word) => words.includes(word))),
  );
  expect(byHand).toEqual([]);
});

test('the gallery names the browsers for which the page is built', () => {
  const named = /Chrome and Edge from ([\d.]+), Firefox from ([\d.]+), Safari from ([\d.]+)/.exec(
    read('docs/GALLERY.md'),
  );
  const [, chrome, firefox, safari] = named ?? [];
  expect([`chrome${chrome}`, `firefox${firefox}`, `safari${safari}`.replace(/\.$/, '')]).toEqual(OLDEST_BROWSERS);
});

test('each command in the README and the pages exists in cbos, with its options', () => {
  const helps = new Map<string, string>();
  const help = (...command: string[]): string => {
    const key = command.join(' ');
    const text =
      helps.get(key) ??
      spawnSync(process.execPath, [PROGRAM, ...command, '--help'], { encoding: 'utf8', env: {} }).stdout;
    helps.set(key, text);
    return text;
  };
  const known = new Set([...help().matchAll(/^ {2}([a-z]+)[ |]/gm)].map(([, name]) => name));
  const guides = readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`);
  const pages = [
    ...['README.md', 'docs/COMMANDS.md', 'docs/GALLERY.md', 'docs/API.md', 'docs/get-started.md', ...guides],
  ].map(read);
  const commands = pages.join('\n').replaceAll(' && ', '\n');
  const lines = [...commands.matchAll(/^(?:\$ |.*\| )?cbos ([a-z]+)(.*)$/gm)];
  expect(lines.length).toBeGreaterThan(15);
  for (const [line, name = '', rest = ''] of lines) {
    expect(known, line).toContain(name);
    const options = [...rest.replace(/#.*$/, '').matchAll(/ (--?[a-z][a-z-]*)/g)].map(([, option]) => option ?? '');
    if (options.length === 0) continue;
    // In `cbos rules add --command`, the option belongs to the subcommand.
    const [, below = ''] = /^ ([a-z]+)/.exec(rest) ?? [];
    const isBelow = below !== '' && new RegExp(`^  ${below}[ |]`, 'm').test(help(name));
    const text = isBelow ? help(name, below) : help(name);
    expect(
      options.filter((option) => !text.includes(option)),
      line,
    ).toEqual([]);
  }
});

test('each npm script that a page names exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const page of ['README.md', 'CONTRIBUTING.md']) {
    const named = [...read(page).matchAll(/npm (?:run ([a-z]+)|(start|test)\b)/g)].map(
      ([, run, name]) => run ?? name ?? '',
    );
    expect(
      named.filter((name) => scripts[name] === undefined),
      page,
    ).toEqual([]);
  }
});
