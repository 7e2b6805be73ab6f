import { z } from 'zod';
import { MACHINE_CALLS } from './addresses.ts';
import {
  MACHINE_CAUSES,
  MACHINE_LABEL_PATTERN,
  MACHINE_NAME_PATTERN,
  RIGHTS,
  SSH_DESTINATION_PATTERN,
} from './machine-words.ts';
import { Session } from './session.ts';
import { Timestamp } from './words.ts';

const RightWord = z.enum(RIGHTS);
export const Rights = z.array(RightWord).max(RIGHTS.length);
/** the machine's name in the fleet */
const MachineName = z.string().regex(MACHINE_NAME_PATTERN);
const MachineId = z
  .string()
  .regex(/^U[A-Z2-7]{55}$/)
  .meta({ description: "The machine's public key, by which NATS recognizes it" });

/** A machine that has been admitted to a fleet. */
export const Member = z.object({
  id: MachineId,
  name: MachineName,
  rights: Rights.meta({ description: 'The highest right that the machine may have over sessions on other machines' }),
});
export type Member = z.infer<typeof Member>;

const MachineLabels = z.array(z.string().regex(MACHINE_LABEL_PATTERN)).max(100);

export const SshDestination = z.string().regex(SSH_DESTINATION_PATTERN);

/** A tunnel through ssh, over which a machine reaches the founder's NATS server. */
export const Tunnel = z.object({
  destination: SshDestination.meta({ description: 'What the founder passes to ssh: [USER@]HOST' }),
  port: z.int().min(1).max(65_535).meta({ description: "The port of the machine's loopback interface" }),
});
export type Tunnel = z.infer<typeof Tunnel>;

/** Whether a tunnel works now. */
export const TunnelState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('opening') }),
  z.object({ state: z.literal('open') }),
  z.object({
    state: z.literal('broken'),
    fault: z.string().meta({ description: 'What ssh said last, as a sentence; the founder tries again' }),
  }),
]);
export type TunnelState = z.infer<typeof TunnelState>;

/**
 * What a machine reports about itself, and what the requesting machine may do there. Older versions report none of
 * this.
 */
export const MachineFacts = z.object({
  labels: MachineLabels.meta({
    description: 'What the machine has, from its setting fleet.labels and from `cbos fleet join --label`',
  }),
  load: z.number().min(0).meta({ description: 'Its load average over one minute, divided by its processors' }),
  running: z.int().min(0).meta({ description: 'How many sessions run there' }),
  may: Rights.meta({ description: 'What this machine may do there' }),
});
export type MachineFacts = z.infer<typeof MachineFacts>;

/** A running server. Servers that use the same key tell each other apart by `boot`. */
export const MachineInstance = z
  .object({
    boot: z.string().max(64).meta({ description: 'Different for each start of a server' }),
    host: z.string().max(256).meta({ description: 'The name of the host' }),
    machine: z.string().max(64).nullable().meta({ description: 'A digest of /etc/machine-id; null without one' }),
    os_boot: z.string().max(64).nullable().meta({ description: 'Different for each start of the operating system' }),
    pid: z.int(),
    started_at: Timestamp,
  })
  .meta({ id: 'MachineInstance' });
export type MachineInstance = z.infer<typeof MachineInstance>;

export const FleetMachine = Member.extend({
  ...MachineFacts.partial().shape,
  is_self: z.boolean(),
  is_founder: z
    .boolean()
    .meta({ description: 'Whether this machine founded the fleet, and admits and removes machines' }),
  reachable: z.boolean().meta({ description: 'Whether the machine responded just now' }),
  age_ms: z.number().nullable().meta({
    description: 'How long ago it was last heard from, as an upper bound; null if never',
  }),
  version: z.string().nullable().meta({ description: 'Its version of CBOS; null if it has not said so' }),
  fault: z
    .string()
    .nullable()
    .meta({ description: 'Why it responds but takes no part, as a sentence: its version, or a copy of it' }),
  tunnel: Tunnel.and(TunnelState).optional().meta({
    description: "The tunnel through ssh that the founder keeps open for the machine; only in the founder's answer",
  }),
}).meta({ id: 'FleetMachine' });
export type FleetMachine = z.infer<typeof FleetMachine>;

/** The fleet, as one of its machines sees it. */
export const FleetView = z
  .object({
    fleet: z
      .object({
        machine: MachineName.meta({ description: "This machine's name" }),
        is_founder: z.boolean(),
        address: z.string().meta({ description: 'Where the NATS server listens: HOST:PORT' }),
        is_shared: z
          .boolean()
          .optional()
          .meta({ description: 'Whether the NATS server is one that CBOS does not run' }),
        allow: Rights.meta({ description: 'The highest right that other machines may have here' }),
        connected: z.boolean(),
        fault: z.string().nullable().meta({ description: 'Why this machine is not connected, as a sentence' }),
        instance: MachineInstance.meta({ description: 'The server that answers' }),
        doubles: z.array(MachineInstance).meta({
          description:
            "Other running servers with this machine's key, such as a clone; while there are any, none takes part",
        }),
      })
      .nullable()
      .meta({ description: 'null for a machine that does not belong to a fleet' }),
    machines: z.array(FleetMachine),
  })
  .meta({ id: 'FleetView' });
