/**
 * The walls between the rooms, as far as imports go; the compiler's project references hold them as well, this
 * gives the message and covers what references allow by being transitive.
 *
 *   protocol <- text <- core <- platform <- server
 *   protocol <- client <- cli, tui, web
 *   text     <- cli, tui, web
 *   protocol <- demo
 *   emitter  <- every room that has something to listen to
 *
 * main.ts and the room local/ join them all, and no other room imports those.
 */
const MAY_IMPORT = {
  emitter: [],
  protocol: [],
  core: ['protocol', 'text'],
  text: ['protocol'],
  platform: ['emitter', 'protocol', 'core', 'text'],
  server: ['emitter', 'protocol', 'core', 'text', 'platform'],
  client: ['protocol'],
  cli: ['emitter', 'protocol', 'client', 'text'],
  tui: ['protocol', 'client', 'text'],
  web: ['emitter', 'protocol', 'client', 'text'],
  demo: ['protocol'],
};

const walls = Object.entries(MAY_IMPORT).map(([room, others]) => ({
  name: `${room}-imports-${others.length === 0 ? 'nothing' : `only-${others.join('-')}`}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: `^src/(${[room, ...others].join('|')})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...walls,
    {
      name: 'every-room-is-known',
      comment: 'A new folder under src/ needs a line in MAY_IMPORT',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/((${[...Object.keys(MAY_IMPORT), 'local'].join('|')})/|[^/]+$)` },
      to: {},
    },
    {
      name: 'pure-rooms-touch-no-runtime',
      comment: 'emitter, protocol, core, text and client run anywhere: no Node modules',
      severity: 'error',
      from: { path: '^src/(emitter|protocol|core|text|client)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'product-never-imports-tests-or-scripts',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'no-room-imports-the-joiners',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/local/' },
      to: { path: '^src/(local/|[^/]+$)' },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(build|dist|scripts/docs/\\.vitepress/\\.temp)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
