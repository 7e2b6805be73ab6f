import type { Written } from './table.ts';

const CARGO = `-p --package=; --workspace; --all; --exclude=; --all-targets; --all-features; -F --features=;
  --no-default-features; --lib; --bin=; --bins; --test=; --tests; --example=; --examples; --bench=; --benches; -r --release;
  --profile=; -q --quiet; -v --verbose; -j --jobs=; --keep-going; --locked; --offline; --frozen; --message-format=;
  --color=; --no-run; --no-fail-fast; --doc; --ignore-rust-version; --future-incompat-report; -h --help; -V --version`;
const CARGO_RUNS = {
  runs: '--config=; -Z=',
  writes: '--target-dir=; --artifact-dir=; --timings[=]; -C=',
  lists: '--manifest-path=; --lockfile-path=; --target=',
};
const cargo = (more = '', rest?: string): Written => ({
  ...{ source: 'cargo 1.95', syntax: 'exact', plain: `${CARGO}; ${more}`, ...CARGO_RUNS, never: /^[+@]/ },
  ...(rest === undefined ? {} : { rest }),
});
/** The subcommands of cargo 1.95 that have another name. */
const CARGO_COMMANDS = 'build b; check c; doc d; remove rm; run r; test t';
const TESTS = `--nocapture; --no-capture; --test-threads=; --exact; --ignored; --include-ignored; --show-output; -q --quiet; --list;
  --skip=; --format=; --color=; --shuffle; --bench; --test; --report-time`;

const GO = `-v; -x; -n; -a; -p=; -race; -msan; -asan; -cover; -covermode=; -coverpkg=; -tags=; -trimpath; -buildvcs=;
  -json; -h; -help`;
const GO_RUNS = {
  runs: '-exec=; -toolexec=; -vettool=; -ldflags=; -gcflags=; -asmflags=; -gccgoflags=; -compiler=',
  writes: '-o=; -C=; -work; -pkgdir=; -mod=; -modfile=; -overlay=; -pgo=; -installsuffix=',
};
const go = (more = ''): Written => ({
  ...{ source: 'go 1.22', syntax: 'words', plain: `${GO}; ${more}`, ...GO_RUNS },
});

const NPM = `-s --silent; -q --quiet; -d; -dd; -ddd; --verbose; --json; --long; -l; -p --parseable; --if-present; -ws --workspaces;
  -w --workspace=; --include-workspace-root; --depth=; -a --all; --omit=; --include=; --loglevel=; --no-color;
  --color[=]; --no-audit; --no-fund; --no-progress; --ignore-scripts; --dry-run; -h --help; -?; -v --version`;
const NPM_RUNS = {
  runs: '--script-shell=; -c --call=; --node-options=; --shell=; --editor=; --viewer=; --git=',
  writes: '-C --prefix=; -g --global; --cache=; --location=; --pack-destination=; -f --force',
  lists: '--userconfig=; --globalconfig=',
};
const npm = (first: RegExp | null = null): Written => ({
  ...{ source: 'npm 11.19', syntax: 'words', plain: NPM, ...NPM_RUNS, first, never: /^(?:true|false|null)$/, rest: '' },
});

/** The subcommands of npm 11.19 and their other names. npm also takes every abbreviation that is unique among them. */
const NPM_COMMANDS = `access; adduser add-user; approve-scripts; audit; bugs issues; cache;
  ci clean-install ic install-clean isntall-clean; completion; config c; dedupe ddp; deny-scripts; deprecate; diff;
  dist-tag dist-tags; docs home; doctor; edit; exec x; explain why; explore; find-dupes; fund; get; help hlep;
  help-search; init create innit;
  install add i in ins inst insta instal isnt isnta isntal isntall; install-ci-test cit clean-install-test sit;
  install-scripts; install-test it; link ln; ll la; login; logout; ls list; org ogr; outdated; owner author; pack; ping;
  pkg; prefix; profile; prune; publish; query; rebuild rb; repo; restart; root; run run-script rum urn; sbom;
  search find s se; set; shrinkwrap; stage; star; stars; start; stop; team; test tst t; token; trust; undeprecate;
  uninstall unlink remove rm r un; unpublish; unstar; update u up upgrade udpate; version verison;
  view info show v; whoami`;

