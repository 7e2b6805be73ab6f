// node scripts/setup.mjs start|test: installs everything that is missing on a fresh machine, before `npm start` and
// `npm test`. This file uses only syntax that Node 14 and later understand, so that an old Node prints a message
// instead of a stack trace.

/** The minimum version from `engines` in package.json. A test ensures that the two agree. */
const OLDEST_NODE = { major: 20, minor: 19 };

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isTooOld = major < OLDEST_NODE.major || (major === OLDEST_NODE.major && minor < OLDEST_NODE.minor);

if (process.platform !== 'linux') {
  console.error(
    `CBOS runs on Linux and in WSL, this is ${process.platform}: start it there, or in a Linux container or virtual machine`,
  );
  process.exitCode = 1;
} else if (isTooOld) {
  console.error(
    `CBOS needs Node ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or later, this is ${process.versions.node}: install a newer one (https://nodejs.org/en/download)`,
  );
  process.exitCode = 1;
} else {
  const { prepare } = await import('./setup/prepare.mjs');
  process.exitCode = await prepare(process.argv[2] === 'test' ? 'test' : 'start');
}
