import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodePaste } from '../../core/delivery/paste.ts';
import {
  exchangeName,
  requireScreen,
  type ScreenTarget,
  type ScreenWindow,
  sendCommandNow,
  sendCommandsAndWait,
} from './command.ts';
import { findWindow } from './find-window.ts';
import type { ScreenHost } from './host.ts';
import { InputGate } from './input-gate.ts';
import { parseScreenId } from './screen-id.ts';

/** How long to wait for a program to accept a keypress. A program that takes longer has hung or is suspended. */
const TAKEN_TIMEOUT_MS = 3_000;

/**
 * Types keystrokes of any length into a session, exactly as given. Calls are served in order. Returns when Screen's
 * daemon has accepted the keystrokes or, if there are more than 4 kB, when the terminal has accepted them.
 *
 * When Screen pastes, it turns a newline (Ctrl+J) into a carriage return (Enter), as every terminal does. Inside a
 * bracketed paste, that is correct. Outside one, a newline must remain a newline, so each newline is typed as a
 * separate keypress.
 * @throws CatalogueError no_such_screen, no_such_window; screen_unresponsive if the daemon is suspended or the program
 * does not read its input; screen_prompt_open, before anything is typed, while a user has copy mode or one of Screen's
 * prompts open there
 */
export function typeKeys(host: ScreenHost, target: ScreenTarget, keys: string): Promise<void> {
  const parts = keys.replaceAll(BRACKETED, (pasted) => pasted.replaceAll('\n', '\r')).split(/(\n)/);
  const steps = parts.filter((part) => part !== '').map((part) => (part === '\n' ? stuff('^J') : paste(part)));
  return typeSteps(host, target, steps);
}

const BRACKETED = /\x1b\[200~.*?\x1b\[201~/gs;

/**
 * Pastes text in one piece, without Enter. The program must be in bracketed-paste mode, as Claude Code's prompt always
 * is.
 * @param text text that has already been cleaned and guarded
 * @param options.chunked as required by Claude Code since 2.1.150; see `encodePaste`
 * @throws the same errors as {@link typeKeys}
 */
export function pasteText(
  host: ScreenHost,
  target: ScreenTarget,
  text: string,
  options: { chunked: boolean } = { chunked: true },
): Promise<void> {
  return typeKeys(host, target, encodePaste(text, options));
}

/**
 * Presses Enter. After a paste, the caller must pause first, or Claude Code treats the Enter as part of the paste.
 * @param mayPress called when everything else is done that precedes the key, which may take seconds on a loaded machine
 * @returns whether the key was pressed; false if `mayPress` returned false
 */
export const pressEnter = (host: ScreenHost, target: ScreenTarget, mayPress?: () => boolean): Promise<boolean> =>
  pressKey(host, target, '^M', mayPress);

/** Presses Esc and nothing else. Parameters and result are those of {@link pressEnter}. */
export const pressEscape = (host: ScreenHost, target: ScreenTarget, mayPress?: () => boolean): Promise<boolean> =>
  pressKey(host, target, '^[', mayPress);

/** Presses shift+Tab. Parameters and result are those of {@link pressEnter}. */
export const pressShiftTab = (host: ScreenHost, target: ScreenTarget, mayPress?: () => boolean): Promise<boolean> =>
  pressKey(host, target, '^[[Z', mayPress);

async function pressKey(
  host: ScreenHost,
  target: ScreenTarget,
  key: string,
  mayPress?: () => boolean,
): Promise<boolean> {
  try {
    await typeSteps(host, target, [stuff(key, mayPress)]);
    return true;
  } catch (error) {
    if (error instanceof Withheld) return false;
    throw error;
  }
}

/** Thrown instead of pressing a key that may no longer be pressed. */
class Withheld extends Error {}

interface Step {
  sizeBytes: number;
  /** @returns how many additional bytes Screen's daemon wrote */
  send: (host: ScreenHost, window: ScreenWindow) => Promise<number>;
}

/**
 * Sends bytes through a file and one of Screen's registers. Registers belong to the session's own daemon, so sessions
 * never get mixed up, and the user's copy buffer does not change. The register is emptied first, because otherwise the
 * previous text would be pasted if the file had already disappeared. (`stuff` drops everything beyond 756 bytes but
 * exits with 0, and it interprets `\ ^ $`.)
 */
function paste(text: string): Step {
  const send: Step['send'] = async (host, window) => {
    const file = join(host.exchangeDir, exchangeName('keys'));
    try {
      await writeFile(file, text, { mode: 0o600, flag: 'wx' });
      return await sendCommandsAndWait(host, window, ['register p ""', `readreg p ${file}`, 'paste p']);
    } finally {
      await rm(file, { force: true });
    }
  };
  return { sizeBytes: Buffer.byteLength(text), send };
}

/**
 * Types one key.
 * @param key in Screen's own notation, in which `^X` is one character
 * @throws Withheld if the key may not be pressed at the last moment
 */
function stuff(key: string, mayPress: () => boolean = () => true): Step {
  const send: Step['send'] = async (host, window) => {
    const session = await requireScreen(host, window);
    if (!mayPress()) throw new Withheld('the key was not pressed');
    await sendCommandNow(host, session, window.number, ['stuff', key]);
    return 0;
  };
  return { sizeBytes: key.replaceAll(/\^./g, '^').length, send };
}

function typeSteps(host: ScreenHost, target: ScreenTarget, steps: readonly Step[]): Promise<void> {
  // Nothing may be awaited before the turn has been taken, or calls could overtake each other. The daemon's pid is the
  // same under every name.
  const key = String(parseScreenId(target.id)?.pid);
  const gate = host.gates.get(key) ?? new InputGate();
  host.gates.set(key, gate);
  return gate.turn(async (type) => {
    if (steps.length === 0) return;
    const window = await findWindow(host, target);
    for (const { sizeBytes, send } of steps) {
      const { pid, attached } = await requireScreen(host, target);
      const timeoutMs = TAKEN_TIMEOUT_MS;
      await type({ daemonPid: pid, attached, sizeBytes, timeoutMs, send: () => send(host, window) });
    }
  });
}
