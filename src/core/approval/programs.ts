/**
 * Programs and built-in commands that do more than their names suggest. The lists contain those that people most often
 * misjudge when they write rules. For every other program, it is enough that an `allow` must name it.
 */

/**
 * Commands that change how the shell interprets the code that follows, or that run their text as a command. No rule can
 * allow them.
 */
const SHELL_STATE: ReadonlySet<string> = new Set([
  ...['.', 'source', 'eval', 'exec', 'trap', 'alias', 'unalias', 'set', 'unset', 'shopt', 'enable', 'hash', 'export'],
  ...['declare', 'typeset', 'local', 'readonly', 'read', 'mapfile', 'readarray', 'getopts', 'builtin', 'bind', 'let'],
  ...['printf', 'setopt', 'unsetopt', 'autoload', 'zmodload', 'emulate', 'functions', 'pushd', 'popd', 'dirs', 'fc'],
  ...['complete', 'compgen', 'ulimit', 'umask', 'coproc', 'noglob', 'nocorrect', 'repeat', 'foreach', 'vared', 'print'],
  ...['integer', 'float', 'sched', 'zle', 'zstyle', 'disable', 'limit', 'rehash', 'function', 'select', '-', 'nameref'],
]);

/** Programs that run their arguments. A rule can allow them only if it spells out the arguments without `*`. */
const RUNNERS: ReadonlySet<string> = new Set([
  ...['xargs', 'parallel', 'sudo', 'doas', 'su', 'runuser', 'setpriv', 'pkexec', 'ssh', 'watch', 'setsid', 'stdbuf'],
  ...['strace', 'ltrace', 'gdb', 'chroot', 'unshare', 'nsenter', 'flock', 'script', 'screen', 'tmux', 'ionice', 'chrt'],
  ...['taskset', 'busybox', 'toybox', 'entr', 'at', 'batch', 'crontab', 'systemd-run', 'docker', 'podman', 'kubectl'],
  ...['vi', 'vim', 'nvim', 'ex', 'view', 'emacs', 'ed', 'less', 'more', 'man', 'socat', 'nc', 'ncat', 'proxychains'],
  ...[
    'fakeroot',
    'catchsegv',
    'valgrind',
    'perf',
    'rlwrap',
    'expect',
    'unbuffer',
    'firejail',
    'bwrap',
    'start-stop-daemon',
  ],
]);

/** Programs that run code from a file or from an argument. */
const SCRIPTED =
  /^(?:(?:ba|z|da|a|k|mk|c|tc|fi)?sh|rbash|pwsh|osascript|(?:python|pypy|perl|ruby|node|nodejs|php|lua|luajit|tclsh|wish|deno|bun|tsx|ts-node|java|groovy|Rscript|julia|guile|racket|swift|scala|erl|elixir|R)(?:[\d.]+)?|[gmn]?awk|g?sed|npx|pnpx|bunx|uvx|pipx)$/;

/**
 * Words that make a program run another program, or write to an unexpected place. They matter only if nothing but a `*`
 * in the pattern covers them.
 */
