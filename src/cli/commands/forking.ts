import type { Command } from 'commander';
import { pathText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { forkedText } from '../../text/worktree-words.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { describe } from './command-help.ts';

interface ForkOptions {
  branch?: string;
  sameFolder?: boolean;
  prompt?: string;
  json?: boolean;
}

/** Adds `fork`. */
export function addForking(program: Command, context: CliContext): void {
  describe(program.command('fork'), {
    group: 'sessions',
    summary: "continue a copy of a session's conversation in a new session",
    more: [
      "Claude Code itself copies the conversation for the new session. The new session works in a new git worktree with the current state of the original's folder: the same commit, on a new branch, and the same uncommitted files. Ignored files are copied if .worktreeinclude names them. The original session, its files and its branch do not change.",
      'The command refuses while the session is working or asking something. Outside of a git repository, it needs --same-folder.',
    ].join('\n'),
    examples: [
      ['cbos fork AUTH AUTH-2', 'in its own worktree, on the new branch AUTH-2'],
      ["cbos fork AUTH AUTH-2 --prompt 'try it with a cache'", 'with a prompt for the fork only'],
      ['cbos fork AUTH AUTH-2 --branch fix/cache', 'on another new branch'],
      ['cbos fork NOTES NOTES-2 --same-folder', 'both sessions work on the same files'],
      ['cbos finish AUTH-2 --discard', 'discard the fork; CBOS saves everything in it'],
    ],
  })
    .argument('<name>', 'the session to fork')
    .argument('<new-name>', 'the name of the new session')
    .option('--branch <branch>', 'the new branch of its worktree; default: the name of the new session')
    .option('--same-folder', 'no worktree: both sessions work in the same folder')
    .option('-p, --prompt <text>', 'a first prompt for the new session')
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, name: string, { branch, sameFolder, prompt, json }: ForkOptions) => {
      if (branch !== undefined && sameFolder === true) {
        throw new UsageError('--branch and --same-folder cannot be combined', 'leave one of them out');
      }
      const client = await context.client();
      const body = { slug: name, ...withoutUndefined({ branch, same_folder: sameFolder, prompt }) };
      const fork = await client.call('forkSession', { params: { slug }, body });
      const { out, io } = context;
      if (json === true) return out.json(fork);
      out.line(forkedText(cleanLine(slug), fork));
      out.line(`  in ${pathText(fork.path, io.env.HOME)}`);
      out.line(`  cbos diff ${fork.slug}     # what it changed, including what the original had changed before`);
    });
}
