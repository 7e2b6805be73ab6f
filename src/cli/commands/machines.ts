import { createInterface } from 'node:readline/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { type FleetView, MACHINE_NAME_PATTERN, RIGHTS, type Right } from '../../protocol/index.ts';
import { formatDuration } from '../../text/durations.ts';
import { confirm } from '../confirm.ts';
import { type CliContext, isInteractive } from '../context.ts';
import { machineTable } from '../output/fleet-table.ts';
import { describe } from './command-help.ts';
import { readSpan } from './option-values.ts';

interface JsonOption {
  json?: boolean;
}

/** How long an invitation lasts: long enough to walk to the other machine. */
const DEFAULT_SPAN_MS = 600_000;
const LONGEST_SPAN_MS = 7 * 86_400_000;

/** Adds `fleet` with what is below it. */
export function addMachines(program: Command, context: CliContext): void {
  const fleet = describe(program.command('fleet'), {
    group: 'server',
    summary: 'join machines: their sessions as one list',
    more: `Every machine keeps its sessions and decides itself what the others may do there: ${RIGHTS.join(', ')}. A session of another machine is machine/NAME in show, send, answer, interrupt, wait, stop and restart. docs/FLEET.md has all of it.`,
    examples: [
      ['cbos fleet init --address 10.0.0.5', 'on the first machine: it runs the NATS server'],
      ['cbos fleet invite --rights see,answer', 'a line that admits one machine, once'],
      ['cbos fleet join --allow see,answer,type', 'on the other machine: asks for the line'],
      ['cbos fleet ls', 'the machines'],
      ['cbos ls --fleet', 'the sessions of all machines'],
      ['cbos fleet remove laptop', 'shut a machine out at once'],
    ],
  });
  addList(fleet, context);
  addFounding(fleet, context);
  addJoining(fleet, context);
  addEnding(fleet, context);
}

function addList(fleet: Command, context: CliContext): void {
  const { out } = context;
  fleet
    .command('ls', { isDefault: true })
    .alias('list')
    .summary('list the machines')
    .description('List the machines of the fleet, and whether each answers.')
    .option('--json', 'the REST body')
    .action(async ({ json }: JsonOption) => {
      const client = await context.client();
      const view = await client.call('fleet');
      if (json === true) out.json(view);
      else printView(context, view);
    });
}

function printView({ out }: CliContext, { fleet, machines }: FleetView): void {
  if (fleet === null) {
    out.notice('this machine belongs to no fleet — cbos fleet init founds one, cbos fleet join joins one');
    return;
  }
  out.lines(machineTable(machines, out.style, out.width));
  if (!fleet.connected) out.notice(`not connected to ${fleet.address}: ${fleet.fault ?? ''}`);
  const allowed = fleet.allow.length === 0 ? 'nothing' : fleet.allow.join(', ');
  out.notice(`here the others may, each within its rights: ${allowed} — cbos fleet allow changes that`);
}