const TELLING_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ['find', /^-(?:exec|execdir|ok|okdir|delete|fls|fprint|fprint0|fprintf)$/],
  [
    'git',
    /^(?:-c|-C|-c.+|-C.+|--config-env.*|--exec-path.*|--git-dir.*|--work-tree.*|--namespace.*|--super-prefix.*|--output.*|--ext-diff|--textconv|--upload-pack.*|--receive-pack.*|--exec.*|-x|--open-files-in-pager.*|-O.*|--paginate|-p|--template.*|ext::.*)$/,
  ],
  [
    'tar',
    /^(?:-I.*|--to-command.*|--use-compress-program.*|--checkpoint-action.*|--rsh-command.*|-F.*|--info-script.*|--new-volume-script.*)$/,
  ],
  ['rsync', /^(?:-e.*|--rsh.*|--rsync-path.*)$/],
  ['rg', /^--(?:pre|hostname-bin).*$/],
  ['fd', /^(?:-x|-X|--exec.*)$/],
  ['fdfind', /^(?:-x|-X|--exec.*)$/],
  ['sort', /^(?:-o.*|--output.*|--compress-program.*)$/],
  ['make', /^(?:-f.*|-C.*|--file.*|--makefile.*|--eval.*|--directory.*|-E.*|[A-Za-z_.]\w*[:+?!]*=.*)$/],
  ['npm', /^(?:--script-shell.*|--prefix.*|-C.*|--userconfig.*|--globalconfig.*|exec|x)$/],
  [
    'curl',
    /^(?:-o.*|-O.*|--output.*|-K.*|--config.*|-T.*|--upload-file.*|--create-dirs|-D.*|--dump-header.*|-c.*|--cookie-jar.*|--libcurl.*|--trace.*|--stderr.*)$/,
  ],
  ['go', /^-(?:exec|toolexec|C|overlay).*$/],
  ['cargo', /^(?:--config.*|-Z.*|-C.*|\+.*)$/],
]);

/**
 * The commands of {@link SHELL_STATE} that change only variables and options. They affect neither the names of commands
 * nor what those commands run.
 */
const KEEPS_NAMES: ReadonlySet<string> = new Set([
  ...['set', 'unset', 'shopt', 'export', 'declare', 'typeset', 'local', 'readonly', 'read', 'printf', 'print', 'let'],
  ...['pushd', 'popd', 'dirs', 'ulimit', 'umask', 'integer', 'float', 'setopt', 'unsetopt', 'rehash', 'unalias'],
]);

/** Programs that run the commands that they read from their input, or that run something later. */
const BUILDERS: ReadonlySet<string> = new Set(['xargs', 'parallel', 'entr', 'at', 'batch', 'crontab']);

/** Programs that run a package. Their own options precede the package's name. */
const PACKAGE_RUNNERS = /^(?:npx|pnpx|bunx|uvx|pipx)$/;
const AWK = /^[gmn]?awk$/;
const SED = /^g?sed$/;
/** Matches the ways in which a sed script can run a command: the command `e`, and the flag `e` in `s///e`. */
const SED_RUNS = /(?:^|[\s;{}\d$!])e(?:$|[\s;}])|[^\sA-Za-z0-9][a-zA-Z0-9]*e[a-zA-Z0-9]*(?:$|[\s;}])/;

export const baseOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

export const changesShell = (name: string): boolean => SHELL_STATE.has(name);
export const runsOthers = (name: string): boolean => RUNNERS.has(baseOf(name));
export const scriptProgram = (name: string): boolean => SCRIPTED.test(baseOf(name));
export const isTelling = (name: string, word: string): boolean => TELLING_WORDS.get(baseOf(name))?.test(word) === true;

/** Reports whether the commands after this one still do what their names suggest. */
export const keepsNames = (name: string): boolean => !SHELL_STATE.has(name) || KEEPS_NAMES.has(name);
export const buildsItsCommand = (name: string): boolean => BUILDERS.has(baseOf(name));

/**
 * Reports whether an interpreter runs code from its arguments or its input instead of from the named file.
 * @param known for each word of `rest`, whether that word is fully known
 */
export function runsText(name: string, rest: readonly string[], known: readonly boolean[]): boolean {
  const base = baseOf(name);
  const read = rest.filter((_, index) => known[index] === true);
  if (AWK.test(base)) return read.some((word) => /system|[|]|getline|^-f/.test(word));
  if (SED.test(base)) return read.some((word) => SED_RUNS.test(word));
  if (PACKAGE_RUNNERS.test(base)) return rest.some((word) => /^(?:-c|--call|--shell.*)$/.test(word));
  const [first] = rest;
  return first === undefined || (first.startsWith('-') && first !== '-m');
}
