#!/usr/bin/env bash
# dependency-cruiser 17.4.3 beside TypeScript 7.0.2: it finds none of the TypeScript files, checks 0 modules, says that it
# found no violations, and exits with 0. TypeScript 7 has no interface for JavaScript programs at its old place, and
# dependency-cruiser uses versions below 7 only. Without one, files in TypeScript are no modules for it.
#
# Whoever raises TypeScript in such a project keeps a check that passes, and no longer checks anything. The rules hold
# again once the package named `typescript` is the interface of version 6 (`@typescript/typescript6`), with version 7
# under another name. The compiler is then still version 7, but two packages link a program named `tsc`, so a script
# should name the file of the one that it means.
#
# Needs: npm, Node 20 or later. Nothing leaves this machine except the download of the packages.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# Two files that import each other, and a rule against that.
mkdir src
printf '%s\n' "import { b } from './b.ts';" 'export const a: number = b;' > src/a.ts
printf '%s\n' "import { a } from './a.ts';" 'export const b: number = 1;' 'export const c = (): number => a;' > src/b.ts
cat > rules.cjs <<'JS'
module.exports = { forbidden: [{ name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } }] };
JS
echo '{ "private": true }' > package.json

cruise() {
  local code=0 summary
  summary=$(NO_COLOR=1 node_modules/.bin/depcruise --config rules.cjs src) || code=$?
  echo "$1: exit code $code: $(grep -oE '[0-9]+ modules' <<< "$summary")"
}

{
  npm install --silent --save-dev --save-exact dependency-cruiser@17.4.3 typescript@7.0.2 >&2
  cruise 'TypeScript 7.0.2'
  npm install --silent --save-dev --save-exact typescript@6.0.3 >&2
  cruise 'TypeScript 6.0.3'
  npm install --silent --save-dev --save-exact typescript@npm:@typescript/typescript6@6.0.2 \
    typescript-7@npm:typescript@7.0.2 >&2
  cruise 'TypeScript 7.0.2 beside the interface of version 6'
  echo "its compiler: $(node node_modules/typescript-7/bin/tsc --version)"
} | tee seen

diff seen - <<'TEXT'
TypeScript 7.0.2: exit code 0: 0 modules
TypeScript 6.0.3: exit code 1: 2 modules
TypeScript 7.0.2 beside the interface of version 6: exit code 1: 2 modules
its compiler: Version 7.0.2
TEXT
