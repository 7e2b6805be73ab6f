import { execFileSync } from 'node:child_process';

/** Returns the command that begins with this word in an error's hint, as a person would copy it. */
export function offeredCommand(hint: string, program: string): string {
  const command = hint.split('`').find((part, index) => index % 2 === 1 && part.startsWith(`${program} `));
  if (command === undefined) throw new Error(`no command of ${program} in: ${hint}`);
  return command;
}

/** Returns the words of a command, as a shell reads them. */
export function shellWordsOf(command: string): string[] {
  const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' });
  return printed.split('\0').slice(0, -1);
}
