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
  ...['complete', 'compgen', 'ulimit', 'umask', 'coproc', 'noglob', 'nocorrect', 'repeat', 'foreach', 'vared'],
  ...['print', 'integer', 'float', 'sched', 'zle', 'zstyle', 'disable', 'limit', 'rehash', 'function', 'select', '-'],
  ...['nameref'],
]);

/** Programs that run their arguments. A rule can allow them only if it spells out the arguments without `*`. */
const RUNNERS: ReadonlySet<string> = new Set([
  ...['xargs', 'parallel', 'sudo', 'doas', 'su', 'runuser', 'setpriv', 'pkexec', 'ssh', 'watch', 'setsid', 'stdbuf'],
  ...['strace', 'ltrace', 'gdb', 'chroot', 'unshare', 'nsenter', 'flock', 'script', 'screen', 'tmux', 'ionice'],
  ...['chrt', 'taskset', 'busybox', 'toybox', 'entr', 'at', 'batch', 'crontab', 'systemd-run', 'docker', 'podman'],
  ...['kubectl', 'vi', 'vim', 'nvim', 'ex', 'view', 'emacs', 'ed', 'less', 'more', 'man', 'socat', 'nc', 'ncat'],
  ...['proxychains', 'env', 'timeout', 'nice', 'nohup', 'command', 'time', 'prlimit', 'setarch', 'linux32'],
  ...['linux64', 'i386', 'x86_64', 'choom', 'ssh-agent', 'dbus-run-session', 'sqlite3', 'run-parts', 'm4', 'lldb'],
  ...['nano', 'gvim', 'editor', 'pager', 'ccache', 'xvfb-run', 'sshpass', 'mosh', 'rsh', 'direnv', 'nix'],
  ...['nix-shell', 'oc', 'nerdctl', 'nodemon', 'faketime', 'concurrently', 'corepack', 'runcon', 'systemd-cat'],
  ...['gnuplot', 'octave', 'dosbox', 'wine', 'qemu', 'runc', 'fakeroot', 'catchsegv', 'valgrind', 'perf', 'rlwrap'],
  ...['expect', 'unbuffer', 'firejail', 'bwrap', 'start-stop-daemon'],
]);

/** Programs that run code from a file or from an argument. */
const SCRIPTED =
  /^(?:(?:ba|z|da|a|k|mk|c|tc|fi)?sh|rbash|pwsh|osascript|(?:python|pypy|perl|ruby|node|nodejs|php|lua|luajit|tclsh|wish|deno|bun|tsx|ts-node|java|groovy|Rscript|julia|guile|racket|swift|scala|erl|elixir|R|ipython|ksh93|yash|nu|xonsh|elvish|ocaml|runghc|vite-node|dart)(?:[\d.]+)?|[gmn]?awk|g?sed|npx|pnpx|bunx|uvx|pipx)$/;

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

/** Files that a program runs although nothing names them. */
const RUN_BY_NAME: Readonly<Record<string, readonly string[]>> = {
  make: ['Makefile', 'makefile', 'GNUmakefile'],
  npm: ['package.json', '.npmrc'],
  pnpm: ['package.json', '.npmrc'],
  yarn: ['package.json', '.yarnrc.yml'],
  bun: ['package.json'],
  just: ['justfile', 'Justfile'],
  rake: ['Rakefile'],
  cargo: ['build.rs', 'Cargo.toml'],
  pytest: ['conftest.py', 'pytest.ini', 'pyproject.toml'],
};

/** Programs that run a package. Their own options precede the package's name. */
const PACKAGE_RUNNERS = /^(?:npx|pnpx|bunx|uvx|pipx)$/;
const AWK = /^[gmn]?awk$/;
const SED = /^g?sed$/;
/** Matches the ways in which a sed script can run a command: the command `e`, and the flag `e` in `s///e`. */
const SED_RUNS = /(?:^|[\s;{}\d$!])e(?:$|[\s;}])|[^\sA-Za-z0-9][a-zA-Z0-9]*e[a-zA-Z0-9]*(?:$|[\s;}])/;

export const baseOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

export const filesRunBy = (name: string): readonly string[] =>
  Object.hasOwn(RUN_BY_NAME, baseOf(name)) ? (RUN_BY_NAME[baseOf(name)] ?? []) : [];

export const changesShell = (name: string): boolean => SHELL_STATE.has(name);
export const runsOthers = (name: string): boolean => RUNNERS.has(baseOf(name));
export const scriptProgram = (name: string): boolean => SCRIPTED.test(baseOf(name));

/** Programs whose script follows a subcommand, as in `deno run x.ts`. */
const SCRIPT_AFTER_SUBCOMMAND = /^(?:deno|bun|pipx)$/;
/** Returns which word names the script of an interpreter. */
export const scriptIndex = (name: string): number => (SCRIPT_AFTER_SUBCOMMAND.test(baseOf(name)) ? 2 : 1);
/** Reports whether an interpreter passes every word after its script on to the script. */
export const passesOptionsOn = (name: string): boolean => {
  const base = baseOf(name);
  const readsOn = [AWK, SED, PACKAGE_RUNNERS, SCRIPT_AFTER_SUBCOMMAND].some((pattern) => pattern.test(base));
  return scriptProgram(name) && !readsOn;
};

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
