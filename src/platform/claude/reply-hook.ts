/**
 * The parts of the `PermissionRequest` hook that wait for a reply. Claude Code keeps the dialog open while the hook is
 * running, and the output of the hook then answers the dialog (2.0.77 to 2.1.330). See ADR 28.
 *
 * The hook waits on a FIFO and removes its name as soon as the FIFO is open. The server reaches the FIFO as descriptor
 * 3 of the hook's process, so no one can redirect anything into it through a path. A reply is a single line that begins
 * and ends with the key of the wait. An incomplete line, which a killed server may leave behind, is therefore not a
 * reply. Only the hook's process knows the key. The key is written only in the first line of the payload, and never in
 * an argument, an environment, or a file name. Everything that the hook uses except `mkfifo` and `rm` is built into the
 * shell.
 */
const FIFO_PREFIX = '.reply.';

/**
 * Creates the FIFO and the key `$k`. The key is empty if there is no FIFO, for example because the file system does not
 * support FIFOs. The FIFO is opened for both reading and writing, so that opening it does not block and it never
 * reaches its end. `command` keeps a failed `exec` from ending the shell.
 */
export const openPlace = (spool: string): string =>
  'read -r k </proc/sys/kernel/random/uuid;read -r f </proc/sys/kernel/random/uuid;read -r p </proc/$$/stat;' +
  `f="$${spool}/${FIFO_PREFIX}$f";mkfifo "$f"&&command exec 3<>"$f"||k=;rm -f "$f"`;

/**
 * Reads the payload into `$j`. The hook does not wait if the request comes from a subagent. For a subagent in the
 * background, Claude Code shows no dialog until this hook has ended (2.1.330), so no one at the terminal could answer.
 * If a tool's input happens to contain the same characters as such a request, the hook gets no reply, and the dialog is
 * answered with keypresses.
 */
export const READ_PAYLOAD = `j=$(cat);case $j in *'"agent_id":'*)k=;;esac`;

/**
 * Writes the payload. The line that precedes it identifies the wait, both by the key and by the process as the kernel
 * describes it.
 */
export const PAYLOAD_WITH_WAIT = `{ [ -z "$k" ]||printf '%s %s\\n' "$k" "$p";printf %s "$j";}`;

/**
 * Waits in a read, which uses no processor time, and then prints the reply, or nothing if the reply is empty. Claude
 * Code ends a hook when the turn is interrupted and when Claude Code itself ends. If Claude Code is killed, the hook
 * keeps running. In that case, Claude Code's end of the hook's standard output, which is a socket (2.0.77 to 2.1.330),
 * closes, and a second reader detects that.
 */
export const PRINT_REPLY =
  '[ -z "$k" ]||{ exec 4>&1;w=;' +
  `[ ! -S /proc/$$/fd/4 ]||{ { read -r x <&4;printf '\\n%s%s\\n' "$k" "$k" >&3;} >/dev/null& w=$!;};` +
  `while read -r l <&3;do case $l in "$k"*"$k")l=\${l#"$k"};printf %s "\${l%"$k"}";break;;esac;done;` +
  '[ -z "$w" ]||kill $w;}';
