import { delimiter, isAbsolute } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that a program needs to reach a forge on behalf of the user. They concern configuration, agents and
 * keyrings, and network settings. A token for any host (`GH_ENTERPRISE_TOKEN`, `GITLAB_TOKEN`) is omitted, because the
 * host is configured in the repository, where a session can change it.
 */
const ALLOWED: readonly string[] = [
  'HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'SSH_AUTH_SOCK',
  'DBUS_SESSION_BUS_ADDRESS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GH_CONFIG_DIR',
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GLAB_CONFIG_DIR',
];

/** No program may prompt, because no one is sitting at the server's terminal. */
const FIXED: Readonly<Record<string, string>> = {
  LC_ALL: 'C.UTF-8',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'force',
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  // The first is glab's name for it up to 1.53.
  CHECK_UPDATE: 'false',
  GLAB_CHECK_UPDATE: 'false',
  NO_COLOR: '1',
};

/** Returns the environment for a program that acts on behalf of the user on a forge. */
export function personEnvironment(base: Environment): Record<string, string> {
  const own = ALLOWED.flatMap((name) => {
    const value = base[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  // A relative entry would find programs in whatever folder happens to be the current one.
  const path = (base.PATH ?? '').split(delimiter).filter(isAbsolute).join(delimiter);
  return { ...Object.fromEntries(own), ...FIXED, PATH: path };
}
