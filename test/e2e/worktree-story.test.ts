import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareIsolatedHome } from '../../src/demo/isolated-home.ts';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import type { Block, Scene } from '../../src/demo/scenes/scene.ts';
import { openBrowser, openPage, type WatchedPage } from '../harness/browser.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';

/** A request of the real program to the stand-in, on a machine that may run ten other programs. */
const PATIENCE_MS = 60_000;

const say = (text: string): Block => ({ kind: 'text', text });
const bash = (command: string): Block => ({ kind: 'tool', name: 'Bash', input: { command, description: 'git' } });
const write = (content: string): Block => ({
  kind: 'tool',
  name: 'Write',
  input: { file_path: 'greeting.txt', content },
});
const read: Block = { kind: 'tool', name: 'Read', input: { file_path: 'greeting.txt' } };
const commit = (message: string): Block => bash(`git add greeting.txt && git commit --quiet -m '${message}'`);
const scene = (name: string, ...answers: Block[]): Scene => ({
  name,
  about: name,
  replies: answers.map((block) => ({ kind: 'answer', blocks: [block] })),
});

/** The scene for each prompt. Two sessions write the same file, so the second merge conflicts. */
const SCENES: readonly (readonly [part: string, scene: Scene])[] = [
  ['Greet the page', scene('page', write('Hello\npage\nBye\n'), commit('Greet the page'), say('The page is greeted.'))],
  ['Greet the terminal', scene('tmux', write('Hi\nterminal\nBye\n'), commit('Greet all'), say('All are greeted.'))],
  [
    'Say good morning',
    scene('round 1', write('Good morning\npage\nGoodbye\n'), commit('Review'), say('1: done. 2: done.')),
  ],
  [
    'Say good evening',
    scene('round 2', write('Good evening\nterminal\nSo long\n'), commit('Review'), say('1, 2: both.')),
  ],
  [
    'Merge the branch main into your branch',
    scene(
      'conflict',
      bash('git merge main'),
      read,
      write('Good morning\npage and terminal\nSo long\n'),
      commit('Merge main'),
      say('The conflict is resolved.'),
    ),
  ],
];
const chooseByPart: ChooseScene = (prompt) => SCENES.find(([part]) => prompt.includes(part))?.[1] ?? null;

let world: ClaudeWorld;
let cbos: Cbos;
let shop: WorktreeRepository;
let watched: WatchedPage;
let page: Page;
let terminal: Terminal;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in', choosers: [chooseByPart], projects: ['shop'] });
  // The rules that a person adds in such a repository. A merge asks.
  const allow = ['Write', 'Bash(git add:*)', 'Bash(git commit:*)'];
  shop = createWorktreeRepository(world, 'shop');
  shop.commit('first');
  prepareIsolatedHome({ home: world.home, trusted: [shop.path], allow });
  const [browser, server] = await Promise.all([openBrowser(world), startCbos(world)]);
  cbos = server;
  watched = await openPage(browser, { origin: cbos.url });
  page = watched.page;
  page.setDefaultTimeout(PATIENCE_MS);
  const { stdout } = await cbos.cli(['open', '--json'], { env: { CBOS_PORT: new URL(cbos.url).port } });
  await page.goto((JSON.parse(stdout) as { url: string }).url);
  await page.locator('.shell:not(.is-stale)').waitFor();
});
afterEach(() => world.dispose());

const folderOf = (slug: string): string => join(shop.path, '.claude', 'worktrees', slug);
const greeting = (): string => readFileSync(join(shop.path, 'greeting.txt'), 'utf8');
/** Returns what is left of a worktree: its folder, its branch, and git's record of it. */
const leftOf = ({ slug, branch }: Story): unknown => [
  existsSync(folderOf(slug)),
  shop.git('branch', '--list', branch),
  shop.git('worktree', 'list').includes(slug),
];
/** The subject of the last commit on a story's branch. */
const lastCommitOf = ({ branch }: Story): string => shop.git('log', '-1', '--format=%s', branch);
const button = (name: string) => page.getByRole('button', { name, exact: true });

