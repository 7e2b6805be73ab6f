/**
 * The parts of the `PermissionRequest` hook that wait for a reply. Claude Code leaves the dialog open as long as the
 * hook runs, and what the hook prints then answers it (2.0.77 to 2.1.330). See ADR 28.
 *
 * The place of the wait is a FIFO that has no name any more once it is open: the server reaches it as descriptor 3 of
 * the hook's process, and nothing can be redirected into it by a path. A reply is one line, the wait's key before and
 * after it: a part of a line, which a killed server leaves, is none. The key is known to the hook's process and stands
 * in the payload's first line alone, in no argument, no environment and no file's name. All of it is the shell's own,
 * but `mkfifo` and `rm`.
 */
const FIFO_PREFIX = '.reply.';

/**
 * Makes the place, and the key `$k`; empty where there is no place, as on a file system without FIFOs. Opened for both
 * directions: opening it waits for nobody, and it never ends. `command` keeps a failed `exec` from ending the shell.
 */
export const openPlace = (spool: string): string =>
  'read -r k </proc/sys/kernel/random/uuid;read -r f </proc/sys/kernel/random/uuid;read -r p </proc/$$/stat;' +
  `f="$${spool}/${FIFO_PREFIX}$f";mkfifo "$f"&&command exec 3<>"$f"||k=;rm -f "$f"`;

/**
 * Reads the payload into `$j`. What an agent of the session asks for is not waited for: of one in the background Claude
 * Code shows no dialog before this hook has ended (2.1.330), so nobody at the terminal could answer. A tool's input
 * that reads the same costs the reply, and is answered by keys.
 */
export const READ_PAYLOAD = `j=$(cat);case $j in *'"agent_id":'*)k=;;esac`;

/** Writes the payload, and before it who waits: the key and the process as the kernel describes it. */
export const PAYLOAD_WITH_WAIT = `{ [ -z "$k" ]||printf '%s %s\\n' "$k" "$p";printf %s "$j";}`;

/**
 * Waits in a read, which takes no processor time, and prints what was replied; nothing for a reply that is empty.
 * Claude Code ends a hook with the turn that is interrupted, and with itself; where it is killed, it does not: then its
 * end of the hook's standard output closes, which is a socket (2.0.77 to 2.1.330), and a reader beside it says so.
 */
export const PRINT_REPLY =
  '[ -z "$k" ]||{ exec 4>&1;w=;' +
  `[ ! -S /proc/$$/fd/4 ]||{ { read -r x <&4;printf '\\n%s%s\\n' "$k" "$k" >&3;} >/dev/null& w=$!;};` +
  `while read -r l <&3;do case $l in "$k"*"$k")l=\${l#"$k"};printf %s "\${l%"$k"}";break;;esac;done;` +
  '[ -z "$w" ]||kill $w;}';
