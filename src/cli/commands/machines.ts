import { createInterface } from 'node:readline/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type FleetView, RIGHTS, type Right, settingKey } from '../../protocol/index.ts';
import { formatDuration } from '../../text/durations.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { confirm } from '../confirm.ts';
import { type CliContext, isInteractive } from '../context.ts';
import { machineTable, tunnelFault } from '../output/fleet-table.ts';
import { type SharedServerFiles, sharedServerFields } from '../shared-server-files.ts';
import { addAdding } from './adding.ts';
import { describe, type JsonOption } from './command-help.ts';
import {
  allowOption,
  authorityOption,
  type JoinOptions,
  joinRequest,
  rightsOption,
  sharedCredentialsOption,
} from './machine-options.ts';
import { readAllowed, readMachineName } from './machine-values.ts';
import { collectLabel, readSpan } from './option-values.ts';

interface InitOptions extends SharedServerFiles {
  address?: string;
  nats?: string;
  name?: string;
}

/** How long an invitation is valid: long enough to walk over to the other machine. */
const DEFAULT_SPAN_MS = 600_000;
const LONGEST_SPAN_MS = 7 * 86_400_000;

/** Adds `fleet` and its subcommands. */
export function addMachines(program: Command, context: CliContext): void {
  const fleet = describe(program.command('fleet'), {
    group: 'server',
    summary: 'connect machines, and list their sessions together',
    more: `Every machine keeps its own sessions and decides what the others may do there: ${RIGHTS.join(', ')}. Commands such as show, send, answer, wait, attach, replay, stop and restart accept a session of another machine as machine/NAME, \`cbos new --host\` launches one there, and \`cbos send --fleet\` sends a prompt to sessions on all machines.\nContainers join by their environment: docs/guides/containers.md. Everything else is in docs/FLEET.md.`,
    examples: [
      ['cbos fleet init --address 10.0.0.5', 'start a fleet on the first machine, which runs the NATS server'],
      [
        'cbos fleet init --nats nats://10.0.0.9 --credentials fleet.creds',
        'start a fleet on a NATS server that exists already',
      ],
      ['cbos fleet invite --rights see,answer', 'print a line that admits one machine, once'],
      ['cbos fleet join --allow see,answer,type', 'join on the other machine; asks for that line'],
      ['cbos fleet add me@build1', 'do both over ssh, from the first machine'],
      ['cbos fleet ls', 'list the machines'],
      ['cbos ls --fleet', 'list the sessions of all machines'],
      ['cbos attach build1/AUTH', 'open the terminal of a session on the machine build1'],
      ['cbos fleet rename laptop-2', 'give this machine another name'],
      ['cbos fleet remove laptop', 'remove a machine immediately'],
    ],
  });
  addList(fleet, context);
  addFounding(fleet, context);
  addJoining(fleet, context);
  addAdding(fleet, context);
  addRenaming(fleet, context);
  addEnding(fleet, context);
}

function addList(fleet: Command, context: CliContext): void {
  const { out } = context;
  fleet
    .command('ls', { isDefault: true })
    .alias('list')
    .summary('list the machines')
    .description(
      'List the machines in the fleet: whether each one responds, directly or through ssh, its load for each processor, its labels and its rights. If a tunnel is not open, or a machine takes no part in the fleet, for example because two servers have its key or its version is too old, the command says why.',
    )
    .option('--json', 'print the API response as JSON')
    .action(async ({ json }: JsonOption) => {
      const client = await context.client();
      const view = await client.call('fleet');
      if (json === true) out.json(view);
      else printView(context, view);
    });
}

