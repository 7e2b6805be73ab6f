import { LAUNCH_VARIABLE } from '../../platform/claude/index.ts';
import {
  descendantsAmong,
  environmentOf,
  listProcesses,
  type ProcessInfo,
  readMemory,
} from '../../platform/process/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { SessionResources } from '../../protocol/index.ts';

/** The length of a kernel clock tick. Every Linux that Node supports has 100 ticks a second. */
const TICK_MS = 10;

interface Measured {
  readonly slug: string;
  readonly record: Pick<SessionRecord, 'agent' | 'daemon' | 'launchId'>;
  isDead(): boolean;
}

/** Returns the resources that each session is using. /proc is read only once per request. */
export async function readResources(sessions: readonly Measured[]): Promise<SessionResources[]> {
  const processes = await listProcesses();
  const launches = new Set(sessions.flatMap(({ record: { launchId } }) => launchId ?? []));
  const byLaunch = new Map<string, ProcessInfo[]>();
  for (const info of processes) {
    const launch = launchOf(info.pid, launches);
    if (launch !== null) byLaunch.set(launch, [...(byLaunch.get(launch) ?? []), info]);
  }
  return Promise.all(
    sessions.map(async (session): Promise<SessionResources> => {
      const { agent, daemon, launchId } = session.record;
      // If another program started the Screen session, its other windows belong to the user, not to the session.
      const roots = [agent, launchId === null ? null : daemon].filter((one) => one !== null);
      const isRoot = ({ pid, startTime }: ProcessInfo): boolean =>
        roots.some((root) => root.pid === pid && root.startTime === startTime);
      const living = session.isDead() ? [] : processes.filter(isRoot);
      const found = [
        ...living,
        ...descendantsAmong(
          processes,
          living.map(({ pid }) => pid),
        ),
        ...(launchId === null ? [] : (byLaunch.get(launchId) ?? [])),
      ];
      const own = [...new Map(found.map((one) => [one.pid, one])).values()];
      const memory = await Promise.all(own.map(({ pid }) => readMemory(pid)));
      return {
        session: session.slug,
        processes: own.length,
        memory_bytes: memory.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0),
        cpu_ms: own.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) * TICK_MS,
      };
    }),
  );
}

/** Returns the launch that a process belongs to according to its mark; null if it is none of the given launches. */
function launchOf(pid: number, launches: ReadonlySet<string>): string | null {
  const entry = environmentOf(pid).find((one) => one.startsWith(`${LAUNCH_VARIABLE}=`));
  const launch = entry?.slice(LAUNCH_VARIABLE.length + 1);
  return launch !== undefined && launches.has(launch) ? launch : null;
}
