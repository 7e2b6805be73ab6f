type Environment = Readonly<Record<string, string | undefined>>;

/** What npm sets beside `npm_…` when it runs a script. */
const SET_BY_NPM: ReadonlySet<string> = new Set(['NODE', 'INIT_CWD', 'COLOR']);
/** Where npm puts programs of packages, its own ones included. */
const NPM_DIRECTORY = /\/node_modules\/(\.bin|.*\/node-gyp-bin)$/;

/**
 * The environment as it was before `npm start`: sessions inherit the server's, and none of theirs shall find a
 * checkout's development tools in PATH (its `claude` among them) or npm's settings of the run.
 */
export function personalEnvironment(environment: Environment): Environment {
  if (environment.npm_lifecycle_event === undefined) return environment;
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith('npm_') && !SET_BY_NPM.has(name));
  const path = environment.PATH?.split(':').filter((directory) => !NPM_DIRECTORY.test(directory));
  return { ...Object.fromEntries(kept), ...(path === undefined ? {} : { PATH: path.join(':') }) };
}
