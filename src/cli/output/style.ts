import { type Style, styled } from '../../text/style.ts';
import type { TerminalIo, TerminalOutput } from '../terminal-io.ts';

/**
 * Uses colours only if the terminal supports them and the user has not disabled them by setting `NO_COLOR` to any
 * non-empty value (https://no-color.org).
 */
export function styleFor(output: TerminalOutput, env: TerminalIo['env']): Style {
  const isWanted = output.isTTY === true && !['', 'dumb'].includes(env.TERM ?? '') && (env.NO_COLOR ?? '') === '';
  return isWanted ? styled : (_, text) => text;
}
