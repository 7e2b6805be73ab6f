import type { SessionResources } from '../protocol/index.ts';
import { formatDuration } from './durations.ts';

const BYTES_PER_MB = 1_000_000;

type Used = Pick<SessionResources, 'processes' | 'memory_bytes' | 'cpu_ms'>;

/** Returns the memory that a session uses, such as `260 MB`. The result is empty for a session without a process. */
export function memoryText(resources: Used | null): string {
  if (resources === null || resources.processes === 0) return '';
  return `${Math.round(resources.memory_bytes / BYTES_PER_MB)} MB`;
}

/**
 * Returns the processor time that a session has used, such as `12s`. The result is empty for a session without a
 * process.
 */
export function processorText(resources: Used | null): string {
  return resources === null || resources.processes === 0 ? '' : formatDuration(resources.cpu_ms);
}

/** Returns the sessions that have a process, starting with the one that uses the most memory. */
export function byMemory(resources: readonly SessionResources[]): SessionResources[] {
  return resources
    .filter(({ processes }) => processes > 0)
    .sort((one, other) => other.memory_bytes - one.memory_bytes || (one.session < other.session ? -1 : 1));
}

/** Adds up the resources of several sessions. */
export function totalOf(resources: readonly SessionResources[]): Used {
  return {
    processes: resources.reduce((sum, { processes }) => sum + processes, 0),
    memory_bytes: resources.reduce((sum, { memory_bytes: bytes }) => sum + bytes, 0),
    cpu_ms: resources.reduce((sum, { cpu_ms: ms }) => sum + ms, 0),
  };
}
