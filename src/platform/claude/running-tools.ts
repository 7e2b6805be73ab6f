import { descendantsOf, environmentOf, findMarked, type ProcessMark } from '../process/index.ts';

/** The variable that Claude Code sets for the commands that it runs. */
const OF_CLAUDE_CODE = 'CLAUDECODE=1';
/**
 * Matches the variable by which version 2.1.330 tells what it keeps running itself, such as MCP servers, from the
 * commands of the model. Version 2.1.329 does not set `CLAUDECODE` for those servers.
 */
const OF_THE_HARNESS = /^AI_AGENT=.*_harness$/;

/**
 * Reports whether commands that Claude Code started for a session are still running. Such commands are either
 * descendants of the Claude Code process, or detached from it (`nohup`, `setsid`) but recognizable by its launch mark.
 * All of them end when the session's processes are ended.
 */
export async function runsTools(agentPid: number, mark: ProcessMark): Promise<boolean> {
  const running = await Promise.all([descendantsOf([agentPid]), findMarked(mark)]);
  return running.flat().some(({ pid }) => {
    const environment = environmentOf(pid);
    return environment.includes(OF_CLAUDE_CODE) && !environment.some((variable) => OF_THE_HARNESS.test(variable));
  });
}
