/**
 * The parts of the `PermissionRequest` hook that wait for a reply. Claude Code keeps the dialog open while the hook is
 * running, and the hook's output then answers the dialog (2.0.77 to 2.1.330). See ADR 28.
 *
 * The hook waits on a FIFO whose name is removed once the FIFO is open. The server reaches it as descriptor 3 of the
 * hook's process, and nothing can be redirected into it by a path. A reply is one line, with the wait's key before and
 * after it. A partial line, which a killed server may leave, is therefore not a reply. Only the hook's process knows
 * the key. The key is written only in the payload's first line, and never in an argument, an environment, or a file
 * name. Everything except `mkfifo` and `rm` is built into the shell.
 */
const FIFO_PREFIX = '.reply.';

/**
 * Creates the FIFO and the key `$k`. The key is empty if there is no FIFO, for example on a file system that does not
 * support FIFOs. The FIFO is opened in both directions, so opening it does not block, and it never ends. `command`
 * keeps a failed `exec` from ending the shell.
 */
export const openPlace = (spool: string): string =>
  'read -r k </proc/sys/kernel/random/uuid;read -r f </proc/sys/kernel/random/uuid;read -r p </proc/$$/stat;' +
  `f="$${spool}/${FIFO_PREFIX}$f";mkfifo "$f"&&command exec 3<>"$f"||k=;rm -f "$f"`;

/**
 * Reads the payload into `$j`. For a subagent's request, the hook does not wait. For a subagent in the background,
 * Claude Code shows no dialog until this hook has ended (2.1.330), so no one at the terminal could answer. If a tool's
 * input happens to contain the same characters, the hook gets no reply, and the dialog is answered by keypresses.
 */
export const READ_PAYLOAD = `j=$(cat);case $j in *'"agent_id":'*)k=;;esac`;

/**
 * Writes the payload. The line before it identifies the wait by the key, and by the process as the kernel describes
 * it.
 */
export const PAYLOAD_WITH_WAIT = `{ [ -z "$k" ]||printf '%s %s\\n' "$k" "$p";printf %s "$j";}`;

/**
 * Waits in a read, which uses no processor time, then prints the reply; prints nothing for an empty reply. Claude Code
 * ends a hook when the turn is interrupted, and when Claude Code itself ends. If Claude Code is killed, the hook keeps
 * running. In that case, Claude Code's end of the hook's standard output, a socket (2.0.77 to 2.1.330), closes, and a
 * second reader detects that.
 */
export const PRINT_REPLY =
  '[ -z "$k" ]||{ exec 4>&1;w=;' +
  `[ ! -S /proc/$$/fd/4 ]||{ { read -r x <&4;printf '\\n%s%s\\n' "$k" "$k" >&3;} >/dev/null& w=$!;};` +
  `while read -r l <&3;do case $l in "$k"*"$k")l=\${l#"$k"};printf %s "\${l%"$k"}";break;;esac;done;` +
  '[ -z "$w" ]||kill $w;}';
