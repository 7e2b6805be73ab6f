import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { brokenLinks } from '../../scripts/docs/broken-links.mjs';
import { siteAddress } from '../../scripts/docs/links.mjs';
import { PAGES } from '../../scripts/docs/pages.mjs';
import { accuracyChart } from '../../scripts/generate/accuracy-chart.mjs';
import { movingPicture } from '../../scripts/generate/moving-picture.mjs';
import { REST_EXAMPLES } from '../../scripts/generate/rest-examples.mjs';
import { ROOT } from '../../scripts/root.mjs';
import {
  ATTENTIONS,
  DELIVERY_STATUSES,
  DETAILS,
  ROUTES,
  type Route,
  STATE_SELECTOR_WORDS,
} from '../../src/protocol/index.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('the contents of the site', () => {
  test('have every page under docs/ once, at its own address', () => {
    const written = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`);
    const sources = PAGES.map(({ source }) => source);
    expect(written.filter((source) => !sources.includes(source))).toEqual([]);
    expect(new Set(sources).size).toBe(sources.length);
    expect(new Set(PAGES.map(({ path }) => path)).size).toBe(PAGES.length);
  });

  test.each([
    ['STYLE.md', 'docs', '/contributing/style'],
    ['../COMMANDS.md#commands', 'docs/guides', '/reference/command-line#commands'],
    ['docs/SECURITY.md', '.', '/explanation/security'],
    ['openapi.json', 'docs', '/openapi.json'],
    ['https://example.org', 'docs', 'https://example.org'],
    ['#words', 'docs', '#words'],
    ['../LICENSE', 'docs', null],
    // This isn't a page, so the build reports it.
    ['MISSING.md', 'docs', 'MISSING.md'],
  ])('a link to %s on a page in %s leads to %s', (href, folder, address) => {
    expect(siteAddress(href, folder)).toBe(address);
  });
});

test('links that lead nowhere in a built site are found, and so is anything from another host', () => {
  const dir = join(world.dir, 'site');
  const write = (name: string, html: string): void => {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), html);
  };
  write('index.html', '<a href="/docs/guides/phone#sign-in">fine</a><a href="https://example.org">fine</a>');
  write('guides/phone.html', '<h2 id="sign-in">x</h2><img src="data:image/png;base64,x"><a href="#sign-in">fine</a>');
  expect(brokenLinks(dir)).toEqual([]);
  write(
    'reference/rest.html',
    '<a class="x" href="/docs/nowhere">a</a><a href="../guides/phone#gone">b</a><a href="/sessions">c</a>' +
      '<img src="/docs/assets/gone.png"><link rel="stylesheet" href="https://fonts.example/inter.css">',
  );
  expect(brokenLinks(dir).map((line) => line.replace('reference/rest.html: ', ''))).toEqual([
    '<a> /docs/nowhere: there is no such page',
    '<a> ../guides/phone#gone: the page has no such heading',
    '<a> /sessions: it leads out of the site',
    '<img> /docs/assets/gone.png: there is no such page',
    '<link> https://fonts.example/inter.css: the page would load it from another host',
  ]);
});

describe('the reference', () => {
  const withBody = Object.entries<Route>(ROUTES).flatMap(([name, { body }]) =>
    body === undefined ? [] : [{ name, body }],
  );

  test.each(withBody)('has an example of the request $name that its schema accepts', ({ name, body }) => {
    expect(REST_EXAMPLES[name]).toBeDefined();
    expect(body.safeParse(REST_EXAMPLES[name]).error?.message).toBeUndefined();
  });

  test('has no example of a request that no longer exists', () => {
    const names = withBody.map(({ name }) => name);
    expect(Object.keys(REST_EXAMPLES).filter((name) => !names.includes(name))).toEqual([]);
  });

  test('explains every word of a status', () => {
    const page = read('docs/reference/statuses.md');
    for (const [detail, { primary, state }] of Object.entries(DETAILS))
      expect(page).toContain(`| \`${primary}\` | \`${detail}\` | \`${state}\` | `);
    for (const status of DELIVERY_STATUSES) expect(page).toContain(`| \`${status}\` | `);
    for (const attention of ATTENTIONS) expect(page).toContain(`| **${attention.replace('_', ' ')}** |`);
    const words = STATE_SELECTOR_WORDS.filter((word) => !word.includes('/'));
    expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
  });
});

test('the moving picture shows its first part to a reader who wants no motion, and contains no script', () => {
  const picture = movingPicture(['<svg width="1"><rect/></svg>\n', '<svg width="1"><text>b</text></svg>\n']);
  expect(picture).toMatch(/<rect\/>[\s\S]*<text>b<\/text>/);
  expect(picture).toContain('@media (prefers-reduced-motion: reduce) { .frame { animation: none; } }');
  expect(picture.match(/<svg/g)).toHaveLength(1);
  const drawn = read('docs/pictures/tui-moving.svg');
  expect(drawn).not.toMatch(/<script|href=|on\w+=/);
  expect(drawn.length).toBeLessThan(100_000);
});

test('the chart of accuracy shows what was scored before anybody looked, not what was fixed afterwards', () => {
  const page = [
    '| CBOS | 100 | 99.00 % |',
    '| first match, two levels | 100 | 47.00 % |',
    '| first match, one word | 100 | 39.00 % |',
    '## Live, with all sources',
    '| 2.1.330 | 80 | 240 | 92026 | 100 % |',
    '## On versions and scenes that no rule was written for',
    'Scored once on Monday',
    '| **all** | 100 | 98.00 % |',
    'Scored once on Tuesday',
    '| **all** | 300 | 90.00 % |',
    '| **all** | 400 | 100 % |',
  ].join('\n');
  const [, title] = /<title>(.*)<\/title>/.exec(accuracyChart(page)) ?? [];
  expect(title).toContain('all sources, live 100 %');
  expect(title).toContain('unseen 92.00 %');
  expect(title).toContain('one word 39.00 %');
});
