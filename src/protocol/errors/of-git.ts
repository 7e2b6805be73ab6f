import { inConfigFile } from '../settings.ts';
import { type CatalogueEntry, EXIT, NOT_FOUND, REFUSED, WRONG_USE } from './catalogue-entry.ts';

/** Errors that prevent CBOS from using git or a repository. */
export const GIT_ERRORS = {
  git_not_found: {
    status: 422,
    exit: EXIT.failed,
    meaning: 'git was not found, or is older than 2.38',
    hint: "Install git 2.38 or later (`sudo apt-get install git`), and make sure that it is in the server's PATH",
  },
  git_failed: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'git failed; the message quotes it',
    hint: 'Run `git status` and `git fsck` in the repository to find the cause',
  },
  missing_objects: {
    ...REFUSED,
    meaning:
      'The repository is a partial clone that has not downloaded everything that this needs, and CBOS does not use the network for git',
    hint: 'Run `git archive -o /dev/null COMMIT` in the repository to download the files of one commit, or `git fetch --refetch --no-filter` to download everything; then try again; nothing was changed',
  },
  not_a_repository: {
    ...WRONG_USE,
    meaning: "The directory isn't inside a git working tree",
    hint: 'Choose a directory in a working tree (`git worktree list` lists those of a repository), or run `git init` there to begin a repository',
  },
  no_commit: {
    status: 422,
    exit: EXIT.failed,
    meaning: 'The repository has no commits yet, so a worktree has nothing to start from',
    hint: 'Create the first commit: `git commit --allow-empty -m "Begin"`',
  },
  invalid_branch: {
    ...WRONG_USE,
    meaning: "This isn't a valid branch name",
    hint: '`git help check-ref-format` describes the names that git accepts',
  },
  no_such_ref: {
    ...WRONG_USE,
    meaning: 'The repository has no such branch, tag or commit',
    hint: '`git branch --all` lists the branches',
  },
  branch_exists: {
    ...REFUSED,
    meaning: 'A branch with this name already exists',
    hint: 'Use that branch with `--worktree BRANCH`, or choose another name',
  },
  branch_in_use: {
    ...REFUSED,
    meaning: 'The branch is checked out in another worktree',
    hint: 'Start the session in that worktree; the message names its folder',
  },
  no_such_worktree: {
    ...REFUSED,
    meaning: "This branch isn't checked out in any worktree that a session can use",
    hint: '`cbos worktrees` lists the worktrees; without --existing, CBOS creates a new one',
  },
  no_free_port: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'All ports for worktrees are in use',
    hint: `Delete sessions that you no longer need (\`cbos rm\`), or set ${inConfigFile('worktree_ports')} to a larger range`,
  },
  invalid_set_up: {
    ...WRONG_USE,
    meaning: "The repository's .cbos/worktree.toml is not valid",
    hint: 'The file must set set_up = "COMMAND", and may set after_failure = "start"',
  },
  set_up_changed: {
    ...REFUSED,
    meaning: 'The file that contains the set-up has changed since you read it',
    hint: 'Read the new version and confirm it: `cbos worktrees trust`',
  },
  set_up_failed: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'The set-up of the worktree failed, so Claude Code was not started',
    hint: '`cbos logs SLUG` shows its output; `cbos restart SLUG` runs it again, `cbos worktrees skip SLUG` skips it',
  },
  no_set_up: {
    ...REFUSED,
    meaning: "This session's worktree has no set-up left to run",
    hint: '`cbos show SLUG` shows the worktree and its set-up',
  },
  worktree_exists: {
    ...REFUSED,
    meaning: "The worktree's folder already exists",
    hint: 'Choose another name, or start the session in that folder',
  },
  worktree_place: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The folder for worktrees cannot be used: its path is a file, or contains a symbolic link',
    hint: 'CBOS creates worktrees only inside the main checkout: replace .claude/worktrees with a real folder',
  },
  no_worktree: {
    ...REFUSED,
    meaning: 'CBOS did not create a worktree for this session',
    hint: '`cbos new NAME --worktree` starts a session in a new worktree',
  },
  worktree_gone: {
    ...REFUSED,
    meaning:
      "The worktree's folder no longer exists or no longer belongs to the repository, and CBOS has no saved copy",
    hint: '`git worktree list` shows where the worktrees are; nothing was changed',
  },
  worktree_locked: {
    ...REFUSED,
    meaning: 'The worktree is locked, so git does not remove it',
    hint: 'Run `git worktree unlock PATH`, then try again; nothing was changed',
  },
  worktree_in_use: {
    ...REFUSED,
    meaning: 'Another session works in the worktree, or processes are running there',
    hint: 'Stop the sessions or processes that the message names, or have them leave the folder (`cd`); then try again',
  },
  worktree_submodules: {
    ...REFUSED,
    meaning: 'The worktree contains a submodule with its own repository, which CBOS does not save',
    hint: "Push the submodule's commits, then run `git submodule deinit PATH` in the worktree; nothing was changed",
  },
  worktree_nested: {
    ...REFUSED,
    meaning: 'The worktree contains another repository or worktree, which CBOS does not save',
    hint: 'Finish the inner worktree or move the inner repository elsewhere, then try again; nothing was changed',
  },
  no_new_commits: {
    ...REFUSED,
    meaning: 'The branch has no commits beyond its base, so there is nothing to merge',
    hint: 'Tell the session to commit its changes: `cbos send SLUG "Commit your changes"`; nothing was changed',
  },
  no_remote: {
    ...REFUSED,
    meaning:
      'The repository has no remote on a forge: it has no remotes, or their addresses have an unsupported format',
    hint: '`git remote -v` lists the remotes; an address must have the form HOST:OWNER/NAME (SSH) or https://HOST/OWNER/NAME',
  },
  gh_not_found: {
    ...REFUSED,
    meaning: "GitHub's command-line program, `gh`, isn't installed or isn't in the server's PATH",
    hint: 'Install it (https://cli.github.com), log in with `gh auth login`, and try again; for a repository on GitLab, install `glab` (https://gitlab.com/gitlab-org/cli), and log in with `glab auth login`',
  },
  gh_not_logged_in: {
    ...REFUSED,
    meaning: "`gh` isn't logged in to the repository's host",
    hint: 'Run `gh auth login --hostname HOST`, then try again',
  },
  gh_failed: {
    status: 502,
    exit: EXIT.failed,
    meaning: 'The forge refused a request from `gh`, or could not be reached; the message quotes `gh`',
    hint: 'Fix what the message reports, then run the same command again to complete the remaining steps',
  },
  glab_not_found: {
    ...REFUSED,
    meaning: "GitLab's command-line program, `glab`, isn't installed or isn't in the server's PATH",
    hint: 'Install it (https://gitlab.com/gitlab-org/cli), log in with `glab auth login`, and try again',
  },
  glab_not_logged_in: {
    ...REFUSED,
    meaning: "`glab` isn't logged in to the repository's host",
    hint: 'Run `glab auth login --hostname HOST`, then try again; CBOS does not pass GITLAB_TOKEN on to `glab`',
  },
  glab_failed: {
    status: 502,
    exit: EXIT.failed,
    meaning: 'GitLab refused a request from `glab`, or could not be reached; the message quotes `glab`',
    hint: 'Fix what the message reports, then run the same command again to complete the remaining steps',
  },
  push_refused: {
    ...REFUSED,
    meaning: 'git could not push the branch, so no pull request was opened; the message quotes git',
    hint: 'If the remote branch has other commits, tell the session to merge them. If git cannot log in, run `gh auth setup-git`, or on GitLab `glab auth login`: git then logs in with the credentials of `gh` or `glab`',
  },
  pull_request_exists: {
    ...REFUSED,
    meaning: 'The branch already has an open pull request, which was not in the plan',
    hint: '`cbos finish SLUG --pr` shows that pull request and pushes to it; CBOS did not open a second one',
  },
  pull_request_changed: {
    ...REFUSED,
    meaning: "The branch or its remote's address has changed since the plan was shown; nothing was pushed",
    hint: 'Read the new plan (`cbos finish SLUG --pr`), then open the pull request',
  },
  no_base: {
    ...WRONG_USE,
    meaning: 'CBOS does not know which branch to merge into',
    hint: 'Name the branch: `cbos finish SLUG --merge --into BRANCH`',
  },
  uncommitted_changes: {
    ...REFUSED,
    meaning: 'The worktree has uncommitted changes, which a merge would leave out',
    hint: 'Tell the session to commit them: `cbos send SLUG "Commit your changes"`; nothing was changed',
  },
  operation_in_progress: {
    ...REFUSED,
    meaning: 'A merge, rebase, cherry-pick, revert or bisect is in progress in the checkout',
    hint: 'Finish or abort it there (`git status` shows how), then try again; nothing was changed',
  },
  branch_switched: {
    ...REFUSED,
    meaning: "The worktree is on another branch than its session's, or on none",
    hint: "Switch back to the session's branch in the worktree, then try again; `--discard` merges nothing and keeps both branches; nothing was changed",
  },
  git_locked: {
    ...REFUSED,
    meaning: 'A lock file shows that another git command is changing the repository, or was killed while it did',
    hint: 'Wait until that git command ends. If none is running, delete the lock file; nothing was changed',
  },
  merge_conflict: {
    ...REFUSED,
    meaning: 'The changes conflict with the base',
    hint: 'Tell the session to merge the base into its branch, then try again; nothing was changed',
  },
  checkout_dirty: {
    ...REFUSED,
    meaning: 'The base is checked out in a folder that has uncommitted changes',
    hint: 'Commit or stash the changes there, or name another branch with `--into BRANCH`; nothing was changed',
  },
  checkout_filtered: {
    ...REFUSED,
    meaning:
      'The base is checked out, and the merge would change files that need a git filter (Git LFS, git-crypt), but CBOS never runs filters',
    hint: 'Merge the branch there with `git merge BRANCH`, then run `cbos finish SLUG --discard`; nothing was changed',
  },
  no_identity: {
    status: 422,
    exit: EXIT.failed,
    meaning: 'The merge needs a commit, but git does not know your name and e-mail address',
    hint: 'Run `git config --global user.name NAME` and `git config --global user.email ADDRESS`; nothing was changed',
  },
  signing_required: {
    ...REFUSED,
    meaning: 'git is set to sign commits (`commit.gpgSign`), but CBOS never runs a signing program',
    hint: 'Tell the session to merge the base into its branch: its own git signs that merge, and finishing with --merge is then a fast-forward; nothing was changed',
  },
  no_such_save: {
    ...NOT_FOUND,
    meaning: 'The repository has no saved worktree with this name',
    hint: '`cbos recover` lists the saved worktrees',
  },
  no_such_turn: {
    ...NOT_FOUND,
    meaning: 'CBOS did not save the files of this turn',
    hint: '`cbos turns NAME` lists the turns whose files were saved',
  },
} as const satisfies Record<string, CatalogueEntry>;
