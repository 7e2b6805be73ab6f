type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that npm sets besides `npm_…` when it runs a script. */
const SET_BY_NPM: ReadonlySet<string> = new Set(['NODE', 'INIT_CWD', 'COLOR']);
/** Directories where npm puts the programs of packages, including its own. */
const NPM_DIRECTORY = /\/node_modules\/(\.bin|.*\/node-gyp-bin)$/;

/**
 * Returns the environment as it was before `npm start`. Sessions inherit the server's environment, and must not find a
 * checkout's development tools in PATH (including its `claude`), or npm's settings for that run.
 */
export function personalEnvironment(environment: Environment): Environment {
  if (environment.npm_lifecycle_event === undefined) return environment;
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith('npm_') && !SET_BY_NPM.has(name));
  const path = environment.PATH?.split(':').filter((directory) => !NPM_DIRECTORY.test(directory));
  return { ...Object.fromEntries(kept), ...(path === undefined ? {} : { PATH: path.join(':') }) };
}
