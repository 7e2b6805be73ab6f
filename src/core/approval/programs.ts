/**
 * Programs and built-in commands that do more than their own name says. The lists are of what rules get wrong most;
 * what they lack is covered by the rule that an `allow` names its program.
 */

/** They change how the shell reads what follows, or run a text as a command. No rule allows them. */
const SHELL_STATE: ReadonlySet<string> = new Set([
  ...['.', 'source', 'eval', 'exec', 'trap', 'alias', 'unalias', 'set', 'unset', 'shopt', 'enable', 'hash', 'export'],
  ...['declare', 'typeset', 'local', 'readonly', 'read', 'mapfile', 'readarray', 'getopts', 'builtin', 'bind', 'let'],
  ...['printf', 'setopt', 'unsetopt', 'autoload', 'zmodload', 'emulate', 'functions', 'pushd', 'popd', 'dirs', 'fc'],
  ...['complete', 'compgen', 'ulimit', 'umask', 'coproc', 'noglob', 'nocorrect', 'repeat', 'foreach', 'vared', 'print'],
  ...['integer', 'float', 'sched', 'zle', 'zstyle', 'disable', 'limit', 'rehash', 'function', 'select', '-', 'nameref'],
]);

/** They run what they are given as arguments. A rule allows them only written out, without `*`. */
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

/** They run the program that they are given as a file or as a text. */
const SCRIPTED =
  /^(?:(?:ba|z|da|a|k|mk|c|tc|fi)?sh|rbash|pwsh|osascript|(?:python|pypy|perl|ruby|node|nodejs|php|lua|luajit|tclsh|wish|deno|bun|tsx|ts-node|java|groovy|Rscript|julia|guile|racket|swift|scala|erl|elixir|R)(?:[\d.]+)?|[gmn]?awk|g?sed|npx|pnpx|bunx|uvx|pipx)$/;

/** Words that let a program run another one, or write where nobody looks, if only a `*` of the pattern covers them. */
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

const baseOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

export const changesShell = (name: string): boolean => SHELL_STATE.has(name);
export const runsOthers = (name: string): boolean => RUNNERS.has(baseOf(name));
export const scriptProgram = (name: string): boolean => SCRIPTED.test(baseOf(name));
export const isTelling = (name: string, word: string): boolean => TELLING_WORDS.get(baseOf(name))?.test(word) === true;
