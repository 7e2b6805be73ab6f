import type { Written } from './table.ts';

const GREP: Written = {
  source: 'GNU grep 3.8',
  plain: `-E --extended-regexp; -F --fixed-strings; -G --basic-regexp; -P --perl-regexp; -e --regexp=; -f --file=;
    -i -y --ignore-case; --no-ignore-case; -w --word-regexp; -x --line-regexp; -z --null-data; -s --no-messages;
    -v --invert-match; -V --version; --help; -m --max-count=; -b --byte-offset; -n --line-number; --line-buffered;
    -H --with-filename; -h --no-filename; --label=; -o --only-matching; -q --quiet --silent; --binary-files=;
    -a --text; -I; -d --directories=; -D --devices=; -r --recursive; -R --dereference-recursive; --include=;
    --exclude=; --exclude-from=; --exclude-dir=; -L --files-without-match; -l --files-with-matches; -c --count;
    -T --initial-tab; -Z --null; -B --before-context=; -A --after-context=; -C --context=; --group-separator=;
    --no-group-separator; --color[=]; --colour[=]; -U --binary; -u --unix-byte-offsets; -#`,
};

const FIND: Written = {
  source: 'GNU findutils 4.9',
  syntax: 'find',
  plain: `-H; -L; -P; -O0; -O1; -O2; -O3; -D=; -not; -a; -and; -o; -or; -daystart; -follow; -nowarn; -warn;
    -regextype=; -depth; -d; -maxdepth=; -mindepth=; -mount; -xdev; -noleaf; -ignore_readdir_race;
    -noignore_readdir_race; -amin=; -anewer=; -atime=; -cmin=; -cnewer=; -context=; -ctime=; -empty; -false; -fstype=;
    -gid=; -group=; -ilname=; -iname=; -inum=; -iwholename=; -ipath=; -iregex=; -links=; -lname=; -mmin=; -mtime=;
    -name=; -newer=; -neweraa=; -neweram=; -neweraB=; -neweraC=; -neweraT=; -newermm=; -newerma=; -newermc=; -newermt=;
    -newercc=; -newerct=; -newerat=; -nouser; -nogroup; -path=; -perm=; -regex=; -readable; -writable; -executable;
    -wholename=; -size=; -true; -type=; -uid=; -used=; -user=; -xtype=; -print0; -printf=; -print; -ls; -prune; -quit;
    -help; --help; -version; --version`,
  runs: '-exec; -execdir; -ok; -okdir',
  writes: '-delete; -fls=; -fprint=; -fprint0=; -fprintf=2',
  lists: '-files0-from=',
};

const RIPGREP: Written = {
  source: 'ripgrep 14.1',
  syntax: 'exact',
  plain: `-A --after-context=; -B --before-context=; -C --context=; --binary; --no-binary; --block-buffered;
    --no-block-buffered; -b --byte-offset; --no-byte-offset; -s --case-sensitive; --color=; --colors=; --column;
    --no-column; --context-separator=; --no-context-separator; -c --count; --count-matches; --crlf; --no-crlf; --debug;
    --dfa-size-limit=; -E --encoding=; --no-encoding; --engine=; --field-context-separator=; --field-match-separator=;
    -f --file=; --files; -l --files-with-matches; --files-without-match; -F --fixed-strings; --no-fixed-strings;
    -L --follow; --no-follow; -g --glob=; --glob-case-insensitive; --no-glob-case-insensitive; --heading; --no-heading;
    -h --help; -. --hidden; --no-hidden; --iglob=; -i --ignore-case; --ignore-file-case-insensitive; --include-zero;
    -v --invert-match; --no-invert-match; --json; --no-json; --line-buffered; --no-line-buffered; -n --line-number;
    -N --no-line-number; -x --line-regexp; -M --max-columns=; --max-columns-preview; --no-max-columns-preview;
    -m --max-count=; -d --max-depth=; --max-filesize=; --mmap; --no-mmap; -U --multiline; --no-multiline;
    --multiline-dotall; --no-multiline-dotall; --no-config; --no-ignore; --ignore; --no-ignore-dot; --no-ignore-exclude;
    --no-ignore-files; --no-ignore-global; --no-ignore-messages; --no-ignore-parent; --no-ignore-vcs; --no-messages;
    --no-pcre2-unicode; --no-require-git; --no-unicode; -0 --null; --null-data; --one-file-system;
    --no-one-file-system; -o --only-matching; --path-separator=; --passthru --passthrough; -P --pcre2; --no-pcre2;
    --pcre2-version; -p --pretty; -q --quiet; --regex-size-limit=; -e --regexp=; -r --replace=; -S --smart-case;
    --sort=; --sortr=; --stats; --no-stats; --stop-on-nonmatch; -a --text; --no-text; -j --threads=; --trace; --trim;
    --no-trim; -t --type=; --type-add=; --type-clear=; --type-list; -T --type-not=; -u --unrestricted; -V --version;
    --vimgrep; -H --with-filename; -I --no-filename; -w --word-regexp`,
  runs: '--pre=; --pre-glob=; --hostname-bin=; -z --search-zip; --hyperlink-format=; --generate=',
  lists: '--ignore-file=',
};

