import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cbos } from '../harness/cbos.ts';
import { openTerminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';
import type { World } from '../harness/world.ts';

const TO_SVG = fileURLToPath(new URL('../../scripts/terminal-svg.mjs', import.meta.url));
const SIZE = { cols: 132, rows: 34 };

/** The pictures of the terminal UI, each with its selected session. */
const PICTURES = [
  { name: 'tui-permission', slug: 'DEPLOY' },
  { name: 'tui-question', slug: 'ACCOUNTS' },
] as const;

/** Takes the wanted pictures of the fleet that waits at its questions. */
export async function takeTerminalPictures(options: {
  world: World;
  cbos: Cbos;
  directory: string;
  isWanted(name: string): boolean;
  print(line: string): void;
}): Promise<void> {
  const { world, cbos, directory, isWanted, print } = options;
  const wanted = PICTURES.filter(({ name }) => isWanted(name));
  if (wanted.length === 0) return;
  const terminal = await openTerminal(world, { ...SIZE, env: { CBOS_PORT: new URL(cbos.url).port } });
  await terminal.until(/server up/, 'the server');
  for (const { name, slug } of wanted) {
    const isSelected = (screen: string): boolean => new RegExp(`── ${slug} `).test(screen);
    await waitFor(
      async () => {
        const before = await terminal.screen();
        if (isSelected(before)) return true;
        await terminal.keys('Tab');
        await waitFor(async () => (await terminal.screen()) !== before, { describe: 'the next session is selected' });
        return false;
      },
      { describe: `${slug} is selected`, actual: () => terminal.screen() },
    );
    await terminal.until(/1 {2}(Yes|SQLite)/, 'its options');
    const capture = await terminal.tmux('capture-pane', '-e', '-p');
    const { stdout } = spawnSync(process.execPath, [TO_SVG, String(SIZE.cols), String(SIZE.rows)], { input: capture });
    writeFileSync(join(directory, `${name}.svg`), stdout);
    print(`${name}: ${Math.round(stdout.length / 1_000)} kB`);
  }
  await terminal.keys('q');
}
