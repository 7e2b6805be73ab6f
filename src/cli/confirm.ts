import { EXIT } from '../protocol/index.ts';
import { UsageError } from './command-error.ts';
import { type CliContext, isInteractive } from './context.ts';

/**
 * Asks for confirmation. If the user does not agree, prints what was not done, and sets the exit code.
 * @throws CommandError if no user is there to ask
 */
export async function isConfirmed(context: CliContext, question: string, otherwise: string): Promise<boolean> {
  if (await confirm(context, question)) return true;
  context.out.notice(otherwise);
  context.exitCode = EXIT.failed;
  return false;
}

/**
 * Asks for confirmation before an action that cannot be undone. Any answer other than yes counts as no.
 * @throws CommandError if no user is there to ask
 */
export async function confirm({ io }: CliContext, question: string): Promise<boolean> {
  if (!isInteractive(io))
    throw new UsageError(`${question} The command needs a terminal to ask this`, 'add --yes to confirm');
  const { createInterface } = await import('node:readline/promises');
  const dialog = createInterface({ input: io.stdin, output: io.stderr });
  // Ctrl-D and Ctrl-C close the prompt without an answer, which counts as no.
  const closed = new Promise<string>((resolve) => dialog.once('close', () => resolve('')));
  try {
    return /^y(es)?$/i.test((await Promise.race([dialog.question(`${question} [y/N] `), closed])).trim());
  } finally {
    dialog.close();
  }
}
