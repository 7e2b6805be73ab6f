/**
 * The parts of the `PermissionRequest` hook that wait for a reply. Claude Code leaves the dialog open while the hook
 * is running, and the output of the hook then answers it (2.0.77 to 2.1.330). See ADR 28.
 *
 * The hook waits on a FIFO whose name is removed once it is open. The server reaches it as descriptor 3 of the hook's
 * process, and nothing can be redirected into it by a path. A reply is one line, with the wait's key before and after
 * it. A partial line, which a killed server may leave, is therefore not a reply. Only the hook's process knows the
 * key. The key is written only in the payload's first line, and not in any argument, environment, or file name.
 * Everything is built into the shell except `mkfifo` and `rm`.
 */
const FIFO_PREFIX = '.reply.';

/**
 * Creates the FIFO and the key `$k`. The key is empty if there is no FIFO, as on a file system that does not support
 * them. The FIFO is opened in both directions, so opening it does not block, and it never ends. `command` keeps a
 * failed `exec` from ending the shell.
 */
export const openPlace = (spool: string): string =>
  'read -r k </proc/sys/kernel/random/uuid;read -r f </proc/sys/kernel/random/uuid;read -r p </proc/$$/stat;' +
  `f="$${spool}/${FIFO_PREFIX}$f";mkfifo "$f"&&command exec 3<>"$f"||k=;rm -f "$f"`;

/**
 * Reads the payload into `$j`. The hook does not wait for a request of a subagent. For a subagent in the background,
 * Claude Code shows no dialog before this hook has ended (2.1.330), so nobody at the terminal could answer. If a tool's
 * input contains the same text, the hook gets no reply, and the dialog is answered by keypresses.
 */
export const READ_PAYLOAD = `j=$(cat);case $j in *'"agent_id":'*)k=;;esac`;

/**
 * Writes the payload. The line before it identifies the wait by the key, and by the process as the kernel describes
 * it.
 */
export const PAYLOAD_WITH_WAIT = `{ [ -z "$k" ]||printf '%s %s\\n' "$k" "$p";printf %s "$j";}`;

/**
 * Waits in a read, which takes no processor time, and prints the reply; prints nothing for an empty one. Claude Code
 * ends a hook when the turn is interrupted, and when Claude Code itself ends. If Claude Code is killed, the hook keeps
 * running. Claude Code's end of the hook's standard output, a socket (2.0.77 to 2.1.330), then closes, and a second
 * reader detects that.
 */
export const PRINT_REPLY =
  '[ -z "$k" ]||{ exec 4>&1;w=;' +
  `[ ! -S /proc/$$/fd/4 ]||{ { read -r x <&4;printf '\\n%s%s\\n' "$k" "$k" >&3;} >/dev/null& w=$!;};` +
  `while read -r l <&3;do case $l in "$k"*"$k")l=\${l#"$k"};printf %s "\${l%"$k"}";break;;esac;done;` +
  '[ -z "$w" ]||kill $w;}';
