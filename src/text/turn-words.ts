import type { Turn } from '../protocol/index.ts';
import { totalText } from './changes-words.ts';
import { agoText } from './explanation-text.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { cleanLine } from './terminal-text.ts';

/** Returns `Turn 3, 5m ago, 2 files, +3 −1: fix the login`. The prompt comes last, because it may be cut off. */
export function turnText({ number, kind, began_at: at, ended_at: end, prompt, ...counts }: Turn, now: number): string {
  const changed = end === null ? 'running' : totalText(counts);
  const name = kind === 'rewind' ? 'Rewind' : 'Turn';
  const words = prompt === null ? '' : `: ${cleanLine(showHiddenMarks(prompt))}`;
  return `${name} ${number}, ${agoText(at, now)}, ${changed}${words}`;
}
