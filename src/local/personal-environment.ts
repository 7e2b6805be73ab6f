type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that npm sets in addition to `npm_…` when it runs a script. */
const SET_BY_NPM: ReadonlySet<string> = new Set(['NODE', 'INIT_CWD', 'COLOR']);
/** Matches the directories in which npm puts the programs of packages, including its own. */
const NPM_DIRECTORY = /\/node_modules\/(\.bin|.*\/node-gyp-bin)$/;

/**
 * Returns the environment without npm's additions, that is, as it was before `npm start`. Sessions inherit the server's
 * environment, and must not find the checkout's development tools (including its `claude`) in PATH, or npm's settings
 * for that run.
 */
export function personalEnvironment(environment: Environment): Environment {
  if (environment.npm_lifecycle_event === undefined) return environment;
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith('npm_') && !SET_BY_NPM.has(name));
  const path = environment.PATH?.split(':').filter((directory) => !NPM_DIRECTORY.test(directory));
  return { ...Object.fromEntries(kept), ...(path === undefined ? {} : { PATH: path.join(':') }) };
}
