import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClaudeWorld } from './claude.ts';

/** How the user's own program changes the arguments for Claude Code. */
export type WrapperWay = 'passes' | 'drops' | 'renames' | 'copies';

/** A user's own program that starts Claude Code, and sometimes changes which conversation it continues. */
export interface ConversationWrapper {
  /** the value of `claude_command` */
  command: string;
  wrap(how: WrapperWay): void;
}

/** The file `way` says how the arguments are changed. */
const WRAPPER = (claude: string, way: string): string => `#!/bin/bash
[ "$1" = --version ] && exec '${claude}' "$@"
how=$(cat '${way}')
arguments=()
while [ $# -gt 0 ]; do
  case "$how $1" in
  'drops --resume') shift ;;
  'drops --fork-session') ;;
  'renames --resume') shift; arguments+=(--session-id "$(cat /proc/sys/kernel/random/uuid)") ;;
  *) arguments+=("$1") ;;
  esac
  shift
done
[ "$how" = copies ] && [[ " \${arguments[*]} " = *' --resume '* ]] && arguments+=(--fork-session)
exec '${claude}' "\${arguments[@]}"
`;

/** Writes the wrapper. At first, it passes the arguments on unchanged. */
export function writeConversationWrapper(world: ClaudeWorld): ConversationWrapper {
  const way = join(world.dir, 'way');
  const command = join(world.dir, 'wrapper');
  writeFileSync(way, 'passes');
  writeFileSync(command, WRAPPER(world.claude, way), { mode: 0o755 });
  return { command, wrap: (how) => writeFileSync(way, how) };
}
