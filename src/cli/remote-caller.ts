import type { Caller } from '../client/index.ts';
import {
  CatalogueError,
  MACHINE_CALLS,
  type MachineCallName,
  type RemoteName,
  splitRemoteName,
} from '../protocol/index.ts';

/**
 * Lets every command take `machine/SESSION` for a session of another machine: what would be asked of this server is
 * asked of the other one, which decides whether it grants it.
 */
export function withRemoteNames(caller: Caller): Caller {
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
  };
}

/** Without a fleet, such a name is the name of no session. */
function noSuchSession({ machine, slug }: RemoteName): CatalogueError {
  return new CatalogueError('no_such_session', `No session is named ${machine}/${slug}`);
}

interface AnyInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

const isMachineCall = (name: string): name is MachineCallName => MACHINE_CALLS.some((one) => one === name);

/** What is said of the session names it as this machine does, so that commands in the output can be copied. */
function renamed(value: unknown, { machine, slug }: RemoteName): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const name = `${machine}/${slug}`;
  return {
    ...value,
    ...(Reflect.get(value, 'slug') === slug ? { slug: name } : {}),
    ...(Reflect.get(value, 'session') === slug ? { session: name } : {}),
  };
}
