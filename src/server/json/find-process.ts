import { LAUNCH_VARIABLE } from '../../platform/claude/index.ts';
import { findMarked, isAlive, type ProcessId } from '../../platform/process/index.ts';

/**
 * Finds the process of a launch that an earlier server started; null if it has ended. If that server died after it had
 * started the process and before it had saved the pid, only the mark can identify the process. The process's children
 * have the mark as well.
 */
export async function findProcess(launchId: string, saved: ProcessId | null): Promise<ProcessId | null> {
  if (saved !== null && (await isAlive(saved))) return saved;
  const marked = await findMarked({ name: LAUNCH_VARIABLE, value: launchId });
  const first = marked.find((one) => !marked.some(({ pid }) => pid === one.ppid));
  return first === undefined ? null : { pid: first.pid, startTime: first.startTime };
}
