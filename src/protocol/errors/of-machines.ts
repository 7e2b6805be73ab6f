import { settingKey } from '../settings.ts';
import { type CatalogueEntry, EXIT, REFUSED, UNAVAILABLE } from './catalogue-entry.ts';

/** Errors of a fleet, concerning other machines and the NATS server that connects them. */
export const MACHINE_ERRORS = {
  no_fleet: {
    ...REFUSED,
    meaning: 'This machine does not belong to a fleet',
    hint: 'Start a fleet with `cbos fleet init`, or join one with `cbos fleet join`',
  },
  in_fleet: {
    ...REFUSED,
    meaning: 'This machine already belongs to a fleet',
    hint: 'Leave that fleet first: `cbos fleet leave`',
  },
  fleet_not_ready: {
    status: 503,
    exit: EXIT.noServer,
    meaning:
      'This machine belongs to a fleet, but its server is starting or ending, and takes no part in the fleet now',
    hint: 'Try again in a moment; if CBOS was stopped, start it: `cbos up`',
  },
  not_founder: {
    ...REFUSED,
    meaning: 'Only the founder of the fleet, the machine that started it, can do this',
    hint: '`cbos fleet ls` shows which machine founded the fleet',
  },
  no_such_machine: {
    status: 404,
    exit: EXIT.noSuchSession,
    meaning: 'No machine in the fleet has this name',
    hint: '`cbos fleet ls` lists the machines',
  },
  no_suitable_machine: {
    ...REFUSED,
    meaning: 'No machine that can be reached now has these labels and may be used to launch a session',
    hint: `\`cbos fleet ls\` shows the machines and their labels; the setting ${settingKey('machine_labels')} sets them`,
  },
  machine_name_taken: {
    ...REFUSED,
    meaning: 'Another machine in the fleet has this name; the invitation can still be used',
    hint: 'Choose another name with `--name NAME`. If it is this machine from before it was reinstalled, run `cbos fleet remove NAME` on the founder first',
  },
  machine_unreachable: {
    status: 503,
    exit: EXIT.noServer,
    meaning: 'The machine cannot be reached; nothing was done there, and CBOS will not retry',
    hint: 'Try again when `cbos fleet ls` shows the machine as reachable',
  },
  machine_silent: {
    status: 504,
    exit: EXIT.timedOut,
    meaning: 'The machine did not answer in time, so it may or may not have carried out the request',
    hint: 'Check the session with `cbos show MACHINE/NAME` before you try again',
  },
  not_allowed_there: {
    status: 403,
    exit: EXIT.refused,
    meaning: 'This machine lacks the right to do that on the other machine',
    hint: 'The founder grants rights with an invitation; the other machine grants them with `cbos fleet allow`',
  },
  not_over_fleet: {
    status: 501,
    exit: EXIT.refused,
    meaning: 'CBOS cannot do this to a session on another machine',
    hint: 'Run the command on that machine, for example over ssh',
  },
  invalid_invitation: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The invitation is not valid: it was used, has expired, or is incomplete',
    hint: 'Get another one: run `cbos fleet invite` on the founder',
  },
  ssh_missing: {
    ...UNAVAILABLE,
    meaning: 'The program ssh was not found on this machine',
    hint: `Install it: \`sudo apt-get install openssh-client\`; the setting ${settingKey('fleet_ssh')} names another one`,
  },
  ssh_failed: {
    status: 502,
    exit: EXIT.noServer,
    meaning: 'The program ssh could not connect to the machine',
    hint: 'Find out with `ssh HOST` on its own why it cannot connect',
  },
  cbos_missing: {
    status: 502,
    exit: EXIT.failed,
    meaning: 'CBOS was not found on the other machine',
    hint: 'Install it there, or name its program: `cbos fleet add HOST --cbos /PATH/TO/cbos`',
  },
  tunnel_failed: {
    status: 502,
    exit: EXIT.noServer,
    meaning: "The founder's server could not open a tunnel to the machine through ssh",
    hint: 'Nobody can type a passphrase there, so ssh needs a key without one or an agent, and a known host key; the machine must permit remote forwarding',
  },
  machine_version: {
    ...REFUSED,
    meaning: 'The other machine runs a version of CBOS that is incompatible with this one',
    hint: 'Update CBOS on the machine that has the older version',
  },
  machine_doubled: {
    ...REFUSED,
    meaning: 'Two running servers use the key of one machine, so neither of them takes part in the fleet',
    hint: 'Run `cbos fleet ls` on both to see which one is the copy, and `cbos fleet leave` on the copy',
  },
  nats_missing: {
    ...UNAVAILABLE,
    meaning: 'The founder of a fleet needs the programs nats-server and openssl',
    hint: 'Install them: `sudo apt-get install nats-server openssl`',
  },
  nats_failed: {
    ...UNAVAILABLE,
    meaning: "The fleet's NATS server did not start",
    hint: 'The log, fleet/nats/nats.log in the home directory, shows why',
  },
  nats_unreachable: {
    status: 503,
    exit: EXIT.noServer,
    meaning: 'The NATS server cannot be reached, or refuses the credentials',
    hint: 'Check the address and the credentials: `--nats nats://HOST:PORT --credentials FILE`; in a container, CBOS_FLEET_CREDENTIALS_FILE names the file',
  },
  nats_untrusted: {
    status: 502,
    exit: EXIT.refused,
    meaning:
      'The NATS server does not prove its identity: its certificate is from an unknown authority, for another name, or not valid now',
    hint: 'Name the certificate of its authority: `--ca FILE`; in a container, CBOS_FLEET_CA_FILE names the file',
  },
  nats_unusable: {
    ...REFUSED,
    meaning:
      'The NATS server cannot carry a fleet: JetStream is not enabled, the credentials lack rights, or the server wants a certificate of each client',
    hint: 'Enable JetStream for the account, and permit the credentials `cbos.>`, `_INBOX.>` and `$JS.API.>`',
  },
} as const satisfies Record<string, CatalogueEntry>;
