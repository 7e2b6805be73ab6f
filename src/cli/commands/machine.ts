import type { Command } from 'commander';
import { EXIT, type ResolvedSetting, settingRow } from '../../protocol/index.ts';
import type { StyleName } from '../../text/style.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { type CliContext, canDraw } from '../context.ts';
import type { DoctorCheck, ServiceState } from '../local-host.ts';
import { describe, type JsonOption } from './command-help.ts';

/** Adds `doctor`, `config`, `token`, `service`, and `demo`. */
export function addMachine(program: Command, context: CliContext): void {
  const { out, host, io } = context;

  describe(program.command('doctor'), {
    group: 'server',
    summary: 'check everything that CBOS needs, and show how to fix each fault',
    more: 'The exit code is 1 if a check finds a fault.',
    examples: [['cbos doctor', 'run this before asking for help']],
  })
    .option('--json', 'print the checks as a JSON array')
    .action(async (options: JsonOption) => {
      const checks: DoctorCheck[] = [];
      for await (const check of host.doctor()) {
        checks.push(check);
        if (options.json !== true) out.lines(checkLines(context, check));
      }
      const faults = checks.filter((check) => check.outcome === 'fault').length;
      if (options.json === true) out.json(checks);
      else out.line(faults === 0 ? 'No faults found.' : `${faults} of ${checks.length} checks found a fault.`);
      if (faults > 0) context.exitCode = EXIT.failed;
    });

  describe(program.command('config'), {
    group: 'server',
    summary: 'print each setting and where its value comes from',
    more: 'In order of precedence: flags, the environment, config.toml in the home directory, the default.',
    examples: [
      ['cbos config', 'print all settings'],
      ['cbos config --jq \'.[] | select(.name == "socket").value\'', 'print the value of one setting'],
    ],
  })
    .option('--json', 'print the settings as a JSON array')
    .action(async (options: JsonOption) => {
      const rows = (await context.settings()).rows.map(withoutSecret);
      if (options.json === true) {
        out.json(rows);
        return;
      }
      out.table(
        [
          { title: 'SETTING' },
          { title: 'VALUE', keeps: 'start' },
          { title: 'FROM', worth: 2 },
          { title: 'ENVIRONMENT', worth: 1 },
          { title: 'WHAT IT IS', keeps: 'start', worth: 3 },
        ],
        rows.map(({ name, value, origin }) => {
          const { environment, about } = settingRow(name);
          return [
            { text: name },
            { text: valueText(value) },
            { text: origin, style: origin === 'default' ? 'dim' : null },
            { text: environment ?? '', style: 'dim' },
            { text: about, style: 'dim' },
          ];
        }),
      );
    });

  describe(program.command('token'), {
    group: 'server',
    summary: 'print the API token',
    more: 'Anyone who has the token can type into your sessions. The local socket, which this program uses, needs no token.',
    examples: [
      ['curl -H "Authorization: Bearer $(cbos token)" http://127.0.0.1:32205/sessions', 'list the sessions over HTTP'],
      ['cbos token --rotate', 'create a new token, and invalidate the old one'],
    ],
  })
    .option('--rotate', 'create a new token')
    .option('--json', 'print the token as JSON')
    .action(async (options: JsonOption & { rotate?: boolean }) => {
      const token = options.rotate === true ? await host.rotateToken() : await host.readToken();
      out.result(options.json, { token }, token);
    });

  addService(program, context);

  describe(program.command('demo'), {
    group: 'server',
    summary: 'run real sessions on a scripted stand-in for the model: offline, no key, no cost',
    more: 'The demo has its own home and does not touch your files or sessions. On a terminal, it opens the terminal UI, in which one session gives a one-minute tour. Elsewhere, it prints what happens.',
    examples: [
      ['cbos demo', 'open the terminal UI; q ends the demo'],
      ['cbos demo --web', 'open the page in the browser; Ctrl-C ends the demo'],
      ['cbos demo --lines', 'print what happens until Ctrl-C, so that you can watch the demo from elsewhere'],
    ],
  })
    .option('--web', 'open the page in the browser instead')
    .option('--lines', 'print what happens instead')
    .action(async (options: { web?: boolean; lines?: boolean }) => {
      const stop = new AbortController();
      const dispose = io.onInterrupt(() => stop.abort());
      const face = options.web === true ? 'page' : options.lines === true || !canDraw(io) ? 'lines' : 'terminal';
      try {
        await host.demo({ face, signal: stop.signal, onProgress: (line) => out.line(line) });
      } finally {
        dispose();
      }
    });
}

function addService(program: Command, context: CliContext): void {
  const { out, host } = context;
  const service = describe(program.command('service'), {
    group: 'server',
    summary: 'manage the systemd user service',
    more: 'Sessions keep running when the service stops.',
    examples: [
      ['cbos service install', 'start the server now and at every login'],
      ['cbos service status', 'print whether the service is installed and running'],
      ['cbos service uninstall', 'remove the service'],
    ],
  });
  const print = (state: ServiceState, options: JsonOption): void => {
    if (options.json === true) {
      const { unitFile, running, enabled, notes } = state;
      out.json({ unit_file: unitFile, running, enabled, notes });
      return;
    }
    if (state.unitFile === null) out.line('not installed; install it with cbos service install');
    else {
      out.line(
        `${state.running ? 'running' : 'not running'}, ${state.enabled ? 'starts' : 'does not start'} automatically`,
      );
      out.line(`  ${cleanLine(state.unitFile)}`);
    }
    out.lines(state.notes.map((note) => `  ${cleanLine(note)}`));
  };

  service
    .command('install')
    .description('Install and start the service.')
    .option('--json', 'print the state as JSON')
    .action(async (options: JsonOption) => print(await host.service.install(), options));
  service
    .command('uninstall')
    .description('Stop and remove the service; the sessions keep running.')
    .option('--json', 'print the result as JSON')
    .action(async (options: JsonOption) => {
      const outcome = await host.service.uninstall();
      if (options.json === true) out.json({ status: outcome });
      else out.line(outcome === 'uninstalled' ? 'uninstalled; the sessions keep running' : 'it was not installed');
    });
  service
    .command('status')
    .description('Print whether the service is installed and running.')
    .option('--json', 'print the state as JSON')
    .action(async (options: JsonOption) => print(await host.service.status(), options));
}

const CHECK_MARKS: Readonly<Record<DoctorCheck['outcome'], readonly [mark: string, style: StyleName]>> = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  fault: ['✗', 'red'],
};

function checkLines({ out }: CliContext, { name, outcome, detail, cure }: DoctorCheck): string[] {
  const [mark, style] = CHECK_MARKS[outcome];
  const line = `${out.style(style, mark)} ${cleanLine(name)}: ${cleanLine(detail)}`;
  return cure === null ? [line] : [line, `  → ${cleanLine(cure)}`];
}

/**
 * The list of settings must not contain the token, because users paste the list into bug reports. `cbos token` prints
 * the token.
 */
function withoutSecret(row: ResolvedSetting): ResolvedSetting {
  return row.name === 'token' && row.value !== null ? { ...row, value: '********' } : row;
}

function valueText(value: ResolvedSetting['value']): string {
  if (value === null) return '-';
  return cleanLine(Array.isArray(value) ? value.join(', ') : String(value));
}
