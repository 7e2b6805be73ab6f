import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The API key for the stand-in, which does not check it, so any string works. Claude Code requires a key, and asks the
 * user about it unless the key's last characters have been approved.
 */
export const STAND_IN_KEY = 'sk-ant-stand-in-0000000000000000000000000000';

/** How many of a key's last characters Claude Code stores when the user approves the key (2.1.329). */
const KEY_SUFFIX_CHARS = 20;

export interface IsolatedEnvironmentOptions {
  /** a home directory that only this Claude Code uses; see `prepareIsolatedHome` */
  home: string;
  /** the port on 127.0.0.1 on which the stand-in listens */
  port: number;
  /** the complete value of PATH */
  path: string;
  /**
   * a directory for sockets and scratch files, where Claude Code creates `cc-socks` and `claude-UID` instead of in /tmp
   */
  temporary: string;
  key?: string;
}

/**
 * Returns the complete environment for a Claude Code that uses the stand-in. The environment is built from an
 * allow-list and inherits nothing, because the user's own `ANTHROPIC_*`, `CLAUDE_*` or `HOME` variables would make
 * Claude Code talk to the real service on the user's account.
 */
export function isolatedEnvironment(options: IsolatedEnvironmentOptions): Record<string, string> {
  return {
    PATH: options.path,
    HOME: options.home,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    SHELL: '/bin/bash',
    USER: 'user',
    TMPDIR: options.temporary,
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${options.port}`,
    ANTHROPIC_API_KEY: options.key ?? STAND_IN_KEY,
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
}

export interface IsolatedHomeOptions {
  home: string;
  /**
   * the directories for which Claude Code must not ask "do you trust the files…", as absolute paths with links resolved
   */
  trusted: readonly string[];
  key?: string;
  theme?: string;
  /** permission rules for the tools that may run without asking, e.g. `Bash(./check.sh:*)` */
  allow?: readonly string[];
}

/**
 * Writes a home directory in which Claude Code (1.0.60 to 2.1.329) starts offline and goes straight to its prompt.
 * Without `hasCompletedOnboarding`, Claude Code tries to reach its vendor, and exits. If auto mode is not disabled,
 * Claude Code never asks for permission.
 */
export function prepareIsolatedHome(options: IsolatedHomeOptions): void {
  const key = options.key ?? STAND_IN_KEY;
  mkdirSync(join(options.home, '.claude'), { recursive: true, mode: 0o700 });
  chmodSync(options.home, 0o700);
  writeJson(join(options.home, '.claude.json'), {
    hasCompletedOnboarding: true,
    theme: options.theme ?? 'dark',
    customApiKeyResponses: { approved: [key.slice(-KEY_SUFFIX_CHARS)], rejected: [] },
    projects: Object.fromEntries(options.trusted.map((path) => [path, { hasTrustDialogAccepted: true }])),
  });
  writeJson(join(options.home, '.claude', 'settings.json'), {
    permissions: { defaultMode: 'default', allow: options.allow ?? [] },
    disableAutoMode: 'disable',
  });
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
}
