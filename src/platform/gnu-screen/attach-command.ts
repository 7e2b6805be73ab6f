/**
 * Returns the program and arguments that a user attaches with, next to others who are already attached (`-x`).
 * SCREENDIR must be `host.dir` in its environment.
 */
export function attachCommand(id: string): string[] {
  return ['screen', '-U', '-x', id];
}
