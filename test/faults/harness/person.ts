import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTerminal, type Terminal } from '../../harness/tmux.ts';
import { waitFor } from '../../harness/wait-for.ts';
import type { World } from '../../harness/world.ts';

/** A person who is attached to a Screen session at a real terminal, and does there what people do. */
export interface Person {
  terminal: Terminal;
  /** presses Ctrl-A and a key */
  command(...keys: string[]): Promise<void>;
  /** enters a line at Screen's own prompt (Ctrl-A :) */
  screenCommand(line: string): Promise<void>;
  /** opens and shows a second window, in which a program records each byte that it gets. @returns those bytes */
  openShell(): Promise<() => string>;
  /** opens copy mode in the window that is shown */
  copyMode(): Promise<void>;
  /** presses Ctrl-A d; resolves when the person is detached */
  detach(): Promise<void>;
}

let shells = 0;

/** Attaches a person to a session. Resolves when the terminal shows it. */
export async function attachPerson(world: World, screenId: string): Promise<Person> {
  const terminal = await openTerminal(world, { program: ['screen', '-U', '-x', screenId], cols: 160, rows: 45 });
  await terminal.until(/\S/, 'the session');
  const command = (...keys: string[]): Promise<void> => terminal.keys('C-a', ...keys);
  const screenCommand = async (line: string): Promise<void> => {
    await command(':');
    await terminal.until(/^:/m, "Screen's prompt");
    await terminal.type(line);
    await terminal.until(new RegExp(`^:${line.replaceAll(/[^a-z0-9 ]/gi, '.')}`, 'm'), 'the line');
    await terminal.keys('Enter');
  };
  return {
    terminal,
    command,
    screenCommand,
    async openShell() {
      const file = join(world.dir, `shell-${shells++}`);
      await screenCommand(`screen /bin/sh -c 'stty raw -echo; echo noting; exec cat >${file}'`);
      await terminal.until(/noting/, 'the second window');
      await waitFor(() => existsSync(file), { describe: 'the second window notes what it gets' });
      return () => readFileSync(file, 'latin1');
    },
    async copyMode() {
      await command('[');
      await terminal.until(/Copy mode/, 'copy mode');
    },
    async detach() {
      await command('d');
      await terminal.ended();
    },
  };
}