function addFounding(fleet: Command, context: CliContext): void {
  const { out } = context;
  fleet
    .command('init')
    .summary('found a fleet on this machine')
    .description('Found a fleet: start a NATS server of its own, with an authority and keys of its own.')
    .option('--address <host[:port]>', 'where the others reach this machine; without it, only this machine can join')
    .option('--name <name>', 'what this machine is called; its host name when left out', readName)
    .option('--json', 'the REST body')
    .action(async ({ json, ...body }: JsonOption & { address?: string; name?: string }) => {
      const client = await context.client();
      const view = await client.call('initFleet', { body });
      if (json === true) return out.json(view);
      out.line(`founded: ${view.fleet?.machine ?? ''}, at ${view.fleet?.address ?? ''}`);
      out.notice('cbos fleet invite admits another machine');
      if (body.address === undefined)
        out.notice('it listens on this machine only — cbos fleet init --address HOST opens it');
    });

  fleet
    .command('invite')
    .summary('print a line that admits one machine, once')
    .description('Print an invitation: a line that admits one machine, once. Whoever has it first is admitted.')
    .option('--rights <rights>', `what the machine may do on the others: ${RIGHTS.join(', ')}`, readRights, ['see'])
    .option('--for <span>', 'how long it can be used: 10m, 2h', readInvitationSpan, DEFAULT_SPAN_MS)
    .option('--json', 'the REST body')
    .action(async ({ json, rights, for: spanMs }: JsonOption & { rights: Right[]; for: number }) => {
      const client = await context.client();
      const valid = Math.max(1, Math.round(spanMs / 1_000));
      const invitation = await client.call('inviteMachine', { body: { rights, valid_s: valid } });
      if (json === true) return out.json(invitation);
      out.line(invitation.line);
      out.notice(`it admits one machine, which may ${rights.join(', ')}, within ${formatDuration(spanMs)}`);
      out.notice('on the other machine: cbos fleet join asks for it');
    });

  fleet
    .command('allow')
    .summary('set what the others may do on this machine, at most')
    .description('Set what the other machines may do on this one, at most. Each has its own rights besides.')
    .argument('<rights>', `${RIGHTS.join(', ')}, with commas between them; none for nothing`, readAllowed)
    .option('--json', 'the REST body')
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
    .summary('join a fleet by an invitation')
    .description(
      'Join a fleet. Without the line, the command asks for it, or reads it from standard input. Other users of this machine can read the arguments of commands while these run.',
    )
    .argument('[line]', 'what `cbos fleet invite` printed; - or nothing reads it')
    .option('--allow <rights>', 'what the others may do here, each within its rights', readAllowed, ['see'])
    .option('--name <name>', 'what this machine is called; its host name when left out', readName)
    .option('--json', 'the REST body')
    .action(
      async (given: string | undefined, { json, allow, name }: JsonOption & { allow: Right[]; name?: string }) => {
        const line = given === undefined || given === '-' ? await readLine(context) : given;
        const client = await context.client();
        const body = { line, allow, ...(name === undefined ? {} : { name }) };
        const view = await client.call('joinFleet', { body });
        if (json === true) return out.json(view);
        out.line(`joined as ${view.fleet?.machine ?? ''}`);
        printView(context, view);
      },
    );

  async function readLine({ out: { notice } }: CliContext): Promise<string> {
    if (isInteractive(io)) notice('paste the line of `cbos fleet invite`:');
    const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    try {
      for await (const text of lines) if (text.trim() !== '') return text.trim();
      return '';
    } finally {
      lines.close();
    }
  }
}

function addEnding(fleet: Command, context: CliContext): void {
  const { out } = context;
  fleet
    .command('remove')
    .alias('rm')
    .summary('shut a machine out of the fleet at once')
    .description('Shut a machine out at once. Only a new invitation lets it in again.')
    .argument('<machine>', 'the machine')
    .option('--json', 'the REST body')
    .action(async (machine: string, { json }: JsonOption) => {
      const client = await context.client();
      const removed = await client.call('removeMachine', { body: { machine } });
      if (json === true) out.json(removed);
      else out.line(`${removed.name} is out of the fleet`);
    });

  fleet
    .command('leave')
    .summary('leave the fleet; the founder ends it for all')
    .description('Leave the fleet and remove its keys from this machine. The founder ends the fleet for all, and asks.')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'the REST body')
    .action(async ({ json, yes }: JsonOption & { yes?: boolean }) => {
      const client = await context.client();
      const { fleet: own, machines } = await client.call('fleet');
      const isLast = machines.length <= 1;
      if (own?.is_founder === true && !isLast && yes !== true) {
        if (!(await confirm(context, `End the fleet for all ${machines.length} machines? This cannot be undone.`))) {
          out.notice('the fleet goes on');
          return;
        }
      }
      const left = await client.call('leaveFleet');
      if (json === true) return out.json(left);
      out.line('left the fleet');
      if (!left.told) out.notice('the founder could not be told — there: cbos fleet remove NAME');
    });
}

function readName(text: string): string {
  if (MACHINE_NAME_PATTERN.test(text)) return text;
  throw new InvalidArgumentError('It must be up to 32 small letters, digits and "-", a letter or digit first.');
}

function readAllowed(text: string): Right[] {
  return text === 'none' ? [] : readRights(text);
}

function readRights(text: string): Right[] {
  const words = text.split(',').map((word) => word.trim());
  const known = RIGHTS.filter((right) => words.includes(right));
  if (known.length === new Set(words).size) return known;
  throw new InvalidArgumentError(`It must be words of ${RIGHTS.join(', ')}, with commas between them.`);
}

function readInvitationSpan(text: string): number {
  const spanMs = readSpan(text);
  if (spanMs <= LONGEST_SPAN_MS) return spanMs;
  throw new InvalidArgumentError('It must be at most 7d.');
}