async function commentInTerminal(line: RegExp, text: string): Promise<void> {
  await terminal.until(line, 'the line');
  await terminal.keys('c');
  await terminal.until(/Comment on greeting\.txt, line \d/, 'the field');
  await terminal.type(text);
  await terminal.keys('Enter');
  await terminal.until(line, 'the line again');
}

async function openFinishInPage(): Promise<void> {
  await button('More').click();
  await page.getByRole('menuitem', { name: 'Finish…' }).click();
}
const submitInPage = () => page.locator('dialog button[type=submit]:not([aria-disabled=true])').click();

/** The whole story of one session in one face. */
interface Story {
  slug: string;
  branch: string;
  /** the content of the file after the review */
  greeting: string;
  /** starts the session in its worktree, with its task */
  launch(): Promise<void>;
  /** comments on two lines, sends both comments, and waits for the answer */
  review(): Promise<void>;
  /** lets the session resolve the conflict with the base */
  resolve(): Promise<void>;
  /** merges all its commits, which removes the worktree */
  merge(commits: number): Promise<void>;
}

const inPage: Story = {
  slug: 'PAGE',
  branch: 'task/page',
  greeting: 'Good morning\npage\nGoodbye\n',
  async launch() {
    await page.goto(`${cbos.url}/#/new`);
    await page.getByRole('heading', { name: 'New session' }).waitFor();
    await page.getByLabel('Folder').fill(shop.path);
    await page.getByLabel('Name').fill('PAGE');
    await page.getByLabel('In its own git worktree').check();
    await page.getByRole('textbox', { name: 'Branch' }).fill('task/page');
    await page.getByRole('textbox', { name: 'First prompt' }).fill('Greet the page');
    await button('Start').click();
    await page.getByRole('heading', { name: 'PAGE', exact: true }).waitFor();
  },
  async review() {
    await page.keyboard.press('d');
    const review = page.getByRole('region', { name: 'Review' });
    for (const [line, text] of [
      [1, 'Say good morning.'],
      [3, 'Say goodbye.'],
    ] as const) {
      await button(`Comment on line ${line}`).click();
      await review.getByRole('textbox').fill(text);
      await button('Comment').click();
      await review.getByText(text).waitFor();
    }
    await button('Send…').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Review of your changes, round 1: 2 comments.').waitFor();
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await review.getByText('1: done. 2: done.').waitFor();
    await page.locator('.patch-row', { hasText: 'Good morning' }).waitFor();
    await page.getByRole('link', { name: 'Session', exact: true }).click();
  },
  async resolve() {
    await openFinishInPage();
    await page.getByText('in conflict with main: greeting.txt').waitFor();
    await submitInPage();
    await page.getByText('greeting.txt is in conflict; nothing was changed').waitFor();
    await button('Let the session resolve it').click();
    const permission = page.getByRole('region', { name: /permission/i });
    await permission.getByText('git merge main').first().waitFor();
    await permission.getByRole('button', { name: 'Yes', exact: true }).click();
  },
  async merge(commits) {
    await openFinishInPage();
    await page.getByText(`${commits} commits for main`).waitFor();
    await submitInPage();
    await page.getByText('task/page is in main').first().waitFor();
    expect(watched.faults).toEqual([]);
    await watched.context.close();
  },
};

