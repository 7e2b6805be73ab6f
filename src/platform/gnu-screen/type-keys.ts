import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodePaste } from '../../core/delivery/paste.ts';
import { exchangeName, type ScreenTarget, sendCommand, sendCommandsAndWait } from './command.ts';
import type { ScreenHost } from './host.ts';

/**
 * Types bytes into a session exactly as given, of any length and with nothing special in them: they go through a file and
 * one of Screen's registers, which belong to the session's own daemon, so the user's copy buffer stays and sessions never
 * mix. (`stuff` drops everything over 756 bytes and exits 0, and reads `\ ^ $` as its own.) A whole call is one message to the
 * daemon: two senders cannot interleave inside of it.
 *
 * Returns when the daemon has taken the bytes, not when the program has read them.
 * @param keys raw keystrokes, or what `encodePaste` made of a text
 * @throws CatalogueError no_such_screen, screen_unresponsive
 */
export async function typeKeys(host: ScreenHost, target: ScreenTarget, keys: string): Promise<void> {
  if (keys === '') return;
  const file = join(host.exchangeDir, exchangeName('keys'));
  try {
    await writeFile(file, keys, { mode: 0o600, flag: 'wx' });
    await sendCommandsAndWait(host, target, [`readreg p ${file}`, 'paste p']);
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Pastes a text as one piece, without Enter; the program must be in bracketed-paste mode, as Claude Code's prompt always is.
 * @param text cleaned and guarded
 * @param options.chunked as Claude Code from 2.1.150 on needs it; see `encodePaste`
 * @throws CatalogueError no_such_screen, screen_unresponsive
 */
export function pasteText(
  host: ScreenHost,
  target: ScreenTarget,
  text: string,
  options: { chunked: boolean } = { chunked: true },
): Promise<void> {
  return typeKeys(host, target, encodePaste(text, options));
}

/** Presses Enter. Claude Code needs a pause after a paste, or it takes the Enter as part of it: that is the caller's to keep. */
export function pressEnter(host: ScreenHost, target: ScreenTarget): Promise<void> {
  return sendCommand(host, target, ['stuff', '^M']);
}

/** Presses Esc, alone. */
export function pressEscape(host: ScreenHost, target: ScreenTarget): Promise<void> {
  return sendCommand(host, target, ['stuff', '^[']);
}
