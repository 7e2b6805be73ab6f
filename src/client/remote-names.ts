import {
  CatalogueError,
  MACHINE_CALLS,
  type MachineCallName,
  type RemoteName,
  splitRemoteName,
} from '../protocol/index.ts';
import type { Caller } from './caller.ts';

/**
 * Allows every request to name a session on another machine as `machine/SESSION`. Such a request is passed on to that
 * machine, which decides whether to grant it.
 */
export function withRemoteNames<C extends Caller>(caller: C): C {
  return {
    ...caller,
    call: (async (name: Parameters<Caller['call']>[0], input: AnyInput = {}) => {
      const { slug } = input.params ?? {};
      const remote = slug === undefined ? null : splitRemoteName(slug);
      if (remote === null) return caller.call(name, input as never);
      if (!isMachineCall(name)) throw new CatalogueError('not_over_fleet');
      const { query, body } = input;
      const call = {
        route: name,
        params: { ...input.params, slug: remote.slug },
        ...(query === undefined ? {} : { query }),
        ...(body === undefined ? {} : { body }),
      };
      const { value } = await caller.call('callMachine', { body: { machine: remote.machine, call } }).catch((cause) => {
        throw cause instanceof CatalogueError && cause.code === 'no_fleet' ? noSuchSession(remote) : cause;
      });
      return renamed(value, remote);
    }) as Caller['call'],
    upload: async (slug, file) => {
      if (splitRemoteName(slug) !== null) throw filesStayHere(slug);
      return caller.upload(slug, file);
    },
  };
}

function filesStayHere(slug: string): CatalogueError {
  const hint = `Copy the file there first (scp), and give its path in the prompt: \`cbos send ${slug} 'look at @PATH'\``;
  return new CatalogueError('not_over_fleet', 'A file cannot be sent to a session on another machine', { hint });
}

/** If this machine is not in a fleet, no session has such a name. */
function noSuchSession({ machine, slug }: RemoteName): CatalogueError {
  return new CatalogueError('no_such_session', `No session is named ${machine}/${slug}`);
}

interface AnyInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

const isMachineCall = (name: string): name is MachineCallName => MACHINE_CALLS.some((one) => one === name);

/** Replaces the session's name with its name on this machine, so that the user can copy commands from the output. */
function renamed(value: unknown, { machine, slug }: RemoteName): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const name = `${machine}/${slug}`;
  return {
    ...value,
    ...(Reflect.get(value, 'slug') === slug ? { slug: name } : {}),
    ...(Reflect.get(value, 'session') === slug ? { session: name } : {}),
  };
}
