import type { z } from 'zod';
import type { MachineAnswer, MachineSessions } from '../../protocol/index.ts';
import type { MACHINE_ROUTES } from '../../protocol/machine-routes.ts';
import type { Fleet } from './fleet.ts';
import { createRowWriter } from './write-rows.ts';

type Routes = typeof MACHINE_ROUTES;
type BodyOf<N extends keyof Routes> = Routes[N] extends { body: infer S extends z.ZodType }
  ? { body: z.output<S> }
  : never;

type ParamsOf<N extends keyof Routes> = Routes[N] extends { params: infer S extends z.ZodType }
  ? { params: z.output<S> }
  : never;

type QueryOf<N extends keyof Routes> = Routes[N] extends { query: infer S extends z.ZodType }
  ? { query: z.output<S> }
  : never;

/** Creates the handlers of the routes for the other machines in a fleet. */
export function createMachineHandlers(machines: Fleet) {
  const writeRows = createRowWriter();
  return {
    fleet: () => machines.view(),
    fleetSessions: async ({ query }: QueryOf<'fleetSessions'>): Promise<MachineSessions[] | Response> => {
      const fleet = await machines.sessions();
      if (query.fields === undefined) return fleet;
      return new Response(writeRows(fleet, query.fields), { headers: { 'content-type': 'application/json' } });
    },
    initFleet: ({ body }: BodyOf<'initFleet'>) => machines.init(body),
    inviteMachine: ({ body }: BodyOf<'inviteMachine'>) => machines.invite(body),
    revokeInvitation: ({ params }: ParamsOf<'revokeInvitation'>) => machines.revoke(params.id),
    joinFleet: ({ body }: BodyOf<'joinFleet'>) => machines.join(body),
    allowMachines: ({ body }: BodyOf<'allowMachines'>) => machines.allow(body.rights),
    renameMachine: ({ body }: BodyOf<'renameMachine'>) => machines.rename(body.name),
    removeMachine: ({ body }: BodyOf<'removeMachine'>) => machines.remove(body.machine),
    leaveFleet: () => machines.leave(),
    callMachine: async ({ body }: BodyOf<'callMachine'>) => ({
      // The other machine may answer anything, so the client must not assume that the value has the declared type.
      value: (await machines.call(body.machine, body.call)) as MachineAnswer['value'],
    }),
  };
}
