import type { Command } from 'commander';
import { EXIT, type NewTrigger } from '../../protocol/index.ts';
import { formatDateTime } from '../../text/durations.ts';
import { TRIGGER_SECRET_TEXT } from '../../text/schedule-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { CommandError, UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';

interface TriggerOptions {
  create?: true;
  rotate?: true;
  remove?: true;
  json?: boolean;
}

/** Adds `schedule trigger`, which allows a signed webhook to start runs. */
export function addScheduleTrigger(schedule: Command, context: CliContext): void {
  const { out } = context;

  async function show(name: string, json: boolean): Promise<void> {
    const client = await context.client();
    const found = (await client.call('listSchedules')).find((one) => one.name === name);
    if (found === undefined) {
      throw new CommandError(`no schedule is named ${name}`, '`cbos schedule` lists the schedules', EXIT.failed);
    }
    // An older server does not support triggers.
    const trigger = found.trigger ?? null;
    if (json) out.json(trigger);
    else if (trigger === null) out.notice(`no webhook can run ${name} — cbos schedule trigger ${name} --create`);
    else out.line(cleanLine(`${trigger.url} (since ${formatDateTime(Date.parse(trigger.created_at))})`));
  }

  function showSecret(name: string, { url, secret }: NewTrigger): void {
    out.line(cleanLine(`address: ${url}`));
    out.line(cleanLine(`secret:  ${secret}`));
    out.notice(`${TRIGGER_SECRET_TEXT}. cbos schedule trigger ${name} --rotate replaces it`);
  }

  schedule
    .command('trigger')
    .summary('let a signed webhook run a schedule')
    .description(
      'Show the address to which another program posts to run a schedule. A schedule has an address only after you use --create. Requests are signed with the secret, as Standard Webhooks and GitHub do. Their content is never sent to a session.',
    )
    .argument('<schedule>', 'the schedule')
    .option('--create', 'create an address, and a secret that is shown once')
    .option('--rotate', 'replace the secret; the old one stops working immediately')
    .option('--remove', 'stop webhooks from running the schedule')
    .option('--json', 'print the API response as JSON')
    .action(async (name: string, { create, rotate, remove, json = false }: TriggerOptions) => {
      if ([create, rotate, remove].filter((one) => one === true).length > 1) {
        throw new UsageError('--create, --rotate and --remove cannot be combined', 'use only one of them');
      }
      const client = await context.client();
      const params = { name };
      if (remove === true) {
        const changed = await client.call('removeTrigger', { params });
        out.result(json, changed, cleanLine(`removed: no webhook can run ${name}`));
      } else if (create === true || rotate === true) {
        const before = (await client.call('listSchedules')).find((one) => one.name === name)?.trigger ?? null;
        if (create === true && before !== null) {
          const cure = `--rotate replaces the secret; the old one then stops working immediately`;
          throw new CommandError(`a webhook can already run ${name}`, cure, EXIT.refused);
        }
        const made = await client.call('createTrigger', { params });
        if (json) out.json(made);
        else showSecret(name, made);
      } else await show(name, json);
    });
}
