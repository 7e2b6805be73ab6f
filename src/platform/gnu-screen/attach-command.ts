/**
 * Returns the program and arguments with which a user attaches to a session, even if others are already attached
 * (`-x`). The environment of the program must set SCREENDIR to `host.dir`.
 */
export function attachCommand(id: string): string[] {
  return ['screen', '-U', '-x', id];
}
