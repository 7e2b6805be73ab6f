#!/usr/bin/env bash
# vitest 4.1.11: whether a custom runner and the tests share a module depends on `isolate`. With the default, the runner
# gets an instance of its own of a module that the tests import, too: what a test puts there for its runner (a clean-up,
# a figure) never arrives, and nothing fails. With `isolate: false`, the runner, the setup file and all test files of a
# worker share one instance, which also keeps what earlier files put there. Both pools behave in the same way.
#
# A setup file shares modules with the tests in each of these cases, so hooks that tests talk to belong there.
#
# Needs: npm, Node 20.19 or later. Nothing leaves this machine except the download of the package.
set -euo pipefail

VERSION=4.1.11
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{ "type": "module", "private": true }' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts "vitest@$VERSION" >&2

cat >shared.js <<'JS'
export const notes = [];
JS
cat >runner.js <<'JS'
import { TestRunner } from 'vitest';
import { notes } from './shared.js';
export default class NotingRunner extends TestRunner {
  onBeforeTryTask(test) {
    notes.push('runner');
    super.onBeforeTryTask(test);
  }
}
JS
cat >setup.js <<'JS'
import { beforeEach } from 'vitest';
import { notes } from './shared.js';
beforeEach(() => void notes.push('setup'));
JS
for name in one two; do
  cat >"$name.test.js" <<'JS'
import { appendFileSync } from 'node:fs';
import { test } from 'vitest';
import { notes } from './shared.js';
test('reads the notes', () => appendFileSync('seen', `${notes.join(',')}\n`));
JS
done

# Prints what the tests of two files saw in the shared module, one file after the other in one worker.
seen() {
  rm -f seen
  echo "export default { test: { runner: './runner.js', setupFiles: ['./setup.js'], include: ['*.test.js'],
    isolate: $1, pool: '$2', maxWorkers: 1 } };" >vitest.config.js
  npx vitest run >log 2>&1 || { cat log; return 1; }
  paste -sd ' ' seen
}

echo "vitest $VERSION"
for pool in forks threads; do
  isolated=$(seen true "$pool")
  shared=$(seen false "$pool")
  echo "$pool, isolate: true:  $isolated"
  echo "$pool, isolate: false: $shared"
  [ "$isolated" = 'setup setup' ]
  [ "$shared" = 'runner,setup runner,setup,runner,setup' ]
done
