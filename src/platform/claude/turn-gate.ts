import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A gate's file in the spool, named `.gate.LAUNCH`. It contains the pid of the server that holds the gate. The drafts
 * of hooks have different names, which begin with a dot and digits.
 */
const GATE_PREFIX = '.gate.';

export const isGate = (name: string): boolean => name.startsWith(GATE_PREFIX);
export const gateFile = (spoolDir: string, launchId: string): string => join(spoolDir, `${GATE_PREFIX}${launchId}`);

/**
 * Holds a session's tools and the end of its turn until the returned function is called. The session's `PreToolUse` and
 * `Stop` hooks wait as long as the gate's file exists. Otherwise, a permission dialog or a question could open between
 * a prompt and its Enter, and the Enter would answer it. Also, a prompt that is sent between two turns would overtake
 * the prompts in Claude Code's own queue. If the server dies, the gate opens, because the hook checks whether the
 * process whose pid is in the file is alive.
 * @param launchId the id of the launch, as in `CBOS_SESSION`
 */
export function holdTurn(spoolDir: string, launchId: string, holderPid = process.pid): () => void {
  const file = gateFile(spoolDir, launchId);
  const release = (): void => rmSync(file, { force: true });
  try {
    writeFileSync(file, String(holderPid), { mode: 0o600 });
  } catch (error) {
    // On a full disk, the write leaves an empty file behind.
    release();
    throw error;
  }
  return release;
}

/** Removes the gates of a killed server, because another process may have the same pid by now. */
export function removeGates(spoolDir: string): void {
  for (const name of readdirSync(spoolDir)) {
    if (isGate(name)) rmSync(join(spoolDir, name), { force: true });
  }
}

/**
 * How many times a hook checks the gate, and how long it waits between two checks: at least 20 s in total. On a machine
 * with a load of 16, Screen took 10 s to press one Enter, and several prompts may be typed in a row.
 */
const LOOKS = 400;
const LOOK_INTERVAL_S = 0.05;

/**
 * Returns the line of shell code that waits at the gate and does nothing if there is no gate. If the gate disappears,
 * the code checks once more, because a server recreates its gate if someone else has removed it.
 */
export function waitAtGate(spool: string, launch: string): string {
  return (
    `g="$${spool}/${GATE_PREFIX}$${launch}";i=0;w=;` +
    `while { [ -e "$g" ]||[ $w ];}&&[ $i -lt ${LOOKS} ];do w=;` +
    `p=$(cat "$g")&&[ $p ]&&{ kill -0 $p||break;w=1;};` +
    `sleep ${LOOK_INTERVAL_S};i=$((i+1));done`
  );
}
