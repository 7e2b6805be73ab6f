import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Any string works, because the stand-in does not check the key. Claude Code needs a key, and asks about it unless
 * the last characters of the key are approved.
 */
export const STAND_IN_KEY = 'sk-ant-stand-in-0000000000000000000000000000';

/** Claude Code remembers approved keys by their last characters (2.1.329). */
const KEY_SUFFIX_CHARS = 20;

export interface IsolatedEnvironmentOptions {
  /** a home for this Claude Code alone; see `prepareIsolatedHome` */
  home: string;
  /** the port on 127.0.0.1 where the stand-in listens */
  port: number;
  /** the complete PATH */
  path: string;
  /**
   * a directory for sockets and scratch files. Claude Code creates `cc-socks` and `claude-UID` there, or in /tmp by
   * default
   */
  temporary: string;
  key?: string;
}

/**
 * Returns the whole environment for a Claude Code on the stand-in, built from an allow-list. Nothing is inherited,
 * because any `ANTHROPIC_*`, `CLAUDE_*` or `HOME` of a user would let Claude Code talk to the real service in that
 * user's name.
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
  /** directories that Claude Code must not ask about ("do you trust the files…"); absolute, with links resolved */
  trusted: readonly string[];
  key?: string;
  theme?: string;
  /** rules for tools that need no permission, e.g. `Bash(./check.sh:*)` */
  allow?: readonly string[];
}

/**
 * Writes a home in which Claude Code (1.0.60 to 2.1.329) starts offline and shows its prompt directly. Without
 * `hasCompletedOnboarding` it tries to reach its vendor and exits. Unless auto mode is disabled, it never asks for a
 * permission.
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
