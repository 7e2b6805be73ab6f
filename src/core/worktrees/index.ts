/** The worktrees of sessions: the set-up that is configured in files, and the port that each worktree gets. */

export * from './ports.ts';
export * from './read-set-up.ts';