export type FleetView = z.infer<typeof FleetView>;

/** The sessions on one machine in the fleet. */
export const MachineSessions = z
  .object({
    machine: MachineName,
    is_self: z.boolean(),
    reachable: z.boolean(),
    age_ms: z.number().nullable().meta({
      description: 'How old this list is, as an upper bound; null if nothing is known',
    }),
    fault: z.string().nullable().meta({ description: 'Why the machine did not respond, as a sentence' }),
    may: Rights.meta({ description: 'What this machine may do there; empty while that machine does not respond' }),
    cause: z.enum(MACHINE_CAUSES).nullable().meta({ description: 'Why the list is not current; null if it is' }),
    live: z.boolean().optional().meta({
      description:
        'false if the machine runs an older version, so that this server reads the screens of its sessions once a second while a client follows them; without this field, unknown',
    }),
    unreadable: z.int().meta({ description: 'How many further sessions this version of CBOS cannot read' }),
    sessions: z.array(Session),
  })
  .meta({ id: 'MachineSessions' });
export type MachineSessions = z.infer<typeof MachineSessions>;

const AuthorityText = z.string().min(1).max(64_000).meta({
  description:
    'For a shared NATS server with TLS: the certificate of its authority, in PEM format; without it, the authorities that Node trusts, and for a machine that joins, the one in the invitation',
});

export const NewFleet = z
  .strictObject({
    address: z.string().min(1).max(260).optional().meta({
      description:
        'The HOST or HOST:PORT at which other machines reach this one; without it, they need a tunnel through ssh',
    }),
    name: MachineName.optional(),
    nats: z.string().min(1).max(4_000).optional().meta({
      description:
        'A NATS server with JetStream to use instead of an own one: nats://HOST:PORT, or several with commas',
    }),
    credentials: z.string().min(1).max(16_000).optional().meta({
      description: 'For `nats`: the content of a credentials file, or the seed of an nkey',
    }),
    authority: AuthorityText.optional(),
  })
  .meta({ id: 'NewFleet' });

/** A NATS server that exists already, and that CBOS does not run. */
export const SharedServer = z.object({
  /** the addresses, each as HOST:PORT; CBOS may connect to any of them */
  servers: z.array(z.string()).min(1),
  isTls: z.boolean(),
  /** the only trusted authority, in PEM format; null means the authorities that Node trusts */
  authority: z.string().nullable().default(null),
  /** the content of a credentials file, or the seed of an nkey; null for a server without users */
  credentials: z.string().nullable(),
});
export type SharedServer = z.infer<typeof SharedServer>;

export const NewInvitation = z
  .strictObject({
    rights: Rights.min(1),
    valid_s: z
      .int()
      .min(1)
      .max(7 * 86_400),
    tunnel_to: SshDestination.optional().meta({
      description:
        'Open a tunnel through ssh to this [USER@]HOST, for the machine that the invitation admits. The founder keeps it open until it removes the machine',
    }),
  })
  .meta({ id: 'NewInvitation' });

export const Invitation = z
  .object({
    id: MachineId.meta({ description: 'The public key of the invitation, by which it is taken back' }),
    line: z.string(),
    rights: Rights,
    expires_at: Timestamp,
  })
  .meta({ id: 'Invitation' });

export const JoinFleet = z
  .strictObject({
    line: z.string().min(1).max(8_000),
    name: MachineName.optional(),
    allow: Rights,
    labels: MachineLabels.optional().meta({ description: 'Labels in addition to those of the setting fleet.labels' }),
    credentials: z.string().min(1).max(16_000).optional().meta({
      description: 'For a shared NATS server: the content of a credentials file, or the seed of an nkey',
    }),
    authority: AuthorityText.optional(),
  })
  .meta({ id: 'JoinFleet' });

export const RenameMachine = z.strictObject({ name: MachineName }).meta({ id: 'RenameMachine' });

/** A request to the REST interface that concerns a session on another machine. */
export const MachineCall = z
  .strictObject({
    route: z.enum(MACHINE_CALLS),
    params: z.record(z.string(), z.string()).optional(),
    query: z.record(z.string(), z.unknown()).optional(),
    body: z.unknown().optional(),
  })
  .meta({ id: 'MachineCall' });
export type MachineCall = z.infer<typeof MachineCall>;

export const CallMachine = z
  .strictObject({ machine: z.string().min(1).max(64), call: MachineCall })
  .meta({ id: 'CallMachine' });

/** The other machine's answer, which contains the body that the other machine's REST interface returned. */
export const MachineAnswer = z
  .object({ value: z.union([z.looseObject({}), z.array(z.unknown())]) })
  .meta({ id: 'MachineAnswer' });
export type MachineAnswer = z.infer<typeof MachineAnswer>;
