import { EXIT } from '../protocol/index.ts';
import { CommandError } from './command-error.ts';
import { type CliContext, isInteractive } from './context.ts';

/**
 * Asks for confirmation before an action that cannot be undone. Any answer other than yes counts as no.
 * @throws CommandError if no user is there to ask
 */
export async function confirm({ io }: CliContext, question: string): Promise<boolean> {
  if (!isInteractive(io))
    throw new CommandError(`${question} The command needs a terminal to ask this`, 'add --yes to confirm', EXIT.usage);
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
