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
  no_such_ref: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'The repository has no such branch, tag or commit',
    hint: '`git branch --all` lists the branches',
  },
} as const satisfies Record<string, CatalogueEntry>;
