import { SETTING_ROWS, settingVariable } from '../../protocol/index.ts';

/**
 * The variables that the service receives in addition to CBOS's own settings. They contain the locations of programs
 * (the user manager's PATH lacks `~/.local/bin` and a version manager's Node), the locale, and the location of Claude
 * Code's own files.
 */
const PASSED_ON: readonly string[] = ['PATH', 'LANG', 'LC_ALL', 'CLAUDE_CONFIG_DIR'];

/** Variables that must not be in a unit file, because others can read the file and `systemctl show` prints it. */
const SECRET: readonly string[] = [settingVariable('token')];

/** Credentials that sessions would have if they were started from a shell, but that a service does not receive. */
const CREDENTIALS: readonly string[] = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the part of the user's environment that the service receives. */
export function serviceEnvironment(environment: Environment): Record<string, string> {
  const settings = SETTING_ROWS.flatMap((row) => (row.environment === null ? [] : [row.environment]));
  const names = [...PASSED_ON, ...settings].filter((name) => !SECRET.includes(name));
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** Returns the names of variables that are set here and matter to the sessions, but are not written into the unit. */
export function withheldVariables(environment: Environment): string[] {
  return [...SECRET, ...CREDENTIALS].filter((name) => (environment[name] ?? '') !== '');
}
