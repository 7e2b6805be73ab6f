import type { Written } from './table.ts';

const source = 'GNU coreutils 9.1';
const COMMON = '--help; --version';
const SUM = `-b --binary; -c --check; --tag; -t --text; -z --zero; --ignore-missing; --quiet; --status; --strict; -w --warn; ${COMMON}`;
const LS = `-a --all; -A --almost-all; --author; -b --escape; --block-size=; -B --ignore-backups; -c; -C; --color[=];
  -d --directory; -D --dired; -f; -F --classify[=]; --file-type; --format=; --full-time; -g;
  --group-directories-first; -G --no-group; -h --human-readable; --si; -H --dereference-command-line;
  --dereference-command-line-symlink-to-dir; --hide=; --hyperlink[=]; --indicator-style=; -i --inode; -I --ignore=;
  -k --kibibytes; -l; -L --dereference; -m; -n --numeric-uid-gid; -N --literal; -o; -p; -q --hide-control-chars;
  --show-control-chars; -Q --quote-name; --quoting-style=; -r --reverse; -R --recursive; -s --size; -S; --sort=;
  --time=; --time-style=; -t; -T --tabsize=; -u; -U; -v; -w --width=; -x; -X; -Z --context; --zero; -1; ${COMMON}`;

/** The programs of GNU coreutils that read, and those whose options people misjudge. */
export const COREUTILS: Readonly<Record<string, Written>> = {
  ls: { source, plain: LS },
  dir: { source, plain: LS },
  vdir: { source, plain: LS },
  cat: {
    source,
    plain: `-A --show-all; -b --number-nonblank; -e; -E --show-ends; -n --number; -s --squeeze-blank; -t;
      -T --show-tabs; -u; -v --show-nonprinting; ${COMMON}`,
  },
  head: {
    source,
    plain: `-#; -c --bytes=; -n --lines=; -q --quiet --silent; -v --verbose; -z --zero-terminated; ${COMMON}`,
  },
  tail: {
    source,
    plain: `-#; -c --bytes=; -f; --follow[=]; -F; -n --lines=; --max-unchanged-stats=; --pid=; -q --quiet --silent;
      --retry; -s --sleep-interval=; -v --verbose; -z --zero-terminated; ${COMMON}`,
  },
  wc: {
    source,
    plain: `-c --bytes; -m --chars; -l --lines; -L --max-line-length; -w --words; --total=; ${COMMON}`,
    lists: '--files0-from=',
  },
  stat: {
    source,
    plain: `-L --dereference; -f --file-system; --cached=; -c --format=; --printf=; -t --terse; ${COMMON}`,
  },
  du: {
    source,
    plain: `-0 --null; -a --all; --apparent-size; -A; -B --block-size=; -b --bytes; -c --total; -D --dereference-args;
      -d --max-depth=; -H; -h --human-readable; --inodes; -k; -L --dereference; -l --count-links; -m;
      -P --no-dereference; -S --separate-dirs; --si; -s --summarize; -t --threshold=; --time[=]; --time-style=;
      --exclude=; -x --one-file-system; ${COMMON}`,
    lists: '--files0-from=; -X --exclude-from=',
  },
  df: {
    source,
    plain: `-a --all; -B --block-size=; --direct; -h --human-readable; -H --si; -i --inodes; -k; -l --local; --no-sync;
      --output[=]; -P --portability; --total; -t --type=; -T --print-type; -x --exclude-type=; -v; ${COMMON}`,
    writes: '--sync',
  },
  sort: {
    source,
    plain: `-b --ignore-leading-blanks; -d --dictionary-order; -f --ignore-case; -g --general-numeric-sort;
      -i --ignore-nonprinting; -M --month-sort; -h --human-numeric-sort; -n --numeric-sort; -R --random-sort;
      -r --reverse; --sort=; -V --version-sort; --batch-size=; -c; --check[=]; -C; --debug; -k --key=; -m --merge;
      -s --stable; -S --buffer-size=; -t --field-separator=; --parallel=; -u --unique; -z --zero-terminated; ${COMMON}`,
    runs: '--compress-program=',
    writes: '-o --output=; -T --temporary-directory=',
    lists: '--files0-from=; --random-source=',
  },
  uniq: {
    source,
    most: 1,
    plain: `-c --count; -d --repeated; -D; --all-repeated[=]; -f --skip-fields=; --group[=]; -i --ignore-case;
      -s --skip-chars=; -u --unique; -z --zero-terminated; -w --check-chars=; ${COMMON}`,
  },
  cut: {
    source,
    plain: `-b --bytes=; -c --characters=; -d --delimiter=; -f --fields=; -n; --complement; -s --only-delimited;
      --output-delimiter=; -z --zero-terminated; ${COMMON}`,
  },
  tr: { source, plain: `-c -C --complement; -d --delete; -s --squeeze-repeats; -t --truncate-set1; ${COMMON}` },
  nl: {
    source,
    plain: `-b --body-numbering=; -d --section-delimiter=; -f --footer-numbering=; -h --header-numbering=;
      -i --line-increment=; -l --join-blank-lines=; -n --number-format=; -p --no-renumber; -s --number-separator=;
      -v --starting-line-number=; -w --number-width=; ${COMMON}`,
  },
  tac: { source, plain: `-b --before; -r --regex; -s --separator=; ${COMMON}` },
  od: {
    source,
    plain: `-A --address-radix=; --endian=; -j --skip-bytes=; -N --read-bytes=; -S=; --strings[=]; -t --format=;
      -v --output-duplicates; -w[=]; --width[=]; --traditional; -a; -b; -c; -d; -f; -i; -l; -o; -s; -x; ${COMMON}`,
  },
  date: {
    source,
    first: /^\+/,
    plain: `-d --date=; --debug; -I[=]; --iso-8601[=]; --resolution; -R --rfc-email; --rfc-3339=; -r --reference=;
      -u --utc --universal; ${COMMON}`,
    writes: '-s --set=',
    lists: '-f --file=',
  },
  basename: { source, plain: `-a --multiple; -s --suffix=; -z --zero; ${COMMON}` },
  dirname: { source, plain: `-z --zero; ${COMMON}` },
  realpath: {
    source,
    plain: `-e --canonicalize-existing; -m --canonicalize-missing; -L --logical; -P --physical; -q --quiet;
      --relative-to=; --relative-base=; -s --strip --no-symlinks; -z --zero; ${COMMON}`,
  },
  readlink: {
    source,
    plain: `-f --canonicalize; -e --canonicalize-existing; -m --canonicalize-missing; -n --no-newline; -q --quiet;
      -s --silent; -v --verbose; -z --zero; ${COMMON}`,
  },
  ...Object.fromEntries(
    ['md5sum', 'sha1sum', 'sha224sum', 'sha256sum', 'sha384sum', 'sha512sum'].map((name) => [
      name,
      { source, plain: SUM.replace('-c --check; ', ''), lists: '-c --check' },
    ]),
  ),
  comm: {
    source,
    plain: `-1; -2; -3; --check-order; --nocheck-order; --output-delimiter=; --total; -z --zero-terminated; ${COMMON}`,
  },
  join: {
    source,
    plain: `-a=; -e=; -i --ignore-case; -j=; -o=; -t=; -v=; -1=; -2=; --check-order; --nocheck-order; --header;
      -z --zero-terminated; ${COMMON}`,
  },
  paste: { source, plain: `-d --delimiters=; -s --serial; -z --zero-terminated; ${COMMON}` },
  seq: { source, plain: `-f --format=; -s --separator=; -w --equal-width; ${COMMON}` },
  pwd: { source, plain: `-L --logical; -P --physical; ${COMMON}` },
  id: {
    source,
    plain: `-a; -Z --context; -g --group; -G --groups; -n --name; -r --real; -u --user; -z --zero; ${COMMON}`,
  },
  uname: {
    source,
    plain: `-a --all; -s --kernel-name; -n --nodename; -r --kernel-release; -v --kernel-version; -m --machine;
      -p --processor; -i --hardware-platform; -o --operating-system; ${COMMON}`,
  },
  nproc: { source, plain: `--all; --ignore=; ${COMMON}` },
  fold: { source, plain: `-#; -b --bytes; -s --spaces; -w --width=; ${COMMON}` },
  base64: { source, plain: `-d --decode; -i --ignore-garbage; -w --wrap=; ${COMMON}` },
  printenv: { source, plain: `-0 --null; ${COMMON}` },
  whoami: { source, plain: COMMON },
  sleep: { source, plain: COMMON },
  shuf: {
    source,
    plain: `-e --echo; -i --input-range=; -n --head-count=; -r --repeat; -z --zero-terminated; ${COMMON}`,
    writes: '-o --output=',
    lists: '--random-source=',
  },
  mkdir: { source, plain: `-m --mode=; -p --parents; -v --verbose; ${COMMON}`, writes: '-Z; --context[=]' },
  rmdir: { source, plain: `--ignore-fail-on-non-empty; -v --verbose; ${COMMON}`, writes: '-p --parents' },
  touch: {
    source,
    plain: `-a; -c --no-create; -d --date=; -f; -h --no-dereference; -m; -r --reference=; -t=; --time=; ${COMMON}`,
  },
  cp: {
    source,
    plain: `-a --archive; --attributes-only; -d; -i --interactive; -n --no-clobber; -P --no-dereference; -p;
      --preserve[=]; --no-preserve=; -R -r --recursive; --reflink[=]; --sparse=; --strip-trailing-slashes;
      -T --no-target-directory; -u --update; -v --verbose; -x --one-file-system; ${COMMON}`,
    writes: `--backup[=]; -b; --copy-contents; -f --force; -H; -l --link; -L --dereference; --parents;
      --remove-destination; -s --symbolic-link; -S --suffix=; -t --target-directory=; -Z; --context[=]`,
    means: '-a -d -R',
  },
  mv: {
    source,
    plain: `-i --interactive; -n --no-clobber; --strip-trailing-slashes; -T --no-target-directory; -u --update;
      -v --verbose; ${COMMON}`,
    writes: '--backup[=]; -b; -f --force; -S --suffix=; -t --target-directory=; -Z --context',
  },
  rm: {
    source,
    plain: `-i; -I; --one-file-system; --preserve-root[=]; -v --verbose; ${COMMON}`,
    writes: '-f --force; --interactive[=]; --no-preserve-root; -r -R --recursive; -d --dir',
  },
  ln: {
    source,
    plain: `-i --interactive; -L --logical; -n --no-dereference; -P --physical; -r --relative; -s --symbolic;
      -T --no-target-directory; -v --verbose; ${COMMON}`,
    writes: '--backup[=]; -b; -d -F --directory; -f --force; -S --suffix=; -t --target-directory=',
  },
  chmod: {
    source,
    plain: `-c --changes; -f --silent --quiet; -v --verbose; --preserve-root; ${COMMON}`,
    writes: '--no-preserve-root; --reference=; -R --recursive',
  },
  chown: {
    source,
    plain: `-c --changes; -f --silent --quiet; -v --verbose; --dereference; -h --no-dereference; --preserve-root;
      --from=; -P; ${COMMON}`,
    writes: '--no-preserve-root; --reference=; -R --recursive; -H; -L',
  },
  tee: {
    source,
    plain: `-a --append; -i --ignore-interrupts; -p; --output-error[=]; ${COMMON}`,
  },
  // Shells have these built in. Every word is text, except that `-n`, `-e` and `-E` change how it is printed.
  echo: { source, syntax: 'text' },
  true: { source, syntax: 'text' },
  false: { source, syntax: 'text' },
};
