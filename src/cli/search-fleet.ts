import {
  CatalogueError,
  type FleetMachine,
  type RemoteName,
  type SearchHit,
  type SearchQuery,
  SearchResult,
} from '../protocol/index.ts';
import type { CliContext } from './context.ts';

type Query = Partial<SearchQuery> & { q: string };

/** The result of a search on one machine in the fleet. */
export interface MachineHits extends SearchResult {
  machine: string;
  is_self: boolean;
  /** a sentence that says why the machine could not be searched */
  fault: string | null;
}

/** A hit, along with its session's name within the fleet. `machine` is null for this machine. */
export type FleetHit = SearchHit & { machine: string | null };

/** Searches all machines in the fleet in parallel. @throws CatalogueError no_fleet */
export async function searchFleet(context: CliContext, query: Query): Promise<MachineHits[]> {
  const client = await context.client();
  const { fleet, machines } = await client.call('fleet');
  if (fleet === null) throw new CatalogueError('no_fleet');
  return Promise.all(machines.map((machine) => searchMachine(context, machine, query)));
}

/** Searches a session on another machine. @throws CatalogueError any error that the other machine returns */
export async function searchFarSession(
  context: CliContext,
  { machine, slug }: RemoteName,
  query: Query,
): Promise<MachineHits> {
  const found = await searchThere(context, machine, { ...query, session: slug });
  return { machine, is_self: false, fault: null, ...found };
}

/** Merges the hits from several machines, newest first, according to each machine's own clock. */
export function joinHits(machines: readonly MachineHits[]): FleetHit[] {
  return machines
    .flatMap(({ machine, is_self: isSelf, hits }) => hits.map((hit) => ({ ...hit, machine: isSelf ? null : machine })))
    .sort((one, other) => (one.at < other.at ? 1 : -1));
}

async function searchMachine(
  context: CliContext,
  { name, is_self }: Pick<FleetMachine, 'name' | 'is_self'>,
  query: Query,
): Promise<MachineHits> {
  const client = await context.client();
  try {
    const found = is_self ? await client.call('search', { query }) : await searchThere(context, name, query);
    return { machine: name, is_self, fault: null, ...found };
  } catch (error) {
    if (is_self || !(error instanceof CatalogueError)) throw error;
    return { machine: name, is_self, fault: error.message, hits: [], pending_bytes: 0 };
  }
}

/** Validate the answer, because another machine may send anything. */
async function searchThere(context: CliContext, machine: string, query: Query): Promise<SearchResult> {
  const client = await context.client();
  const { value } = await client.call('callMachine', { body: { machine, call: { route: 'search', query } } });
  const result = SearchResult.safeParse(value);
  if (result.success) return result.data;
  throw new CatalogueError('machine_version', 'the search result of the other machine cannot be read');
}
