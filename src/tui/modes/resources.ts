import type { SessionResources } from '../../protocol/index.ts';
import { displayWidth } from '../../text/display-width.ts';
import { byMemory, memoryText, processorText, totalOf } from '../../text/resource-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { showPage } from './text-page.ts';

/** Shows how much memory and processor time each session currently uses. */
export function showResources(app: App): void {
  app.run(async () => {
    const all = byMemory(await app.client.call('resources'));
    const rows = [...all.map(rowOf), rowOf({ ...totalOf(all), session: 'all' })];
    const nameCells = Math.max(...rows.map(({ name }) => displayWidth(name)));
    showPage(app, 'Resources', () =>
      all.length === 0
        ? ['', '   No session has a process.']
        : [
            '',
            ...rows.map(
              ({ name, memory, processor }) =>
                `   ${name}${' '.repeat(nameCells - displayWidth(name))}  ${memory.padStart(MEMORY_CELLS)}  ${processor}`,
            ),
            '',
            '   p parks an idle session, so that it uses no memory.',
          ],
    );
  });
}

/** `99999 MB` */
const MEMORY_CELLS = 8;

function rowOf(resources: SessionResources): { name: string; memory: string; processor: string } {
  return {
    name: cleanLine(resources.session),
    memory: memoryText(resources),
    processor: `${processorText(resources)} of processor time`,
  };
}
