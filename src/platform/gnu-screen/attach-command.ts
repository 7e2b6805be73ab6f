/**
 * The program and arguments that a person attaches with, beside others who are (`-x`). SCREENDIR must be `host.dir` in
 * its environment.
 */
export function attachCommand(id: string): string[] {
  return ['screen', '-U', '-x', id];
}
