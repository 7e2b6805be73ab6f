/** The forms of MCP servers: read from what Claude Code reports, and filled in. */
export * from './fill-form.ts';
export * from './read-form.ts';