function printView({ out }: CliContext, { fleet, machines }: FleetView): void {
  if (fleet === null) {
    out.notice(
      'this machine does not belong to a fleet — start one with cbos fleet init, or join one with cbos fleet join',
    );
    return;
  }
  out.lines(machineTable(machines, out.style, out.width));
  for (const machine of machines) {
    if (machine.fault !== null) out.notice(cleanLine(machine.fault));
    const fault = tunnelFault(machine);
    if (fault !== null) out.notice(fault);
  }
  if (!fleet.connected) {
    const { address, doubles } = fleet;
    out.notice(
      `${doubles.length > 0 ? 'taking no part in the fleet' : `not connected to ${address}`}: ${fleet.fault ?? ''}`,
    );
  }
  const allowed = fleet.allow.length === 0 ? 'nothing' : fleet.allow.join(', ');
  out.notice(`other machines may do this here, each within its rights: ${allowed} — cbos fleet allow changes it`);
}

function addFounding(fleet: Command, context: CliContext): void {
  const { out } = context;
  fleet
    .command('init')
    .summary('start a fleet on this machine')
    .description(
      'Start a fleet. This machine runs a NATS server for it, with its own certificate authority and keys. With --nats, the fleet uses a NATS server or cluster that exists already, and the machines sign their messages.',
    )
    .option(
      '--address <host[:port]>',
      'the address at which other machines reach this one; without it, they can join only through ssh: cbos fleet add',
    )
    .addOption(
      new Option(
        '--nats <address>',
        'use a NATS server with JetStream that exists already: nats://HOST:PORT or tls://HOST:PORT, or several with commas',
      ).conflicts('address'),
    )
    .option('--credentials <file>', 'for --nats: a credentials file, or a file with the seed of an nkey')
    .addOption(authorityOption())
    .option('--name <name>', "this machine's name; default: its host name", readMachineName)
    .option('--json', 'print the API response as JSON')
    .action(async ({ json, credentials, ca, ...rest }: JsonOption & InitOptions) => {
      const body = { ...rest, ...(await sharedServerFields(context, { credentials, ca })) };
      const client = await context.client();
      const view = await client.call('initFleet', { body });
      if (json === true) return out.json(view);
      out.line(`started a fleet: this machine is ${view.fleet?.machine ?? ''}, at ${view.fleet?.address ?? ''}`);
      out.notice('cbos fleet invite prints a line that admits another machine');
      if (body.address === undefined && body.nats === undefined)
        out.notice('it listens only on this machine — cbos fleet add HOST adds another machine through ssh');
    });

  fleet
    .command('invite')
    .summary('print a line that admits one machine, once')
    .description(
      'Print an invitation: a line that admits one machine, once. The first machine that uses it is admitted.',
    )
    .addOption(rightsOption('the new machine'))
    .addOption(
      new Option('--for <span>', 'how long the invitation is valid: 10m, 2h')
        .argParser(readInvitationSpan)
        .default(DEFAULT_SPAN_MS, '10m'),
    )
    .option('--json', 'print the API response as JSON')
    .action(async ({ json, rights, for: spanMs }: JsonOption & { rights: Right[]; for: number }) => {
      const client = await context.client();
      const valid = Math.max(1, Math.round(spanMs / 1_000));
      const invitation = await client.call('inviteMachine', { body: { rights, valid_s: valid } });
      if (json === true) return out.json(invitation);
      out.line(invitation.line);
      out.notice(
        `the invitation is valid for ${formatDuration(spanMs)} and admits one machine, which may ${rights.join(', ')}`,
      );
      out.notice('run cbos fleet join on the other machine, and paste this line');
    });

  fleet
    .command('allow')
    .summary('limit what other machines may do on this one')
    .description(
      'Limit what the other machines may do on this one. Each machine also needs the right from its invitation.',
    )
    .argument('<rights>', `${RIGHTS.join(', ')}, separated by commas; none for no rights`, readAllowed)
    .option('--json', 'print the API response as JSON')
    .action(async (rights: Right[], { json }: JsonOption) => {
      const client = await context.client();
      const view = await client.call('allowMachines', { body: { rights } });
      if (json === true) out.json(view);
      else printView(context, view);
    });
}

