import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import xterm, { type Terminal } from '@xterm/headless';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld, isOlderThan } from '../harness/claude.ts';
import { startClaudeInScreen } from '../harness/claude-in-screen.ts';
import { waitFor } from '../harness/wait-for.ts';

const COLS = 100;
const ROWS = 30;
/** How many cells are compared. To the right of them, Claude Code shows its own hints for some seconds. */
const COMPARED_CELLS = 50;

/** Prints colours, wide characters, two rows, and parts of the input that Claude Code sends to the script. */
const OWN_LINE = `#!/bin/sh
in=$(cat)
used=$(printf %s "$in" | sed -n 's/.*"used_percentage":\\([0-9]*\\).*/\\1/p')
model=$(printf %s "$in" | sed -n 's/.*"display_name":"\\([^"]*\\)".*/\\1/p')
printf '\\033[38;5;208mCTX [%s]\\033[0m \\033[1;44m%s\\033[0m %s\\n' "$used" "$model" "$COLUMNS"
printf '  ▲ 日本 \\033[3;35m"%s"\\033[0m' "$1"
`;

/** A test that is retried starts new sessions. */
let launches = 0;
let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld();
  const script = join(world.home, 'line.sh');
  writeFileSync(script, OWN_LINE, { mode: 0o755 });
  const settings = join(world.home, '.claude/settings.json');
  const before = JSON.parse(readFileSync(settings, 'utf8')) as Record<string, unknown>;
  const statusLine = { type: 'command', command: `${script} 'it'"'s mine"`, padding: 2 };
  writeFileSync(settings, JSON.stringify({ ...before, statusLine }));
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

const launch = async (name: string, path: string): Promise<string> => {
  launches += 1;
  const slug = `${name}${launches}`;
  const created = await cbos.call('POST', '/sessions', { slug, type: 'screen', path, cols: COLS, rows: ROWS });
  expect(created.error).toBeNull();
  return slug;
};

/** Returns the cells of the status line: the characters and their attributes. */
function statusCells(terminal: Terminal): string[] | null {
  const { active } = terminal.buffer;
  const rows = Array.from({ length: ROWS }, (_, row) => active.getLine(active.baseY + row));
  const first = rows.findIndex((row) => row?.translateToString(true).includes('CTX ['));
  if (first === -1) return null;
  return rows.slice(first, first + 2).map((row) =>
    Array.from({ length: COMPARED_CELLS }, (_, col) => row?.getCell(col))
      .map(
        (cell) =>
          `${cell?.getChars()}/${cell?.getFgColor()}/${cell?.getBgColor()}/${cell?.isBold()}${cell?.isItalic()}`,
      )
      .join(' '),
  );
}

/** Returns a terminal with everything that a session of CBOS has drawn so far. */
async function drawn(slug: string): Promise<Terminal> {
  const bytes = readFileSync(join(world.streamDir, `${slug}.typescript`));
  const terminal = new xterm.Terminal({ cols: COLS, rows: ROWS, allowProposedApi: true });
  world.onDispose(() => terminal.dispose());
  await new Promise<void>((resolve) => terminal.write(bytes.subarray(bytes.indexOf(10) + 1), resolve));
  return terminal;
}

test.skipIf(isOlderThan('2.1.329'))(
  'a status line is drawn cell for cell as without CBOS, and its figures are those of the stand-in',
  { timeout: 180_000 },
  async () => {
    const slug = await launch('LINE', world.projectDir);
    const plain = await startClaudeInScreen(world, { cols: COLS, rows: ROWS });
    await cbos.untilStatus(slug, 'idle/ready');
    const before = await cbos.until(slug, ({ cost_usd }) => cost_usd === 0, 'reports that nothing was spent');
    expect(before.context).toBeNull();

    await plain.waitForScreen(/CTX \[/);
    await plain.prompt('hello');
    await cbos.call('POST', `/sessions/${slug}/send`, { text: 'hello' });
    const after = await cbos.until(slug, ({ context }) => context !== null, 'reports its context');
    const request = world.apiEvents.findLast(
      (event) => event.kind === 'request' && event.scene !== null && event.prompt === 'hello',
    );
    const messages = request?.kind === 'request' ? request.body.messages : null;
    // The stand-in counts the tokens the same way.
    const used = Math.ceil(JSON.stringify(messages).length / 4);
    expect(after.context?.used_tokens).toBe(used);
    expect(after.context?.size_tokens).toBeGreaterThan(100_000);
    expect(after.model).toMatch(/^claude-/);
    expect(after.effort).not.toBeNull();
    expect(after.cost_usd).toBeGreaterThan(0);
    expect([after.lines_added, after.lines_removed]).toEqual([0, 0]);

    await plain.waitForScreen(/CTX \[0\]/);
    const cells = await waitFor(
      async () => {
        const found = statusCells(await drawn(slug));
        return found?.[0]?.includes('[/') === true &&
          JSON.stringify(found) === JSON.stringify(statusCells(plain.terminal))
          ? found
          : null;
      },
      { describe: 'both draw the same cells', timeoutMs: 20_000 },
    );
    expect(cells[1]).toContain('日/');

    const costs = await cbos.call<{ total: Record<string, number> }>('GET', '/costs');
    expect(costs.body.total.terminal_cost_usd).toBeCloseTo(after.cost_usd ?? 0, 6);
    const { stdout } = await cbos.cli(['show', slug]);
    expect(stdout).toMatch(/context +░+ 0% of 1M tokens\n/);

    // A new conversation must show no figure of the last one.
    await cbos.call('POST', `/sessions/${slug}/send`, { text: '/clear', command: true });
    const cleared = await cbos.until(
      slug,
      ({ claude_session_id, effort }) => claude_session_id !== after.claude_session_id && effort !== null,
      'has another conversation, and reports it',
    );
    expect(cleared.context).toBeNull();
  },
);

test.skipIf(isOlderThan('2.1.329'))(
  "a project's status line runs only after its folder was trusted",
  { timeout: 90_000 },
  async () => {
    const project = world.project(`strange${launches}`);
    const ran = join(world.dir, `ran${launches}`);
    mkdirSync(join(project, '.claude'));
    const statusLine = { type: 'command', command: `date +%s%3N >>${ran}; echo strange` };
    writeFileSync(join(project, '.claude/settings.json'), JSON.stringify({ statusLine }));
    const slug = await launch('STRANGE', project);
    await cbos.until(slug, ({ status }) => status.question?.kind === 'setup', 'asks whether it is trusted');
    const answeredAt = Date.now();
    expect(existsSync(ran)).toBe(false);
    expect((await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 'yes' })).error).toBeNull();
    await waitFor(() => existsSync(ran) && readFileSync(ran, 'utf8') !== '', { describe: 'its status line runs' });
    expect(Number(readFileSync(ran, 'utf8').split('\n')[0])).toBeGreaterThanOrEqual(answeredAt);
  },
);
