export interface UnitOptions {
  /** absolute path of the Node executable that runs the server */
  node: string;
  /** absolute path of the built program */
  program: string;
  /** the variables that the server needs from the user's environment; see `serviceEnvironment` */
  environment: Readonly<Record<string, string>>;
}

/** The name by which systemctl knows the unit. */
export const UNIT = 'cbos.service';

/**
 * Returns the text of the unit file.
 *
 * The server starts sessions, which stay in the control group of the unit. Three lines keep them alive. With
 * `KillMode=process`, stopping the unit ends only the server. `OOMPolicy=continue` is needed because systemd would
 * otherwise stop the whole unit when the kernel kills any of its processes for lack of memory. `TasksMax=infinity` is
 * needed because fifty Claude Code processes with thirty threads each come close to the default limit.
 */
export function unitText({ node, program, environment }: UnitOptions): string {
  const variables = Object.entries(environment)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`);
  return `${[
    '# Written by "cbos service install"; "cbos service uninstall" removes it.',
    '[Unit]',
    'Description=CBOS: runs, watches and answers Claude Code sessions',
    // If a server cannot start, for example because its port is taken, systemd gives up after five attempts.
    'StartLimitIntervalSec=60',
    'StartLimitBurst=5',
    '',
    '[Service]',
    `ExecStart=${[node, program, 'serve'].map((word) => quote(word).replaceAll('$', '$$$$')).join(' ')}`,
    ...variables,
    'KillMode=process',
    'OOMPolicy=continue',
    'TasksMax=infinity',
    'Restart=on-failure',
    'RestartSec=2',
    '',
    '[Install]',
    'WantedBy=default.target',
  ].join('\n')}\n`;
}

/**
 * Quotes a word as described in systemd.syntax(7), by putting it in double quotes and escaping `\` and `"`. `%` is
 * doubled because it starts a specifier. Control characters are written as numbers, because a carriage return ends a
 * line just like a line feed.
 */
function quote(word: string): string {
  const escaped = word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replace(/[\x01-\x1f\x7f]/g, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `"${escaped}"`;
}
