import type { Command } from 'commander';
import { openQuestions, type Session } from '../../protocol/index.ts';
import { deliveryLine } from '../../text/delivery-text.ts';
import { interruptClosesForm } from '../../text/form-words.ts';
import { queueText } from '../../text/session-words.ts';
import { type SendOptions, sendPrompt } from '../actions/send-prompt.ts';
import type { CliContext } from '../context.ts';
import { addAnswering } from './answering.ts';
import { describe } from './command-help.ts';
import { collect, readSeconds } from './option-values.ts';
import { addSelectors } from './selector-options.ts';

/** Adds `send`, `answer`, and `interrupt`. */
export function addTalking(program: Command, context: CliContext): void {
  const { out } = context;

  const sending = describe(program.command('send'), {
    group: 'talking',
    summary: 'send a prompt to a session, or to several',
    more: "CBOS never types the prompt into an open dialog. The words are joined with spaces. Quote what the shell would change, and put -- before text that starts with a dash. --all, --state, --tag and --repo replace the session's name: the command then reports how many sessions get the prompt, and asks you to confirm. Sessions on other machines get it only with --fleet. A single session on another machine is named machine/NAME; --wait and --file do not work there.\nWith --wait, the exit code is 1 if the turn failed or was interrupted, or if one of your own hooks refused the prompt. It is 4 if the session shows a dialog that CBOS cannot read.",
    examples: [
      ['cbos send AUTH run the tests again', 'a prompt'],
      ['git diff | cbos send AUTH -', 'read the prompt from standard input'],
      ['cbos send AUTH and then update the docs --queue', 'hold the prompt until the turn is over'],
      ["cbos send AUTH '/compact' --command", 'run a slash command'],
      ["cbos send AUTH 'what is wrong here?' --file shot.png", 'send an image or another file with the prompt'],
      ['cbos send AUTH fix the linter --wait', 'wait, then print the answer or the question'],
      ["cbos send --state ready 'pull, and run the tests'", 'send to every session that accepts a prompt'],
      ['cbos send build1/AUTH run the tests', 'send to a session on the machine build1'],
      ["cbos send --tag night --fleet 'stop at the next test'", 'send to sessions on all machines in the fleet'],
      [
        "cbos send --tag night --repo shop 'stop at the next test'",
        'send to the sessions in one repository that have the tag',
      ],
    ],
  })
    .usage(
      '[options] <name> <text...>\n       cbos send [options] <name> --file <path> [text...]\n       cbos send [options] --all|--state <state>|--tag <tag>|--repo <name> <text...>',
    )
    .argument('[name]', 'the session')
    .argument('[text...]', 'the prompt; - reads standard input')
    .option('--all', 'send to all sessions, except stopped and observed ones');
  addSelectors(sending, 'to')
    .option('--fleet', 'with --all, --state, --tag or --repo: also to sessions on the other machines in the fleet')
    .option('--command', 'run a prompt that starts with / or ! as a command')
    .option('--force', 'type it no matter what the session shows')
    .option('--queue', 'hold it until the session is ready')
    .option('--file <path>', 'give the session a copy of this file; may be repeated', collect)
    .option('--wait', 'wait until the session is ready again, and print its answer or question')
    .option('--timeout <seconds>', 'with --wait: give up after this time', readSeconds)
    .option('-y, --yes', 'for several sessions: do not ask for confirmation')
    .option('--json', 'print the API response as JSON; with --wait, the session as it is after the turn')
    .action((slug: string | undefined, words: string[], options: SendOptions) =>
      sendPrompt(context, { slug, words, options }),
    );

  addAnswering(program, context);

  describe(program.command('continue'), {
    group: 'talking',
    summary: 'continue a session after a usage limit',
    more: 'Sends one prompt to a session whose last turn was stopped by a usage limit, once that limit has ended. The prompt is sent only once, no matter who asks for it, and not at all if the session has already been continued in another way.',
    examples: [['cbos continue AUTH', 'when cbos ls says that the usage limit has ended']],
  })
    .argument('<name>', 'the session')
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, options: { json?: boolean }) => {
      const client = await context.client();
      const delivery = await client.call('continueSession', { params: { slug } });
      out.result(options.json, delivery, deliveryLine(delivery));
    });

  describe(program.command('interrupt'), {
    group: 'talking',
    summary: "interrupt a session's running turn, or close the view that covers its prompt",
    more: "This does what Esc does in the terminal. It dismisses no dialog except the form of an MCP server, and is refused if no turn is running. If no turn is running and one of Claude Code's views covers the prompt, such as /help or the detailed transcript, it closes the view. A view that was opened during the turn, such as /status, is closed first. An interrupt also pauses the session's queue until `cbos queue resume`.\nThe exit code is 6 if nothing shows that Esc ended the turn, for example because the turn had just ended on its own.",
    examples: [
      ['cbos interrupt AUTH', 'end the turn of AUTH; the session keeps running'],
      ['cbos interrupt build1/AUTH', 'the same on another machine in the fleet'],
    ],
  })
    .argument('<name>', 'the session')
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, options: { json?: boolean }) => {
      const client = await context.client();
      const before = await client.call('getSession', { params: { slug } });
      const wasRunning = before.status.primary === 'active' || before.status.primary === 'stuck';
      const result = await client.call('interrupt', { params: { slug } });
      if (options.json === true) out.json(result);
      else if (before.view !== undefined && !wasRunning)
        out.line(`${slug}: the view was closed${isBehind(before) ? '' : '; it accepts prompts again'}`);
      else if (interruptClosesForm(before)) out.line(`${slug}: the form was closed`);
      else {
        out.line(`${slug}: interrupted; it accepts prompts again`);
        const session = await client.call('getSession', { params: { slug } });
        if (queueText(session) !== '') out.notice(`its queue is paused — cbos queue resume ${slug}`);
      }
    });
}

/** Reports whether a question is open behind the view of a session. */
const isBehind = ({ status }: Session): boolean =>
  openQuestions(status).some(({ kind }) => kind !== 'setup' && kind !== 'closing');
