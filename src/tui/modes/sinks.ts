import { sinkRulesText, sinkStateText } from '../../text/sink-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { showPage } from './text-page.ts';

const TEST = /^test\s+(\S+)$/;

/** Runs `/notify`, which shows the sinks, and `/notify test NAME`, which immediately sends a message to one of them. */
export function notifyByWords(app: App, words: string): void {
  const name = TEST.exec(words)?.[1];
  if (name === undefined && words !== '') {
    app.toast('bad', `There is no ${words} — /notify [test NAME]`);
    return;
  }
  app.run(async () => {
    if (name === undefined) return showSinks(app);
    await app.client.call('testSink', { params: { name } });
    app.toast('good', `sent to ${cleanLine(name)}`);
  });
}

async function showSinks(app: App): Promise<void> {
  const sinks = await app.client.call('listSinks');
  showPage(app, 'Notifications on other devices', () => [
    '',
    ...(sinks.length === 0 ? ['   none yet — cbos notify add --help'] : []),
    ...sinks.flatMap((sink) => [
      `   ${cleanLine(`${sink.name}: ${sink.kind} at ${sink.to}`)}`,
      `     ${cleanLine(sinkRulesText(sink))}`,
      `     ${cleanLine(sinkStateText(sink))}`,
      '',
    ]),
  ]);
}