const inTerminal: Story = {
  slug: 'TERM',
  branch: 'task/term',
  greeting: 'Good evening\nterminal\nSo long\n',
  async launch() {
    await terminal.until(/q quit/, 'the list');
    await terminal.keys('n');
    await terminal.until(/A new session/, 'the form');
    await terminal.type('TERM');
    await terminal.keys('Tab', 'C-u');
    await terminal.type(shop.path);
    await terminal.keys('Tab');
    await terminal.until(/▌ type/, 'the field of the type');
    await terminal.keys('Tab');
    await terminal.until(/▌ prompt/, 'the field of the prompt');
    await terminal.type('Greet the terminal');
    await terminal.keys('Tab');
    await terminal.until(/▌ worktree +no/, 'the field of the worktree');
    await terminal.keys('Space', 'Tab');
    await terminal.type('task/term');
    await terminal.keys('Enter');
    await terminal.until(/task\/term → main/, 'its branch');
  },
  async review() {
    await terminal.keys('d');
    await terminal.until(/TERM changed 1 file[\s\S]*\+Hi[\s\S]*\+Bye/, 'what it changed');
    await terminal.keys('G');
    await commentInTerminal(/▌\+Bye/, 'Say so long.');
    await terminal.keys('k', 'k');
    await commentInTerminal(/▌\+Hi/, 'Say good evening.');
    await terminal.keys('R');
    await terminal.until(/round 1: 2 comments to send/, 'the review');
    await terminal.keys('s');
    await terminal.until(/Then report for each/, 'the end of the prompt');
    await terminal.keys('y');
    await terminal.until(/TERM, round 1/, 'that it is on its way');
    await terminal.until(/✓ TERM +\+3 −0 done[^\n]*\n[^\n]*1, 2: both\./, 'the answer to the round');
  },
  async resolve() {
    await terminal.keys('F');
    await terminal.until(/in conflict with main: greeting\.txt/, 'the conflict');
    await terminal.keys('m');
    await terminal.until(/Merge task\/term into main, and remove the worktree/, 'what a merge does');
    await terminal.keys('y');
    await terminal.until(
      /Send this to TERM\?[\s\S]*Merge the branch main into your branch/,
      'the prompt for the session',
    );
    await terminal.keys('y');
    await terminal.until(/git merge main[\s\S]*y yes {2}n no/, 'that the merge asks');
    await terminal.keys('y');
    await terminal.until(
      /✓ TERM +\+2 −2 done[^\n]*\n[^\n]*The conflict is resolved\./,
      'that it has resolved the conflict',
    );
  },
  async merge(commits) {
    await terminal.keys('F');
    await terminal.until(new RegExp(`${commits} commits for main`), 'that there is no conflict');
    await terminal.keys('m');
    await terminal.until(/Merge task\/term into main/, 'what a merge does');
    await terminal.keys('y');
    await terminal.until(/TERM is stopped, its worktree is removed/, 'that it is finished');
  },
};

test.each([
  ['in the page, then in the terminal with a conflict', inPage, inTerminal],
  ['in the terminal, then in the page with a conflict', inTerminal, inPage],
])(
  'from a task to a merged change: %s that the session resolves',
  async (_, first, second) => {
    terminal = await openTerminal(world, { cols: 140, rows: 40, env: { CBOS_PORT: new URL(cbos.url).port } });
    for (const { slug, launch } of [inTerminal, inPage]) {
      await launch();
      await cbos.until(slug, ({ status }) => status.detail === 'waiting_input', 'has done the task', PATIENCE_MS);
    }
    await first.review();
    await first.merge(2);
    expect(leftOf(first)).toEqual([false, '', false]);
    expect(greeting()).toBe(first.greeting);
    await second.review();
    await second.resolve();
    await waitFor(() => lastCommitOf(second) === 'Merge main', { describe: 'the session has resolved the conflict' });
    await cbos.until(second.slug, ({ status }) => status.detail === 'waiting_input', 'has ended its turn', PATIENCE_MS);
    await second.merge(3);
    expect(leftOf(second)).toEqual([false, '', false]);
    expect(greeting()).toBe('Good morning\npage and terminal\nSo long\n');
    expect(shop.git('status', '--porcelain')).toBe('');
    expect(shop.git('log', '--format=%s', '--first-parent', '-1')).toBe('Merge main');
    // Two tasks, two rounds, and one conflict were one prompt each.
    expect(world.promptsReceived()).toHaveLength(5);
  },
  300_000,
);
