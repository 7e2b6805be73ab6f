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
} as const satisfies Record<string, CatalogueEntry>;
