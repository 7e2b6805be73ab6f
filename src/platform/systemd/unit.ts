export interface UnitOptions {
  /** absolute path of the Node that runs the server */
  node: string;
  /** absolute path of the built program */
  program: string;
  /** what the server needs of the person's environment; see `serviceEnvironment` */
  environment: Readonly<Record<string, string>>;
}

/** The unit's name for systemctl. */
export const UNIT = 'cbos.service';

/**
 * The text of the user unit.
 *
 * Sessions are started by the server and stay in the unit's control group, so three lines keep them alive:
 * `KillMode=process` ends the server alone when the unit is stopped; `OOMPolicy=continue` because systemd otherwise
 * stops the whole unit when the kernel kills any one process of it for memory; `TasksMax=infinity` because fifty Claude
 * Codes of thirty threads each are near the default limit.
 */
export function unitText({ node, program, environment }: UnitOptions): string {
  const variables = Object.entries(environment)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`);
  return `${[
    '# Written by "cbos service install"; "cbos service uninstall" removes it.',
    '[Unit]',
    'Description=CBOS: runs, watches and answers Claude Code sessions',
    // A server that cannot start (the port is taken) is given up after five attempts.
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
 * One word for systemd.syntax(7): in double quotes, `\` and `"` escaped, `%` doubled because it starts a specifier,
 * control characters by their numbers because a carriage return ends a line as a line feed does.
 */
function quote(word: string): string {
  const escaped = word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replace(/[\x01-\x1f\x7f]/g, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `"${escaped}"`;
}
