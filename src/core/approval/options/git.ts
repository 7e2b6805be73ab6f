import type { Written } from './table.ts';

const source = 'git 2.39';
/** Matches `ext::`, with which git runs a program, and the placeholders with which it runs gpg. */
const never = /^[a-z][\w+.-]*::|%G/;
/** A remote by its name or its address. In a folder, `git push` runs the hooks of the repository there. */
const REMOTE = /^(?!file:)(?:\w[\w-]*|[a-z+]+:\/\/\S+|(?:[\w.-]+@)?[\w.-]+:(?!:)\S+)$/;
const HELP = '-h';

const DIFF = `--no-index; -p --patch; -s --no-patch; -u; -U[=]; --unified[=]; -W --function-context; --raw; --patch-with-raw;
  --patch-with-stat; --numstat; --shortstat; -X[=]; --dirstat[=]; --cumulative; --dirstat-by-file[=]; --check; --summary;
  --name-only; --name-status; --stat[=]; --stat-width=; --stat-name-width=; --stat-graph-width=; --stat-count=;
  --compact-summary; --binary; --full-index; --color[=]; --ws-error-highlight=; -z; --abbrev[=]; --src-prefix=;
  --dst-prefix=; --line-prefix=; --no-prefix; --inter-hunk-context=; --output-indicator-new=;
  --output-indicator-old=; --output-indicator-context=; -B[=]; --break-rewrites[=]; -M[=]; --find-renames[=];
  -D --irreversible-delete; -C[=]; --find-copies[=]; --find-copies-harder; --no-renames; --rename-empty; --follow;
  -l=; --minimal; -w --ignore-all-space; -b --ignore-space-change; --ignore-space-at-eol; --ignore-cr-at-eol;
  --ignore-blank-lines; -I --ignore-matching-lines=; --indent-heuristic; --patience; --histogram; --diff-algorithm=;
  --anchored=; --word-diff[=]; --word-diff-regex=; --color-words[=]; --color-moved[=]; --color-moved-ws=;
  --relative[=]; -a --text; -R; --exit-code; --quiet; --no-ext-diff; --no-textconv; --ignore-submodules[=];
  --submodule[=]; --ita-invisible-in-index; --ita-visible-in-index; -S=; -G=; --pickaxe-all; --pickaxe-regex;
  --rotate-to=; --skip-to=; --find-object=; --diff-filter=; --cached; --staged; --merge-base; --base; --ours;
  --theirs; -#; -c; --cc; --combined-all-paths; -t; -m`;
const DIFF_RUNS = '--ext-diff; --textconv';
const DIFF_LISTS = '-O=';

const LOG = `${DIFF}; -q; -n --max-count=; --skip=; --since=; --after=; --until=; --before=;
  --since-as-filter=; --author[=]; --committer[=]; --grep-reflog[=]; --grep=; --all-match; --invert-grep;
  -i --regexp-ignore-case; --basic-regexp; -E --extended-regexp; -F --fixed-strings; -P --perl-regexp;
  --remove-empty; --merges; --no-merges; --min-parents[=]; --max-parents[=]; --no-min-parents; --no-max-parents;
  --first-parent; --exclude-first-parent-only; --not; --all; --branches[=]; --tags[=]; --remotes[=]; --glob=;
  --exclude=; --exclude-hidden=; --reflog; --alternate-refs; --single-worktree; --ignore-missing; --bisect;
  --cherry-mark; --cherry-pick; --left-only; --right-only; --cherry; -g --walk-reflogs; --boundary;
  --simplify-by-decoration; --show-pulls; --full-history; --dense; --sparse; --simplify-merges; --ancestry-path[=];
  --date-order; --author-date-order; --topo-order; --reverse; --no-walk[=]; --do-walk; --pretty[=]; --format[=];
  --abbrev-commit; --no-abbrev-commit; --oneline; --encoding=; --expand-tabs[=]; --no-expand-tabs; --notes[=];
  --no-notes; --show-notes[=]; --date=; --relative-date; --parents; --children; --left-right; --graph;
  --show-linear-break[=]; --decorate[=]; --no-decorate; --decorate-refs[=]; --decorate-refs-exclude[=];
  --clear-decorations; --source; --use-mailmap; --mailmap; --log-size; -L[=]; --diff-merges[=]; --no-diff-merges; -r;
  --root; ${HELP}`;

