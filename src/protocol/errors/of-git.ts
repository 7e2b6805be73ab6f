import { type CatalogueEntry, EXIT } from './catalogue-entry.ts';

/** Errors that keep CBOS from using git or a repository. */
export const GIT_ERRORS = {
  git_not_found: {
    status: 422,
    exit: EXIT.failed,
    meaning: 'git was not found, or is older than 2.38',
    hint: 'Install it (sudo apt-get install git), in a directory of the PATH that the server was started with',
  },
  git_failed: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'git failed; the message has its own words',
    hint: '`git status` and `git fsck` in the repository say more',
  },
  not_a_repository: {
    status: 422,
    exit: EXIT.usage,
    meaning: "The directory isn't in the working tree of a git repository",
    hint: '`git init` makes it one',
  },
  no_commit: {
    status: 422,
    exit: EXIT.failed,
    meaning: 'The repository has no commit yet, so no worktree can start from one',
    hint: '`git commit --allow-empty -m "Begin"` makes a first one',
  },
  invalid_branch: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'This cannot be the name of a branch',
    hint: '`git help check-ref-format` says which names git takes',
  },
  no_such_ref: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'The repository has no such branch, tag or commit',
    hint: '`git branch --all` lists the branches',
  },
  branch_exists: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'There is a branch of this name already',
    hint: 'Name it with --worktree to take it, or choose another name',
  },
  branch_in_use: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The branch is checked out in another worktree',
    hint: 'Start the session there; the message names the folder',
  },
  worktree_exists: {
    status: 409,
    exit: EXIT.refused,
    meaning: "The worktree's folder is there already",
    hint: 'Choose another name, or start the session there',
  },
  worktree_place: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The folder for worktrees is a file, or is behind a symbolic link',
    hint: 'CBOS makes worktrees only below the main checkout itself: make .claude/worktrees a real folder',
  },
  no_worktree: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'CBOS made no worktree for this session',
    hint: '`cbos new NAME --worktree` starts a session in one',
  },
  worktree_gone: {
    status: 409,
    exit: EXIT.refused,
    meaning:
      "The worktree's folder isn't there, or is no worktree of the repository any more, and CBOS saved none of it",
    hint: '`git worktree list` says where the worktrees are; nothing was changed',
  },
  worktree_locked: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The worktree is locked, so that nobody removes it',
    hint: '`git worktree unlock PATH`, then try again; nothing was changed',
  },
  worktree_in_use: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'Processes work in the worktree',
    hint: 'End them, or leave the folder (`cd`), then try again; the message names them',
  },
  worktree_submodules: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The worktree has a submodule with a repository of its own, which CBOS does not save',
    hint: 'Push what is in it, then `git submodule deinit PATH` there; nothing was changed',
  },
  worktree_nested: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'Another repository or worktree lies in the worktree, which CBOS does not save',
    hint: 'Finish it or move it elsewhere, then try again; nothing was changed',
  },
  no_base: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'Nothing says which branch gets the changes',
    hint: 'Name it: `cbos finish SLUG --merge --into BRANCH`',
  },
  uncommitted_changes: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The worktree has changes that are in no commit, so a merge would leave them out',
    hint: 'Let the session commit them: `cbos send SLUG "Commit your changes"`; nothing was changed',
  },
  operation_in_progress: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'A merge, rebase, cherry-pick, revert or bisect is in progress in the checkout',
    hint: 'Finish it there, or abort it; `git status` says how; nothing was changed',
  },
  merge_conflict: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The changes are in conflict with the base',
    hint: 'Let the session merge the base into its branch, then try again; nothing was changed',
  },
  checkout_dirty: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The base is checked out in a folder that has changes of its own',
    hint: 'Commit or stash them there, or give --into another branch; nothing was changed',
  },
  checkout_filtered: {
    status: 409,
    exit: EXIT.refused,
    meaning:
      'The base is checked out, and files that change there need a filter (Git LFS, git-crypt), which CBOS never runs',
    hint: 'Merge the branch there by `git merge`, then `cbos finish SLUG --discard`; nothing was changed',
  },
  no_identity: {
    status: 422,
    exit: EXIT.failed,
    meaning: 'git does not know who you are, and the merge needs a commit of yours',
    hint: '`git config --global user.name NAME` and `git config --global user.email ADDRESS`; nothing was changed',
  },
  no_such_save: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'Nothing is saved under this name in the repository',
    hint: '`cbos recover` lists what is saved',
  },
  no_such_turn: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'The files of this turn of the session are not kept',
    hint: '`cbos turns NAME` lists those that are',
  },
} as const satisfies Record<string, CatalogueEntry>;
