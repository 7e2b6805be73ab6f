import { z } from 'zod';
import {
  CallMachine,
  FleetMachine,
  FleetView,
  Invitation,
  JoinFleet,
  MachineAnswer,
  MachineSessions,
  Member,
  NewFleet,
  NewInvitation,
  RenameMachine,
  Rights,
} from './machines.ts';
import type { Route } from './route.ts';

/** The part of the REST interface for the other machines in a fleet. */
export const MACHINE_ROUTES = {
  fleet: {
    method: 'get',
    path: '/fleet',
    summary: 'The machines in the fleet, and whether each one responds; `fleet` is null for a machine without a fleet',
    success: 200,
    response: FleetView,
    errors: [],
  },
  fleetSessions: {
    method: 'get',
    path: '/fleet/sessions',
    summary:
      'The sessions of all machines in the fleet; for a machine that does not respond, its last known list and the age of that list',
    query: z.strictObject({
      fields: z.string().max(2_000).optional().meta({
        description:
          'Names of fields, separated by commas. Each session in the response then has only these of its fields. Names that this version of CBOS does not know are ignored',
      }),
    }),
    success: 200,
    response: z.array(MachineSessions),
    errors: ['no_fleet'],
  },
  initFleet: {
    method: 'post',
    path: '/fleet/init',
    summary: 'Start a fleet, with this machine as its founder',
    body: NewFleet,
    success: 201,
    response: FleetView,
    errors: ['in_fleet', 'nats_missing', 'nats_failed', 'nats_unreachable', 'nats_unusable', 'invalid_setting'],
  },
  inviteMachine: {
    method: 'post',
    path: '/fleet/invitations',
    summary: 'Create an invitation that admits one machine, once',
    body: NewInvitation,
    success: 201,
    response: Invitation,
    errors: ['no_fleet', 'not_founder', 'ssh_missing', 'tunnel_failed'],
  },
  revokeInvitation: {
    method: 'delete',
    path: '/fleet/invitations/{id}',
    summary: 'Take an invitation back; a machine that it has admitted is removed from the fleet',
    params: z.object({ id: Member.shape.id }),
    success: 200,
    response: z.object({
      status: z.literal('revoked'),
      removed: Member.shape.name
        .nullable()
        .meta({ description: 'The machine that was removed; null if there was none' }),
    }),
    errors: ['no_fleet', 'not_founder'],
  },
  joinFleet: {
    method: 'post',
    path: '/fleet/join',
    summary: 'Join a fleet with an invitation',
    body: JoinFleet,
    success: 200,
    response: FleetView,
    errors: [
      'in_fleet',
      'invalid_invitation',
      'machine_unreachable',
      'machine_name_taken',
      'machine_version',
      'nats_unreachable',
      'invalid_setting',
    ],
  },
  allowMachines: {
    method: 'put',
    path: '/fleet/allow',
    summary: 'Limit what other machines may do on this one',
    body: z.strictObject({ rights: Rights }),
    success: 200,
    response: FleetView,
    errors: ['no_fleet'],
  },
  renameMachine: {
    method: 'put',
    path: '/fleet/name',
    summary: 'Give this machine another name in the fleet; its key, rights and sessions stay the same',
    body: RenameMachine,
    success: 200,
    response: FleetView,
    errors: ['no_fleet', 'machine_name_taken', 'machine_unreachable', 'machine_silent', 'machine_version'],
  },
  removeMachine: {
    method: 'post',
    path: '/fleet/remove',
    summary: 'Remove a machine from the fleet immediately',
    body: z.strictObject({ machine: z.string().min(1).max(64) }),
    success: 200,
    response: FleetMachine,
    errors: ['no_fleet', 'not_founder', 'no_such_machine'],
  },
  leaveFleet: {
    method: 'post',
    path: '/fleet/leave',
    summary: 'Leave the fleet; on the founder, end the fleet for all machines',
    success: 200,
    response: z.object({
      status: z.literal('left'),
      told: z.boolean().meta({ description: 'Whether the founder knows' }),
      is_copy: z.boolean().meta({
        description: 'Whether this was a copy of another machine, which stays in the fleet',
      }),
    }),
    errors: ['no_fleet'],
  },
  callMachine: {
    method: 'post',
    path: '/fleet/calls',
    summary: 'Send a request of this API to another machine, which decides whether to allow it',
    body: CallMachine,
    success: 200,
    response: MachineAnswer,
    errors: [
      'no_fleet',
      'no_such_machine',
      'machine_unreachable',
      'machine_silent',
      'machine_version',
      'machine_doubled',
      'not_allowed_there',
    ],
  },
} as const satisfies Record<string, Route>;