/** The programs with which people build and test. */
export const BUILD: Readonly<Record<string, Written>> = {
  make: {
    source: 'GNU Make 4.3',
    never: /=/,
    plain: `-b -m; -B --always-make; -d; --debug[=]; -h --help; -i --ignore-errors; -j[=]; --jobs[=]; -k --keep-going; -l[=];
      --load-average[=]; --max-load[=]; -L --check-symlink-times; -n --just-print --dry-run --recon; -O[=];
      --output-sync[=]; -p --print-data-base; -q --question; -r --no-builtin-rules; -R --no-builtin-variables;
      -s --silent --quiet; --no-silent; -S --no-keep-going --stop; --trace; -v --version; -w --print-directory;
      --no-print-directory; --warn-undefined-variables`,
    runs: '-E --eval=',
    writes: '-C --directory=; -t --touch; -e --environment-overrides',
    lists: `-f --file= --makefile=; -I --include-dir=; -o --old-file= --assume-old=; -W --what-if= --new-file=
      --assume-new=`,
  },
  cargo: {
    ...cargo(),
    commands: CARGO_COMMANDS,
    first: /^(?:build|b|check|c|test|t|doc|d|tree|metadata|clippy|bench)$/,
  },
  'cargo build': cargo(),
  'cargo check': cargo(),
  'cargo doc': cargo('--no-deps; --document-private-items'),
  'cargo test': cargo('', TESTS),
  'cargo bench': cargo('', TESTS),
  'cargo clippy': cargo('--no-deps', '-D=; -W=; -A=; -F='),
  'cargo tree': cargo('-e --edges=; -i --invert=; -d --duplicates; --depth=; --prefix=; -f --format='),
  'cargo fmt': cargo('--check'),
  'cargo run': cargo(),
  'cargo add': cargo('--dev; --build; --optional; --dry-run'),
  'cargo clean': cargo(),
  'cargo metadata': cargo('--no-deps; --format-version='),
  go: { ...go(), first: /^(?:build|test|vet|list|version|doc)$/ },
  'go build': go(),
  'go vet': go('-c='),
  'go test': {
    ...go(`-run=; -skip=; -count=; -short; -timeout=; -bench=; -benchmem; -benchtime=; -failfast; -fullpath; -cpu=; -list=;
      -parallel=; -shuffle=; -blockprofilerate=; -memprofilerate=`),
    writes: `${GO_RUNS.writes}; -coverprofile=; -cpuprofile=; -memprofile=; -blockprofile=; -mutexprofile=; -trace=;
      -outputdir=; -c; -fuzz=; -fuzztime=`,
    runs: `${GO_RUNS.runs}; -args; -vet=`,
  },
  'go list': go('-f=; -m; -u; -deps; -e; -test; -find; -versions; -retracted'),
  'go version': go('-m'),
  'go mod': { ...go(), first: /^(?:graph|verify|why)$/ },
  'go get': go('-u; -t'),
  'go install': go(),
  'go fmt': go(),
  'go doc': go('-all; -c; -cmd; -short; -src; -u'),
  npm: {
    ...npm(
      /^(?:test|t|tst|run|run-script|ls|list|ll|la|view|info|show|v|outdated|explain|why|root|prefix|ping|whoami)$/,
    ),
    commands: NPM_COMMANDS,
  },
  'npm test': npm(),
  'npm run': npm(),
  'npm ls': npm(),
  'npm view': npm(),
  'npm outdated': npm(),
  'npm install': npm(),
  'npm ci': npm(),
  'npm uninstall': npm(),
  'npm update': npm(),
  'npm audit': npm(),
  'npm explain': npm(),
  'npm pkg': npm(/^get$/),
  'npm config': npm(/^(?:get|list|ls)$/),
  pnpm: npm(/^(?:test|t|run|ls|list|why|outdated)$/),
  'pnpm test': npm(),
  'pnpm run': npm(),
  'pnpm ls': npm(),
  pytest: {
    source: 'pytest 9.0',
    syntax: 'exact',
    never: /^@/,
    plain: `-k=; -m=; --markers; -x --exitfirst; --maxfail=; --strict; --strict-config; --strict-markers; --fixtures;
      --fixtures-per-test; --capture=; -s; --runxfail; --lf --last-failed; --ff --failed-first; --nf --new-first;
      --lfnf=; --sw --stepwise; --sw-skip --stepwise-skip; --durations=; --durations-min=; -v --verbose; --no-header;
      --no-summary; -q --quiet; --verbosity=; -r=; --disable-warnings; -l --showlocals; --no-showlocals; --tb=;
      --xfail-tb; --show-capture=; --full-trace; --color=; --code-highlight=; --collect-only --co; --ignore=;
      --ignore-glob=; --deselect=; --noconftest; --keep-duplicates; --continue-on-collection-errors;
      --doctest-modules; --doctest-report=; --doctest-glob=; --setup-only; --setup-show; --setup-plan; --log-level=;
      --log-cli-level=; -n= --numprocesses=; -V --version; -h --help`,
    runs: `-p=; --pdb; --pdbcls=; --trace; --pyargs; --import-mode=; -W --pythonwarnings=; -o --override-ini=;
      --trace-config; --assert=`,
    writes: `--junit-xml= --junitxml=; --basetemp=; --pastebin=; --log-file=; --debug[=]; --cache-clear; --sw-reset;
      --cov[=]; --cov-report=`,
    lists: '-c --config-file=; --rootdir=; --confcutdir=',
  },
  tsc: {
    source: 'TypeScript 5.9',
    syntax: 'words',
    never: /^@|^(?:true|false|null)$/,
    plain: `--noEmit; -w --watch; --pretty[=]; --strict; --skipLibCheck; --listFiles; --listFilesOnly; --explainFiles;
      --showConfig; --extendedDiagnostics; --diagnostics; --traceResolution; --noUnusedLocals; --noUnusedParameters;
      --target=; -t=; --module=; -m=; --jsx=; --lib=; --esModuleInterop; --allowJs; --checkJs; --isolatedModules;
      --moduleResolution=; --noErrorTruncation; -h --help; --all; -v --version; --incremental; --force; --dry;
      -d; --verbose; --preserveWatchOutput`,
    writes: `--outDir=; --outFile=; --declarationDir=; --generateTrace=; --generateCpuProfile=; --tsBuildInfoFile=;
      --clean; --init; -b --build; --rootDir=; --baseUrl=`,
    lists: '-p --project=; --plugins=; --typeRoots=',
  },
  eslint: {
    source: 'ESLint 9',
    syntax: 'exact',
    plain: `--ext=; --quiet; --max-warnings=; --no-inline-config; --no-ignore; --no-error-on-unmatched-pattern;
      --pass-on-no-patterns; --report-unused-disable-directives; --color; --no-color; --debug; --stats;
      --no-warn-ignored; --exit-on-fatal-error; --env-info; -h --help; -v --version; --print-config=`,
    runs: '-c --config=; --rulesdir=; --plugin=; --parser=; -f --format=; --resolve-plugins-relative-to=; --flag=',
    writes: '--fix; --fix-dry-run; --fix-type=; -o --output-file=; --cache; --cache-file=; --cache-location=; --init',
    lists: '--ignore-path=',
  },
  prettier: {
    source: 'Prettier 3',
    syntax: 'exact',
    plain: `-c --check; -l --list-different; --log-level=; --no-color; --ignore-unknown; -u; --no-config; --parser=;
      --tab-width=; --print-width=; --single-quote; --no-semi; -h --help; -v --version; --no-error-on-unmatched-pattern`,
    runs: '--plugin=; --config=; --find-config-path=',
    writes: '-w --write; --cache; --cache-location=',
    lists: '--ignore-path=',
  },
  tar: {
    source: 'GNU tar 1.34',
    syntax: 'tar',
    never: /:/,
    plain: `-t --list; -d --diff --compare; --test-label; --check-device; --no-check-device; --no-seek; -n --seek;
      --occurrence[=]; --exclude=; --exclude-backups; --exclude-caches; --exclude-vcs; --no-recursion; --recursion;
      --anchored; --ignore-case; --no-anchored; --no-ignore-case; --no-wildcards; --wildcards;
      --wildcards-match-slash; --no-wildcards-match-slash; -O --to-stdout; --numeric-owner; -f --file=; -B
      --read-full-records; -b --blocking-factor=; -i --ignore-zeros; -a --auto-compress; -j --bzip2; -J --xz; --lzip;
      --lzma; --lzop; --zstd; -z --gzip --gunzip --ungzip; -Z --compress --uncompress; --no-auto-compress;
      -h --dereference; --full-time; --quoting-style=; -R --block-number; --totals[=]; --utc; -v --verbose;
      --force-local; --strip-components=; --help; --usage; --version`,
    runs: `-I --use-compress-program=; --to-command=; --checkpoint-action=; --checkpoint[=]; --rsh-command=;
      --rmt-command=; -F --info-script= --new-volume-script=; -M --multi-volume`,
    writes: `-A --catenate --concatenate; -c --create; --delete; -r --append; -u --update; -x --extract --get;
      -g --listed-incremental=; -G --incremental; --level=; --add-file=; -C --directory=; -U --unlink-first;
      --recursive-unlink; --remove-files; --overwrite; -k --keep-old-files; --one-top-level[=]; -P --absolute-names;
      --transform= --xform=; --index-file=; --volno-file=; --backup[=]; -K --starting-file=; -S --sparse; -W --verify;
      -p --preserve-permissions --same-permissions; -m --touch; --mode=; --owner=; --group=; --mtime=; -l
      --check-links; -o; -w --interactive --confirmation; -s; -N --newer= --after-date=; -H --format=; -V --label=;
      -L --tape-length=`,
    lists:
      '-T --files-from=; -X --exclude-from=; --exclude-ignore=; --exclude-ignore-recursive=; --owner-map=; --group-map=',
  },
  rsync: {
    source: 'rsync 3.2',
    plain: `-a --archive; -v --verbose; -q --quiet; -r --recursive; -n --dry-run; -z --compress; -h --human-readable; -P;
      --progress; --stats; -i --itemize-changes; -c --checksum; -u --update; --exclude=; --include=; -V --version; --help`,
    runs: '-e --rsh=; --rsync-path=; --daemon; --config=; -M --remote-option=',
    writes: `--delete; --delete-after; --delete-before; --delete-during; --delete-excluded; --remove-source-files;
      -b --backup; --backup-dir=; -T --temp-dir=; --partial-dir=; --log-file=; -o; -g; -p; -l --links; -L --copy-links;
      --write-batch=; --inplace; --append`,
    lists: '--files-from=; --exclude-from=; --include-from=; -f --filter=; -F; --password-file=; --read-batch=',
  },
  curl: {
    source: 'curl 8.10',
    never: /@|<|^file:|^\w+\+?:(?!\/\/|\d)|[{}[\]]|%(?:2[ef]|[4-7]|output)/i,
    plain: `-s --silent; -S --show-error; -f --fail; --fail-with-body; -L --location; -I --head; -i --include --show-headers;
      -v --verbose; -m --max-time=; --connect-timeout=; -X --request=; -H --header=; -d --data=; --data-raw=;
      --data-binary=; --data-urlencode=; --json=; -A --user-agent=; -e --referer=; -G --get; -w --write-out=;
      --retry=; --retry-delay=; --compressed; -k --insecure; -4 --ipv4; -6 --ipv6; --http1.1; --http2; -N --no-buffer;
      -g --globoff; -V --version; -h; --no-progress-meter; -q --disable; --max-redirs=; --url=; -r --range=`,
    runs: '--engine=; --krb=; --proxy=; -x=; --preproxy=',
    writes: `-o --output=; -O --remote-name; -J --remote-header-name; --output-dir=; --create-dirs; -D --dump-header=;
      -c --cookie-jar=; --libcurl=; --trace=; --trace-ascii=; --stderr=; -T --upload-file=; --etag-save=; --hsts=;
      --alt-svc=; -R --remote-time; --remote-name-all`,
    lists: `-K --config=; -b --cookie=; -F --form=; --form-string=; --cacert=; --capath=; -E --cert=; --key=; -u --user=;
      -n --netrc; --netrc-file=; --url-query=; --unix-socket=; --etag-compare=`,
  },
};