function addJoining(fleet: Command, context: CliContext): void {
  const { out, io } = context;
  fleet
    .command('join')
    .summary('join a fleet with an invitation')
    .description(
      'Join a fleet. Without the invitation as an argument, the command asks for it or reads it from standard input. This is safer, because other users of this machine can see the arguments of running commands.',
    )
    .argument('[line]', 'the line that `cbos fleet invite` printed; - or no argument reads standard input')
    .addOption(allowOption('here'))
    .option('--name <name>', "this machine's name; default: its host name", readMachineName)
    .option(
      '--label <label>',
      `what this machine has, in addition to ${settingKey('machine_labels')}; can be repeated`,
      collectLabel,
    )
    .addOption(sharedCredentialsOption())
    .addOption(authorityOption())
    .option('--json', 'print the API response as JSON')
    .action(async (given: string | undefined, { json, ...options }: JsonOption & JoinOptions) => {
      const line = given === undefined || given === '-' ? await readLine(context) : given;
      const body = { line, ...(await joinRequest(context, options)) };
      const client = await context.client();
      const view = await client.call('joinFleet', { body });
      if (json === true) return out.json(view);
      out.line(`joined the fleet as ${view.fleet?.machine ?? ''}`);
      printView(context, view);
    });

  async function readLine({ out: { notice } }: CliContext): Promise<string> {
    if (isInteractive(io)) notice('paste the line that `cbos fleet invite` printed:');
    const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    try {
      for await (const text of lines) if (text.trim() !== '') return text.trim();
      return '';
    } finally {
      lines.close();
    }
  }
}

function addRenaming(fleet: Command, context: CliContext): void {
  const { out } = context;
  fleet
    .command('rename')
    .summary('give this machine another name in the fleet')
    .description('Give this machine another name in the fleet. Its key, its rights and its sessions stay the same.')
    .argument('<name>', 'the new name', readMachineName)
    .option('--json', 'print the API response as JSON')
    .action(async (name: string, { json }: JsonOption) => {
      const client = await context.client();
      const view = await client.call('renameMachine', { body: { name } });
      out.result(json, view, `this machine is now ${view.fleet?.machine ?? ''}`);
    });
}

function addEnding(fleet: Command, context: CliContext): void {
  const { out } = context;
  fleet
    .command('remove')
    .alias('rm')
    .summary('remove a machine from the fleet immediately')
    .description('Remove a machine from the fleet immediately. It can join again only with a new invitation.')
    .argument('<machine>', 'the machine')
    .option('--json', 'print the API response as JSON')
    .action(async (machine: string, { json }: JsonOption) => {
      const client = await context.client();
      const removed = await client.call('removeMachine', { body: { machine } });
      out.result(json, removed, `${removed.name} was removed from the fleet`);
    });

  fleet
    .command('leave')
    .summary('leave the fleet; on the founder, end it for all')
    .description(
      'Leave the fleet and remove its keys from this machine. On the founder, this ends the fleet for all machines, so the command asks. If you run it on a clone or a copy of a machine, the original stays in the fleet.',
    )
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print the API response as JSON')
    .action(async ({ json, yes }: JsonOption & { yes?: boolean }) => {
      const client = await context.client();
      const { fleet: own, machines } = await client.call('fleet');
      const isLast = machines.length <= 1;
      if (own?.is_founder === true && !isLast && yes !== true) {
        if (!(await confirm(context, `End the fleet for all ${machines.length} machines? This cannot be undone.`))) {
          out.notice('nothing was changed; the fleet continues');
          return;
        }
      }
      const left = await client.call('leaveFleet');
      if (json === true) return out.json(left);
      out.line('left the fleet');
      if (left.is_copy) out.notice('this was a copy of another machine, which stays in the fleet');
      else if (!left.told) out.notice('the founder could not be notified — run this there: cbos fleet remove NAME');
    });
}

function readInvitationSpan(text: string): number {
  const spanMs = readSpan(text);
  if (spanMs <= LONGEST_SPAN_MS) return spanMs;
  throw new InvalidArgumentError('Use at most 7d.');
}