const FD: Written = {
  source: 'fd 10.1',
  syntax: 'exact',
  plain: `-H --hidden; --no-hidden; -I --no-ignore; --ignore; --no-ignore-vcs; --ignore-vcs; --no-ignore-parent;
    -u --unrestricted; -s --case-sensitive; -i --ignore-case; -g --glob; --regex; -F --fixed-strings; --and=;
    -a --absolute-path; --relative-path; -l --list-details; -L --follow; --no-follow; -p --full-path; -0 --print0;
    -d --max-depth=; --min-depth=; --exact-depth=; -E --exclude=; --prune; -t --type=; -e --extension=; -S --size=;
    --changed-within=; --changed-before=; -o --owner=; -c --color=; -j --threads=; --max-results=; -1; -q --quiet;
    --show-errors; --strip-cwd-prefix[=]; --one-file-system; -h --help; -V --version; --path-separator=; --format=;
    --no-require-git`,
  runs: '-x --exec; -X --exec-batch; --gen-completions',
  lists: '--ignore-file=; --search-path=; -C --base-directory=',
};

/** The programs with which people search and compare. */
export const SEARCH: Readonly<Record<string, Written>> = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  find: FIND,
  rg: RIPGREP,
  fd: FD,
  fdfind: FD,
  diff: {
    source: 'GNU diffutils 3.8',
    plain: `--normal; -q --brief; -s --report-identical-files; -c; -C=; --context[=]; -u; -U=; --unified[=]; -e --ed;
      -n --rcs; -y --side-by-side; -W --width=; --left-column; --suppress-common-lines; -p --show-c-function;
      -F --show-function-line=; -L --label=; -t --expand-tabs; -T --initial-tab; --tabsize=; --suppress-blank-empty;
      -r --recursive; --no-dereference; -N --new-file; -P --unidirectional-new-file; --ignore-file-name-case;
      --no-ignore-file-name-case; -x --exclude=; -S --starting-file=; --from-file=; --to-file=; -i --ignore-case;
      -E --ignore-tab-expansion; -Z --ignore-trailing-space; -b --ignore-space-change; -w --ignore-all-space;
      -B --ignore-blank-lines; -I --ignore-matching-lines=; -a --text; --strip-trailing-cr; -D --ifdef=;
      --old-group-format=; --new-group-format=; --unchanged-group-format=; --changed-group-format=; --line-format=;
      --old-line-format=; --new-line-format=; --unchanged-line-format=; -d --minimal; --horizon-lines=;
      -H --speed-large-files; --color[=]; --palette=; --help; -v --version`,
    runs: '-l --paginate',
    lists: '-X --exclude-from=',
  },
  cmp: {
    source: 'GNU diffutils 3.8',
    plain: `-b --print-bytes; -i --ignore-initial=; -l --verbose; -n --bytes=; -s --quiet --silent; --help;
      -v --version`,
  },
  jq: {
    source: 'jq 1.7',
    syntax: 'exact',
    never: /\b(?:import|include)\b/,
    plain: `-c --compact-output; -n --null-input; -e --exit-status; -s --slurp; -r --raw-output; -R --raw-input;
      -C --color-output; -M --monochrome-output; -S --sort-keys; -a --ascii-output; -j --join-output; --tab; --indent=;
      --unbuffered; --stream; --seq; --arg=2; --argjson=2; --slurpfile=2; --rawfile=2; --args; --jsonargs; -h --help;
      -V --version`,
    lists: '-f --from-file=; -L --library-path=; --run-tests=; --argfile=2',
  },
  tree: {
    source: 'tree 2.1',
    syntax: 'late',
    plain: `-a; -d; -l; -f; -x; -L=; -P=; -I=; --gitignore; --ignore-case; --matchdirs; --noreport; --charset=;
      --filelimit=; --du; --timefmt=; --prune; -q; -N; -Q; -p; -u; -g; -s; -h; --si; -D; -F; --inodes; --device; -v; -t;
      -c; -U; -r; --dirsfirst; --filesfirst; --sort=; -i; -A; -S; -n; -C; -X; -J; --nolinks; --version; --help`,
    writes: '-o=; -R',
    lists: '--fromfile; --fromtabfile; --gitfile=; --infofile=; --info; -H=; -T=; --hintro=; --houtro=',
  },
  file: {
    source: 'file 5.44',
    plain: `-v --version; --help; -b --brief; -c --checking-printout; -e --exclude=; --exclude-quiet=; -F --separator=;
      -i --mime; --apple; --extension; --mime-type; --mime-encoding; -k --keep-going; -L --dereference;
      -h --no-dereference; -n --no-buffer; -N --no-pad; -0 --print0; -P --parameter=; -r --raw; -s --special-files`,
    runs: '-z --uncompress; -Z --uncompress-noreport; -S --no-sandbox',
    writes: '-C --compile; -p --preserve-date',
    lists: '-m --magic-file=; -f --files-from=; -l --list; -d --debug',
  },
  which: { source: 'debianutils 5.7', syntax: 'exact', plain: '-a; -s' },
  ps: { source: 'procps-ng 4.0.2, whose manual has no option that runs, writes or reads a file', syntax: 'text' },
  pgrep: {
    source: 'procps-ng 4.0.2',
    plain: `-d --delimiter=; -l --list-name; -a --list-full; -v --inverse; -w --lightweight; -c --count; -f --full;
      -g --pgroup=; -G --group=; -i --ignore-case; -n --newest; -o --oldest; -O --older=; -P --parent=; -s --session=;
      -t --terminal=; -u --euid=; -U --uid=; -x --exact; -r --runstates=; -A --ignore-ancestors; --cgroup=; --ns=;
      --nslist=; -h --help; -V --version`,
    lists: '-F --pidfile=; -L --logpidfile',
  },
  free: {
    source: 'procps-ng 4.0.2',
    plain: `-b --bytes; --kilo; --mega; --giga; --tera; --peta; -k --kibi; -m --mebi; -g --gibi; --tebi; --pebi;
      -h --human; --si; -l --lohi; -t --total; -v --committed; -s --seconds=; -c --count=; -w --wide; --help;
      -V --version`,
  },
  column: {
    source: 'util-linux 2.38',
    plain: `-t --table; -n --table-name=; -O --table-order=; -N --table-columns=; -l --table-columns-limit=;
      -E --table-noextreme=; -d --table-noheadings; -e --table-header-repeat; -H --table-hide=; -R --table-right=;
      -T --table-truncate=; -W --table-wrap=; -L --keep-empty-lines --table-empty-lines; -J --json; -r --tree=;
      -i --tree-id=; -p --tree-parent=; -c --output-width=; -o --output-separator=; -s --separator=; -x --fillrows;
      -h --help; -V --version`,
  },
  hexdump: {
    source: 'util-linux 2.38',
    plain: `-b --one-byte-octal; -c --one-byte-char; -C --canonical; -d --two-bytes-decimal; -o --two-bytes-octal;
      -x --two-bytes-hex; -L[=]; --color[=]; -e --format=; -n --length=; -s --skip=; -v --no-squeezing; -h --help;
      -V --version`,
    lists: '-f --format-file=',
  },
  xxd: {
    source: 'xxd 2022-01-14',
    syntax: 'words',
    stops: true,
    most: 1,
    plain: '-a; -b; -C; -c=; -E; -e; -g=; -h; -i; -l=; -n=; -o=; -p; -ps; -d; -s=; -u; -v',
    writes: '-r',
  },
};
