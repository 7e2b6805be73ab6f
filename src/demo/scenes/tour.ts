import type { DemoSession } from './fleet.ts';
import type { Block, Reply } from './scene.ts';

const says = (...blocks: Block[]): Reply => ({ kind: 'answer', firstByteDelayMs: 300, blocks });

/** Returns a reply that asks one question with the AskUserQuestion tool. */
const asks = (question: {
  question: string;
  header: string;
  options: { label: string; description: string }[];
}): Reply =>
  says({ kind: 'tool', name: 'AskUserQuestion', input: { questions: [{ ...question, multiSelect: false }] } });

/** A one-minute tour of the demo: a session whose questions explain how the user answers them. */
export const TOUR_SESSION: DemoSession = {
  slug: 'TOUR',
  type: 'screen',
  prompt: 'Show me around in one minute',
  scene: {
    name: 'demo-tour',
    about: 'asks a question, then for permission, then another question, and says how to answer each one',
    replies: [
      asks({
        question:
          'Welcome! The list shows every session, and those that need you come first. This session asks a question: press 1 to answer it.',
        header: 'Tour 1/3',
        options: [
          { label: 'Show me more', description: 'from another shell: cbos answer TOUR 1' },
          { label: 'And what is 2?', description: 'another option, which you choose by its number' },
        ],
      }),
      says(
        { kind: 'text', text: 'Now a permission request: y allows what is shown, and n refuses it.' },
        {
          kind: 'tool',
          name: 'Bash',
          input: { command: './deploy.sh nowhere', description: 'Tour 2/3: press y to allow this' },
        },
      ),
      asks({
        question:
          'The other sessions need you as well. Tab goes to the next session that needs you, and finally back to this one. Answer the others, come back, and press 1.',
        header: 'Tour 3/3',
        options: [
          { label: 'I have answered them', description: 'ends the tour' },
          { label: 'Later', description: 'ends the tour too' },
        ],
      }),
      says({
        kind: 'text',
        text: [
          'That is all. For your own sessions:',
          '',
          '- `s` writes to the selected session, and `n` starts another one',
          '- `t` opens its real terminal; Ctrl-A d comes back',
          '- `?` lists all keys, and `q` quits',
          '- `cbos open` shows the same in the browser',
        ].join('\n'),
      }),
    ],
  },
};