const diffing = (plain: string): Written => ({
  ...{ source, syntax: 'git', never, plain, runs: `${DIFF_RUNS}; --show-signature`, lists: `${DIFF_LISTS}; --stdin` },
  writes: '--output=',
});

const git = (plain: string, rest: Partial<Written> = {}): Written => ({
  ...{ source, syntax: 'git', plain: `${plain}; ${HELP}` },
  ...rest,
});

/** The subcommands of git that only read. A star may stand for one of these, but for no other subcommand. */
export const GIT_READERS: readonly string[] = [
  ...['status', 'diff', 'log', 'show', 'shortlog', 'blame', 'annotate', 'ls-files', 'rev-parse', 'describe', 'grep'],
  ...['ls-tree', 'cat-file', 'rev-list', 'merge-base', 'show-ref', 'name-rev', 'whatchanged', 'diff-tree'],
];

/** git itself, and its subcommands. */
export const GIT: Readonly<Record<string, Written>> = {
  git: {
    ...{ source, syntax: 'words' },
    first: new RegExp(`^(?:${GIT_READERS.join('|')})$`),
    plain: `--no-pager -P; --no-optional-locks; --no-replace-objects; --literal-pathspecs; --glob-pathspecs;
      --noglob-pathspecs; --icase-pathspecs; --version; -v`,
    runs: '-c=; --config-env=; --exec-path[=]; -p --paginate; --help',
    lists: '-C=; --git-dir=; --work-tree=; --namespace=; --super-prefix=; --attr-source=; --shallow-file=',
  },
  'git status': git(`-v --verbose; -s --short; -b --branch; --show-stash; --ahead-behind; --porcelain[=]; --long;
    -z --null; -u[=]; --untracked-files[=]; --ignored[=]; --ignore-submodules[=]; --column[=]; --renames; -M[=];
    --find-renames[=]`),
  'git diff': diffing(`${DIFF}; ${HELP}`),
  'git log': diffing(LOG),
  'git show': diffing(LOG),
  'git whatchanged': diffing(LOG),
  'git diff-tree': diffing(`${DIFF}; -r; -v; --pretty[=]; --no-commit-id; --root; ${HELP}`),
  'git rev-list': diffing(`${LOG}; --count; --objects; --header; --timestamp; --disk-usage[=]; --quiet`),
  'git shortlog': diffing(`${LOG}; -c; -n --numbered; -s --summary; -e --email; --group=; -w[=]`),
  'git blame': git(
    `--incremental; -b; --root; --show-stats; --progress; --score-debug; -f --show-name; -n --show-number;
    -p --porcelain; --line-porcelain; -c; -t; -l; -s; -e --show-email; -w; --ignore-rev=; --color-lines;
    --color-by-age; --minimal; -C[=]; -M[=]; -L=; --abbrev[=]; --date=; --reverse; --first-parent; --since=`,
    { lists: '-S=; --contents=; --ignore-revs-file=' },
  ),
  'git annotate': git('-l; -t; -L=; -b; -s; -w; -C[=]; -M[=]'),
  'git ls-files': git(
    `-z; -t; -v; -f; --deduplicate; -c --cached; -d --deleted; -m --modified; -o --others; -i --ignored; -s --stage;
    -k --killed; --directory; --eol; --empty-directory; -u --unmerged; --resolve-undo; -x --exclude=;
    --exclude-per-directory=; --exclude-standard; --full-name; --recurse-submodules; --error-unmatch; --with-tree=;
    --abbrev[=]; --debug; --sparse; --format=`,
    { lists: '-X --exclude-from=' },
  ),
  'git rev-parse': git(`--show-toplevel; --abbrev-ref[=]; --short[=]; --verify; --git-dir; --git-common-dir;
    --absolute-git-dir; --is-inside-work-tree; --is-inside-git-dir; --is-bare-repository; --is-shallow-repository;
    --symbolic; --symbolic-full-name; -q --quiet; --all; --branches[=]; --tags[=]; --remotes[=]; --show-prefix;
    --show-cdup; --git-path=; --show-superproject-working-tree; --path-format=; --revs-only; --no-revs; --flags;
    --no-flags; --default=; --not; --sq; --show-object-format[=]`),
  'git describe': git(`--contains; --all; --long; --first-parent; --abbrev[=]; --exact-match; --candidates=; --match=;
    --exclude=; --always; --dirty[=]; --broken[=]; --tags; --debug`),
  'git grep': git(
    `--cached; --no-index; --untracked; --exclude-standard; --recurse-submodules; -v --invert-match; -i --ignore-case;
    -w --word-regexp; -a --text; -I; -r --recursive; --max-depth=; -E --extended-regexp; -G --basic-regexp;
    -F --fixed-strings; -P --perl-regexp; -n --line-number; --column; -h; -H; --full-name; -l --files-with-matches;
    --name-only; -L --files-without-match; -z --null; -o --only-matching; -c --count; --color[=]; --break; --heading;
    -C --context=; -B --before-context=; -A --after-context=; --threads=; -p --show-function; -W --function-context;
    --and; --or; --not; -q --quiet; --all-match; -m --max-count=; -e=; -f=; -#`,
    { runs: '-O[=]; --open-files-in-pager[=]; --textconv; --ext-grep' },
  ),
  'git ls-tree': git('-d; -r; -t; -z; -l --long; --name-only; --name-status; --object-only; --full-name; --full-tree'),
  'git cat-file': git('-e; -p; -t; -s; -z', { runs: '--textconv; --filters; --path=', lists: '--batch[=]' }),
  'git merge-base': git('-a --all; --octopus; --independent; --is-ancestor; --fork-point'),
  'git show-ref': git('-q --quiet; --verify; -d --dereference; --hash[=]; -s; --abbrev[=]; --tags; --heads; --head'),
  'git name-rev': git('--name-only; --tags; --refs=; --exclude=; --all; --undefined; --always'),
  'git branch': git(
    `-v --verbose; -q --quiet; -r --remotes; -a --all; --contains=; --no-contains=; --merged[=]; --no-merged[=];
    --abbrev[=]; -l --list; --show-current; --sort=; --points-at=; -i --ignore-case; --format=; --color[=]; --column[=]`,
    {
      runs: '--edit-description',
      writes: `-t; --track[=]; -u --set-upstream-to=; --unset-upstream; -d --delete; -D; -m --move; -M; -c --copy; -C;
        -f --force; --create-reflog; --recurse-submodules`,
      means: '-D -d -f; -M -m -f; -C -c -f',
    },
  ),
  'git tag': git(
    `-l --list; -n[=]; --contains=; --no-contains=; --merged[=]; --no-merged[=]; --sort=; --points-at=; --format=;
    --color[=]; --column[=]; -i --ignore-case; -a --annotate; -m --message=`,
    { runs: '-e --edit; -s --sign; -u --local-user=; -v --verify', writes: '-d --delete; -f --force; -F --file=' },
  ),
  'git remote': git('-v --verbose', { first: /^(?:show|get-url)$/ }),
  'git stash': git('-q --quiet; -u --include-untracked; -k --keep-index; -S --staged; -m --message=', {
    first: /^(?:list|show|push)$/,
    runs: '-p --patch',
  }),
  'git worktree': git('-v --verbose; --porcelain; -z', { first: /^list$/ }),
  'git reflog': git('-n=; --all; --date=; --oneline; --pretty[=]; --format=', { first: /^(?:show|HEAD.*)$/ }),
  'git add': git(
    `-n --dry-run; -v --verbose; -u --update; -A --all; -N --intent-to-add; --refresh; --ignore-errors;
    --ignore-missing; --ignore-removal`,
    { runs: '-i --interactive; -p --patch; -e --edit', writes: '-f --force; --chmod=; --renormalize' },
  ),
  'git commit': git(
    `-q --quiet; -v --verbose; -m --message=; -s --signoff; -a --all; --dry-run; --short; --branch; --porcelain;
    --long; --no-edit; --allow-empty; --no-gpg-sign; --no-status; --trailer=; --date=; --author=; -F --file=;
    -o --only; -i --include; -u[=]; --untracked-files[=]; --fixup=; --squash=; --no-post-rewrite`,
    {
      runs: '-e --edit; -c --reedit-message=; -S[=]; --gpg-sign[=]; -p --patch; --interactive; -t --template=',
      writes: '--amend; -n --no-verify; -C --reuse-message=; --reset-author; --allow-empty-message; --cleanup=',
    },
  ),
  'git push': git('-v --verbose; -q --quiet; -n --dry-run; -u --set-upstream; --progress; --porcelain; --atomic', {
    never: /^[+:]|^[a-z][\w+.-]*::/,
    first: REMOTE,
    operandMeans: [
      [/^\+/, '-f'],
      [/^:./, '-d'],
    ],
    runs: '--receive-pack= --exec=; --signed[=]',
    writes: `-f --force; --force-with-lease[=]; --force-if-includes; -d --delete; --mirror; --all; --tags; --prune;
      --follow-tags; -o --push-option=; --no-verify; --repo=`,
  }),
  'git fetch': git('-v --verbose; -q --quiet; --dry-run; --progress; --all; -t --tags; -n; --depth=; -j --jobs=', {
    never: /^\+|^[a-z][\w+.-]*::/,
    first: REMOTE,
    runs: '--upload-pack=',
    writes: '-f --force; -p --prune; -P --prune-tags; -u --update-head-ok; --refmap=',
  }),
  'git pull': git('-v --verbose; -q --quiet; --progress; --ff-only; --stat; -n', {
    never: /^\+|^[a-z][\w+.-]*::/,
    first: REMOTE,
    runs: '--upload-pack=; -S[=]; --gpg-sign[=]; -s --strategy=; -e --edit',
    writes: '-f --force; -r[=]; --rebase[=]; --autostash; --squash; --ff; --no-ff; -p --prune',
  }),
  'git checkout': git('-q --quiet; --progress; -b=', {
    runs: '-p --patch',
    writes: '-f --force; -B=; --orphan=; -m --merge; --ours; --theirs; -2; -3; -d --detach; -t; --track[=]',
  }),
  'git switch': git('-q --quiet; --progress; -c --create=', {
    writes: '-f --force; -C --force-create=; --discard-changes; -m --merge; -d --detach; --orphan=; -t; --track[=]',
  }),
  'git reset': git('-q --quiet', { runs: '-p --patch', writes: '--hard; --soft; --mixed; --merge; --keep; -N' }),
  'git clean': git('-n --dry-run; -q --quiet', { runs: '-i --interactive', writes: '-f --force; -d; -x; -X; -e=' }),
  'git rm': git('-n --dry-run; -q --quiet; --cached', { writes: '-f --force; -r' }),
  'git merge': git('-q --quiet; -v --verbose; --ff; --ff-only; --no-ff; --stat; -n; --progress; -m --message=', {
    runs: '-e --edit; -s --strategy=; -S[=]; --gpg-sign[=]',
    writes: '--abort; --continue; --quit; --squash; --no-commit; --no-verify; -X --strategy-option=; -F --file=',
  }),
  'git rebase': git('-q --quiet; -v --verbose; --stat; -n', {
    runs: '-x --exec=; -i --interactive; -s --strategy=; -S[=]; --gpg-sign[=]; --edit-todo',
    writes: '--abort; --continue; --skip; --quit; --onto=; --root; --no-verify; -f --force-rebase; --autostash',
  }),
  'git cherry-pick': git('-x', {
    runs: '-e --edit; -S[=]; --gpg-sign[=]; --strategy=',
    writes: '--abort; --continue; --skip; --quit; -n --no-commit; -m --mainline=; -s --signoff; -X --strategy-option=',
  }),
  'git restore': git('-q --quiet; --progress; -S --staged', {
    runs: '-p --patch',
    writes: '-s --source=; -W --worktree',
  }),
  'git mv': git('-v --verbose; -n --dry-run', { writes: '-f --force; -k' }),
  'git config': git('-l --list; --get; --get-all; --show-origin; --show-scope; --name-only; --global; --local', {
    most: 0,
    runs: '-e --edit',
    writes: '--add; --unset; --unset-all; --replace-all; --rename-section; --remove-section; -f --file=; --blob=',
  }),
  'git submodule': git('-q --quiet', { first: /^(?:status|summary)$/, writes: '--recursive; -f --force' }),
  'git bisect': git('', { first: /^(?:log|view)$/ }),
};
