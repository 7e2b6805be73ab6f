import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A gate's file in the spool: `.gate.LAUNCH`, in it the pid of the server that holds it. A draft's name begins with
 * digits.
 */
const GATE_PREFIX = '.gate.';

export const isGate = (name: string): boolean => name.startsWith(GATE_PREFIX);
export const gateFile = (spoolDir: string, launchId: string): string => join(spoolDir, `${GATE_PREFIX}${launchId}`);

/**
 * Keeps a session's tools, and the end of its turn, back until the returned function is called: its `PreToolUse` and
 * `Stop` hooks wait while the gate's file is there. So neither a permission prompt nor a question can open between a
 * text and its Enter, which would answer it, and no text passes those in Claude Code's own queue, as one that is sent
 * between two turns does. A server that dies lets go: the hook looks whether the process in the file lives.
 * @param launchId as in `CBOS_SESSION`
 */
export function holdTurn(spoolDir: string, launchId: string, holderPid = process.pid): () => void {
  const file = gateFile(spoolDir, launchId);
  const release = (): void => rmSync(file, { force: true });
  try {
    writeFileSync(file, String(holderPid), { mode: 0o600 });
  } catch (error) {
    // An empty one on a full disk.
    release();
    throw error;
  }
  return release;
}

/** Removes the gates of a server that was killed: its pid may belong to somebody else by now. */
export function removeGates(spoolDir: string): void {
  for (const name of readdirSync(spoolDir)) {
    if (isGate(name)) rmSync(join(spoolDir, name), { force: true });
  }
}

/**
 * How often a hook looks at the gate, and how long it waits in between: 5 s in all; only the longest texts take longer.
 */
const LOOKS = 100;
const LOOK_INTERVAL_S = 0.05;

/**
 * The line of shell that waits at the gate; nothing where there is none. Its place is after the payload has been
 * dropped. A gate that has gone is looked for once more: where somebody else removed it, the server has put it up again
 * by then.
 */
export function waitAtGate(spool: string, launch: string): string {
  return (
    `g="$${spool}/${GATE_PREFIX}$${launch}";i=0;w=;` +
    `while { [ -e "$g" ]||[ $w ];}&&[ $i -lt ${LOOKS} ];do w=;` +
    `p=$(cat "$g")&&[ $p ]&&{ kill -0 $p||break;w=1;};` +
    `sleep ${LOOK_INTERVAL_S};i=$((i+1));done`
  );
}
