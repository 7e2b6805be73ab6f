import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';

/**
 * The facts about the machine without which a figure means nothing.
 * @typedef {{ cpu: string, cores: number, memory_gb: number, node: string, kernel: string, screen: string | null }}
 *   Machine
 */

/** @returns {Machine} */
export function describeMachine() {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memory_gb: Math.round(totalmem() / 1024 ** 3),
    node: process.versions.node,
    kernel: release(),
    screen: screenVersion(),
  };
}

function screenVersion() {
  try {
    return /Screen version (\S+)/.exec(execFileSync('screen', ['-v'], { encoding: 'utf8' }))?.[1] ?? null;
  } catch (error) {
    // Screen 4.9 prints its version and exits with 1.
    const stdout = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    return /Screen version (\S+)/.exec(stdout)?.[1] ?? null;
  }
}
