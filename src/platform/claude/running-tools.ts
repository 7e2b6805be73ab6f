import { descendantsOf, environmentOf, findMarked, type ProcessMark } from '../process/index.ts';

/**
 * The variable that Claude Code sets for the commands that it runs, but not for the servers that it keeps running
 * (2.1.329).
 */
const OF_A_TOOL = 'CLAUDECODE=1';

/**
 * Reports whether commands that Claude Code started for a session are still running. Such commands are either
 * descendants of the Claude Code process, or detached from it (`nohup`, `setsid`) but recognizable by its launch mark.
 * All of them end when the session's processes are ended.
 */
export async function runsTools(agentPid: number, mark: ProcessMark): Promise<boolean> {
  const running = await Promise.all([descendantsOf([agentPid]), findMarked(mark)]);
  return running.flat().some(({ pid }) => environmentOf(pid).includes(OF_A_TOOL));
}
