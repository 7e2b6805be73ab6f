import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/root.mjs';

/** A step on the page that leads newcomers to their first answer: commands to run, or a key to press. */
export interface Step {
  commands: string[];
  keys: string[];
}

/** Returns the numbered steps in a section of docs/get-started.md, as a reader would follow them. */
export function stepsOf(section: string): Step[] {
  return textOf(section)
    .split(/^(?=\d+\. )/m)
    .filter((part) => /^\d+\. /.test(part))
    .map((part) => {
      // Text after the last step does not belong to it, because steps are indented.
      const own = part.split(/^(?=[A-Za-z])/m)[0] ?? '';
      return { commands: commandsIn(own), keys: [...own.matchAll(/[Pp]ress `(\w)`/g)].map(([, key]) => key ?? '') };
    });
}

/** Returns the commands in a section, in order. */
export function commandsOf(section: string): string[] {
  return commandsIn(textOf(section));
}

function textOf(section: string): string {
  const page = readFileSync(join(ROOT, 'docs', 'get-started.md'), 'utf8');
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`));
  if (text === undefined) throw new Error(`docs/get-started.md has no section "${section}"`);
  return text;
}

function commandsIn(text: string): string[] {
  return [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = '']) =>
    block
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );
}
