import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';

// The entry point of the program (`dist/cbos.js`) and of each of its threads. It loads the program's parts together
// with the code that V8 compiled from them at build time. Compiling the parts again would take as long as starting
// Node.

/**
 * The file name of the part to run, which is the one built from `main.ts` or from a thread's file. The build inserts
 * it.
 */
declare const __CBOS_PROGRAM__: string;
/** The path of the parts, relative to this file. The build inserts it. */
declare const __CBOS_PARTS__: string;

/** The `require` of this file, which the build turns into CommonJS. */
declare const require: (id: string) => unknown;

interface Part {
  exports: unknown;
}

const directory = `${import.meta.dirname}/${__CBOS_PARTS__}`;
const parts = new Map<string, Part>();

function loadPart(name: string): unknown {
  const known = parts.get(name);
  if (known !== undefined) return known.exports;
  const part: Part = { exports: {} };
  const filename = `${directory}/${name}`;
  const cachedData = readCode(`${filename}.code`);
  // All parts are ASCII, and each is a function expression; see `contentOf` in scripts/build/bundle.mjs.
  const source = readFileSync(filename, 'latin1');
  // Node rejects code that was compiled by another version of V8. It then compiles the source.
  const script = new Script(source, {
    filename,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const run = script.runInThisContext() as (...given: unknown[]) => void;
  parts.set(name, part);
  run(part.exports, requireFromPart, part, filename, directory);
  return part.exports;
}

/** The `require` of a part. It loads another part (`./NAME`) or any other module. */
function requireFromPart(id: string): unknown {
  return id.startsWith('./') ? loadPart(id.slice(2)) : require(id);
}

function readCode(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined; // an incomplete copy of the program, which runs without compiled code
  }
}

loadPart(__CBOS_PROGRAM__);
