import pty from '@lydell/node-pty';
import { expect, test } from 'vitest';
import { createEmulator } from '../../src/platform/emulator/index.ts';
import type { Session } from '../../src/protocol/index.ts';
import { PROGRAM, startCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { hasNatsServer } from '../harness/fleet.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

test.skipIf(!hasNatsServer)(
  'a person attaches over the fleet to the real program, prompts it, and leaves',
  async () => {
    const deskWorld = await claudeWorld({ agent: 'stand-in' });
    const laptopWorld = createWorld();
    try {
      const [desk, laptop] = await Promise.all([startCbos(deskWorld), startCbos(laptopWorld)]);
      const address = `127.0.0.1:${await deskWorld.freePort()}`;
      await desk.cli(['fleet', 'init', '--address', address, '--name', 'desk']);
      const invited = await desk.cli(['fleet', 'invite', '--rights', 'see,type']);
      const joined = await laptop.cli(['fleet', 'join', '--name', 'laptop'], { stdin: invited.stdout });
      expect(joined.code).toBe(0);
      await desk.call<Session>('POST', '/sessions', { slug: 'FAR', type: 'screen', path: deskWorld.projectDir });
      await desk.untilStatus('FAR', 'idle/ready');

      const [cols, rows] = [90, 28];
      const terminal = pty.spawn(process.execPath, [PROGRAM, 'attach', 'desk/FAR'], {
        ...{ cols, rows, cwd: laptopWorld.projectDir },
        env: { ...laptopWorld.env, TERM: 'xterm-256color' },
      });
      laptopWorld.onDispose(() => terminal.kill('SIGKILL'));
      const emulator = createEmulator({ cols, rows, scrollback: 0 });
      laptopWorld.onDispose(() => emulator.dispose());
      terminal.onData((text) => emulator.write(Buffer.from(text)));
      let exitCode: number | null = null;
      terminal.onExit((exit) => {
        exitCode = exit.exitCode;
      });
      const screen = (): string => emulator.frame().lines.join('\n').trimEnd();
      const shows = (text: string) =>
        waitFor(() => screen().includes(text), { describe: `the screen shows ${text}`, actual: screen });

      await desk.until('FAR', (session) => session.cols === cols && session.rows === rows, 'takes the size');
      terminal.write('far scene:hello');
      await shows('far scene:hello');
      terminal.write('\r');
      await waitFor(() => deskWorld.promptsReceived().includes('far scene:hello'), {
        describe: 'Claude Code gets the prompt',
        actual: screen,
      });
      await desk.until(
        'FAR',
        ({ status }) => status.primary === 'idle' || status.primary === 'waiting',
        'has answered',
      );
      terminal.write('\u0001d');
      await waitFor(() => exitCode === 0, { describe: 'the terminal is left', actual: screen });
      expect(screen()).toContain('[detached from desk/FAR]');
      expect((await desk.session('FAR')).status.primary).not.toBe('dead');
    } finally {
      await laptopWorld.dispose();
      await deskWorld.dispose();
    }
  },
);
