import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Right, SSH_DESTINATION_PATTERN } from '../../protocol/index.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';
import {
  allowOption,
  authorityOption,
  type JoinOptions,
  joinRequest,
  rightsOption,
  sharedCredentialsOption,
} from './machine-options.ts';
import { readMachineName } from './machine-values.ts';
import { collectLabel, readSpan } from './option-values.ts';

interface AddOptions extends JoinOptions {
  rights: Right[];
  tunnel?: boolean;
  cbos?: string;
  wait: number;
  json?: boolean;
}

/** How long to wait for each answer, which includes the time to type a passphrase. */
const DEFAULT_WAIT_MS = 120_000;

/** Adds `fleet add`, and `fleet receive`, which `fleet add` runs on the other machine. */
export function addAdding(fleet: Command, context: CliContext): void {
  const { out } = context;
  describe(fleet.command('add'), {
    summary: 'invite another machine and let it join, over ssh',
    more: 'Run it on the founder. It uses your own ssh with its configuration, so whatever `ssh HOST` asks, it asks too. CBOS must be installed there; its server is started if it is not running. If the machine cannot reach the NATS server of the founder, the server keeps a tunnel open through ssh, for which ssh must connect without asking anything. After a failure, the invitation is taken back, and the machine leaves the fleet again.',
    examples: [
      ['cbos fleet add build1', 'add the machine that `ssh build1` reaches; it may see the sessions of the others'],
      ['cbos fleet add me@build1 --rights see,answer,type --allow see,answer', 'with more rights, here and there'],
      ['cbos fleet add gpu1 --name gpu --label gpu', 'with another name, and a label for cbos new --host any'],
      ['cbos fleet add build1 --no-tunnel', 'fail if it cannot reach the NATS server directly'],
      ['cbos fleet add build1 --cbos /opt/node/bin/cbos', 'name the program there, if the login shell lacks its path'],
    ],
  })
    .argument('<destination>', '[USER@]HOST, as for ssh', readDestination)
    .addOption(rightsOption('the machine'))
    .addOption(allowOption('there'))
    .option('--name <name>', 'its name in the fleet; default: its host name', readMachineName)
    .option('--label <label>', 'what it has, for `cbos new --host any --label`; can be repeated', collectLabel)
    .option('--tunnel', 'use a tunnel through ssh, even if it reaches the NATS server directly')
    .option('--no-tunnel', 'use no tunnel')
    .option('--cbos <path>', 'the absolute path of CBOS there; default: cbos in PATH of its login shell', readPath)
    .addOption(sharedCredentialsOption())
    .addOption(authorityOption())
    .addOption(
      new Option('--wait <span>', 'how long to wait for each answer of the machine: 30s, 10m')
        .argParser(readSpan)
        .default(DEFAULT_WAIT_MS, '2m'),
    )
    .option('--json', 'print the machine as JSON')
    .action(async (destination: string, options: AddOptions) => {
      const { addMachine } = await import('../add-machine.ts');
      const machine = await addMachine(context, {
        destination,
        program: options.cbos ?? 'cbos',
        tunnel: options.tunnel,
        rights: options.rights,
        join: await joinRequest(context, options),
        waitMs: options.wait,
      });
      if (machine === null) return;
      if (options.json === true) out.json(machine);
      else out.line(`${machine.name} joined the fleet${machine.tunnel === undefined ? '' : ', through ssh'}`);
    });

  fleet
    .command('receive', { hidden: true })
    .description('Join a fleet as `cbos fleet add` on the founder asks, over standard input and output.')
    .action(async () => (await import('../receive-invitation.ts')).receiveInvitation(context));
}

function readDestination(text: string): string {
  if (SSH_DESTINATION_PATTERN.test(text)) return text;
  throw new InvalidArgumentError('Use [USER@]HOST, a host from your ssh configuration, or ssh://USER@HOST:PORT.');
}

function readPath(text: string): string {
  if (/^\/[^\u0000-\u001f\u007f]*$/.test(text)) return text;
  throw new InvalidArgumentError('Use an absolute path on the other machine.');
}
