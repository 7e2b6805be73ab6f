import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPlace, PAYLOAD_WITH_WAIT } from './reply-hook.ts';

/**
 * A file in the spool that makes `PreToolUse` hooks show their calls to CBOS and wait for the reply. The file contains
 * the server's pid, followed by one line for each tool, in which `*` matches any characters. If the file does not
 * exist, a call costs nothing extra.
 */
const GUARD = '.guard';

export const isCallGuard = (name: string): boolean => name === GUARD;

/** Matches tool names that are safe in a shell pattern. If there is any other name, the guard covers all tools. */
const PLAIN_TOOL = /^[A-Za-z0-9_*-]+$/;

/**
 * Makes hooks show CBOS the calls of these tools, or no calls if the list is empty. The file remains when the server
 * ends. A hook that finds no running server makes Claude Code ask the user, because a denied call must not slip through
 * while the server is down.
 * @returns whether the file has changed
 */
export function guardCalls(spoolDir: string, tools: readonly string[], holderPid = process.pid): boolean {
  const file = join(spoolDir, GUARD);
  if (tools.length === 0) {
    const isThere = existsSync(file);
    rmSync(file, { force: true });
    return isThere;
  }
  const names = tools.every((tool) => PLAIN_TOOL.test(tool)) ? tools : ['*'];
  const text = `${[holderPid, ...names].join('\n')}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return false;
  const draft = join(spoolDir, `${GUARD}.${holderPid}`);
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return true;
}

/**
 * The output of a `PreToolUse` hook. It denies the call, makes Claude Code ask the user, or lets Claude Code decide as
 * usual.
 */
export type CallReply =
  | Record<string, never>
  | {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse';
        permissionDecision: 'deny' | 'ask';
        permissionDecisionReason: string;
      };
    };

export const callReply = (permissionDecision: 'deny' | 'ask', permissionDecisionReason: string): CallReply => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason },
});

/**
 * How long a hook waits for the server. The server normally answers within 50 ms, or within seconds on a loaded
 * machine.
 */
const WAIT_S = 10;

/** The text that the hook itself prints. In the shell code, it is enclosed in single quotes. */
const ASKS = JSON.stringify(callReply('ask', 'CBOS has not reported whether one of your rules denies this.'));

/**
 * Returns shell code that shows the call to CBOS if the guard lists its tool, and then prints CBOS's reply. For other
 * tools, the code runs `otherwise` with the payload on standard input, or in `$j` if the payload has already been read.
 * If no server is running, or if the reply does not arrive in time, Claude Code asks the user, even about a call that
 * it would otherwise run without asking (2.1.329).
 *
 * The key, the location, and the line format are the same as in `reply-hook.ts`. Only the first line counts. If that
 * line is incomplete, which may happen when a server is killed, Claude Code asks the user.
 * @param drop writes the output of the command in its argument, which is the payload, into the spool
 */
export function guardedCall(
  spool: string,
  drop: (payload: string) => string,
  otherwise: { unread: string; read: string },
): string {
  return (
    `v="$${spool}/${GUARD}";if [ -e "$v" ];then j=$(cat);s=;k=;read -r q <"$v"||s=1;` +
    `while read -r t;do case $j in *'"tool_name":"'$t'"'*)s=1;;esac;done <"$v";` +
    `if [ "$s" ];then l=;if kill -0 "$q";then ${openPlace(spool)};fi;` +
    `${drop(PAYLOAD_WITH_WAIT)}||k=;[ -z "$k" ]||l=$(timeout ${WAIT_S} grep -m 1 . <&3);` +
    `case $l in "$k"*"$k")l=\${l#"$k"};l=\${l%"$k"};;*)l=;;esac;` +
    `case $l in '')printf %s '${ASKS}';;*)printf %s "$l";;esac;` +
    `else ${otherwise.read};fi;else ${otherwise.unread};fi`
  );
}
