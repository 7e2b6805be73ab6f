import { CatalogueError, SSH_DESTINATION_PATTERN } from '../../protocol/index.ts';
import { cleanLine } from '../../text/terminal-text.ts';

/** How long ssh waits for the connection, and after how long without a sign of life it gives the connection up. */
const CONNECT_S = 20;
const ALIVE_EVERY_S = 15;
const ALIVE_MISSED = 3;
/** The longest part of ssh's own words in an error. */
const SAID_CHARACTERS = 300;

export interface SshCall {
  /** the ssh program, and the options that the user wants it to have */
  ssh: readonly string[];
  destination: string;
  /** options in addition to those of every call, each as `Name=value` */
  options: readonly string[];
  /** the command for the other machine's shell */
  command: string;
}

/**
 * Returns the program and its arguments. The user's configuration decides how to connect, except for what would send
 * more than the command: forwardings, the agent, X11 and a command of its own.
 * @throws CatalogueError invalid_request if the destination could be taken for an option
 */
export function sshArguments({ ssh, destination, options, command }: SshCall): [string, ...string[]] {
  if (!SSH_DESTINATION_PATTERN.test(destination)) {
    throw new CatalogueError('invalid_request', `${JSON.stringify(destination)} is not a destination for ssh`);
  }
  const [program = 'ssh', ...own] = ssh;
  const all = [
    'ControlMaster=no',
    'ForwardAgent=no',
    'ForwardX11=no',
    'RemoteCommand=none',
    `ConnectTimeout=${CONNECT_S}`,
    `ServerAliveInterval=${ALIVE_EVERY_S}`,
    `ServerAliveCountMax=${ALIVE_MISSED}`,
    ...options,
  ];
  return [program, ...own, '-T', ...all.flatMap((option) => ['-o', option]), '--', destination, command];
}

/**
 * Returns a command that runs a program in the login shell of the other machine's user, which sets PATH. Every shell
 * reads single quotes alike.
 */
export function loginCommand(words: readonly string[]): string {
  return `exec "$SHELL" -lc ${quote(`exec ${words.map(quote).join(' ')}`)}`;
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Returns the last line that ssh or the other machine wrote on standard error, safe to print. */
export function lastWords(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map(cleanLine)
    .filter((line) => line !== '');
  return lines.at(-1)?.slice(0, SAID_CHARACTERS) ?? '';
}
