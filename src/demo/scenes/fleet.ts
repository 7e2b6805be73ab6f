import { type ChooseScene, chooseByPrompt } from './choose.ts';
import type { Scene } from './scene.ts';

/**
 * One session of the demo: its name and prompt, such as a user would choose, and the scene that the stand-in plays for
 * it.
 */
export interface DemoSession {
  slug: string;
  type: 'screen' | 'json';
  prompt: string;
  scene: Scene;
}

const REASONING = [
  'The start-up takes four seconds, and only the first request is slow.',
  'Reading the configuration is quick, so the time goes somewhere after it.',
  'The server imports every route before it listens; each of them opens its own connection.',
  'If the connections are opened one after the other, that alone explains three seconds.',
  'Opening them on first use would cost the first visitor some time instead.',
  'Opening them side by side keeps both short, and the pool has room for it.',
  'The last second could be the check for updates, which waits for its answer.',
  'Nothing needs that answer before the server listens.',
].join('\n');

const FINDINGS = `Two things make the start slow:

1. **Connections, about 3 s.** Every route opens its own, one after the other.
2. **The check for updates, about 1 s.** The server waits for it before it listens.

Opening the connections side by side and moving the check behind \`listen\` brings the start below half a second.
Neither change is visible from outside.`;

/**
 * The sessions of `cbos demo`: one thinks, one runs tools, one requests permission, one asks a question, and one has no
 * terminal.
 */
export const DEMO_SESSIONS: readonly DemoSession[] = [
  {
    slug: 'STARTUP',
    type: 'screen',
    prompt: 'Find out why the service takes four seconds to start',
    scene: {
      name: 'demo-startup',
      about: 'reasons for about twenty seconds, reads a file, answers at length',
      replies: [
        {
          kind: 'answer',
          firstByteDelayMs: 1_500,
          blocks: [
            { kind: 'thinking', text: REASONING, chunkDelayMs: 350 },
            { kind: 'text', text: 'I have a suspicion. Let me look at the server.' },
            { kind: 'tool', name: 'Read', input: { file_path: 'src/server.js' } },
          ],
        },
        { kind: 'answer', firstByteDelayMs: 4_000, blocks: [{ kind: 'text', text: FINDINGS, chunkDelayMs: 150 }] },
      ],
    },
  },
  {
    slug: 'CHECKS',
    type: 'screen',
    prompt: 'Run the checks twice and tell me whether they are stable',
    scene: {
      name: 'demo-checks',
      about: 'runs a script twice without asking',
      replies: [
        {
          kind: 'answer',
          firstByteDelayMs: 1_000,
          blocks: [
            { kind: 'text', text: 'I will run them a first time.' },
            { kind: 'tool', name: 'Bash', input: { command: './check.sh', description: 'Run the checks' } },
          ],
        },
        {
          kind: 'answer',
          firstByteDelayMs: 1_000,
          blocks: [
            { kind: 'text', text: 'All passed. Once more.' },
            { kind: 'tool', name: 'Bash', input: { command: './check.sh', description: 'Run the checks again' } },
          ],
        },
        {
          kind: 'answer',
          firstByteDelayMs: 1_000,
          blocks: [{ kind: 'text', text: 'The checks passed twice with the same result: they are stable.' }],
        },
      ],
    },
  },
  {
    slug: 'DEPLOY',
    type: 'screen',
    prompt: 'Deploy the current version to staging',
    scene: {
      name: 'demo-deploy',
      about: 'needs permission to run a script',
      replies: [
        {
          kind: 'answer',
          firstByteDelayMs: 1_500,
          blocks: [
            { kind: 'text', text: 'Version 1.4.0 is ready. I will deploy it with the project’s own script.' },
            { kind: 'tool', name: 'Bash', input: { command: './deploy.sh staging', description: 'Deploy to staging' } },
          ],
        },
        {
          kind: 'answer',
          firstByteDelayMs: 1_000,
          blocks: [{ kind: 'text', text: 'Version 1.4.0 runs on staging.' }],
        },
      ],
    },
  },
  {
    slug: 'ACCOUNTS',
    type: 'screen',
    prompt: 'Add user accounts to the service',
    scene: {
      name: 'demo-accounts',
      about: 'asks which database to use',
      replies: [
        {
          kind: 'answer',
          firstByteDelayMs: 2_500,
          blocks: [
            { kind: 'text', text: 'Before I begin, one decision is yours.' },
            {
              kind: 'tool',
              name: 'AskUserQuestion',
              input: {
                questions: [
                  {
                    question: 'Where shall the accounts be stored?',
                    header: 'Storage',
                    multiSelect: false,
                    options: [
                      { label: 'SQLite', description: 'A file beside the service, nothing to run' },
                      { label: 'PostgreSQL', description: 'A server, for several instances' },
                    ],
                  },
                ],
              },
            },
          ],
        },
        {
          kind: 'answer',
          firstByteDelayMs: 1_500,
          blocks: [
            {
              kind: 'text',
              text: 'Then the accounts get a table of their own, with the address as key and the password as a hash. Shall I begin with the table?',
              chunkDelayMs: 60,
            },
          ],
        },
      ],
    },
  },
  {
    slug: 'NOTES',
    type: 'json',
    prompt: 'Write the release notes for version 1.4.0',
    scene: {
      name: 'demo-notes',
      about: 'reads a file, then needs permission to write another',
      replies: [
        {
          kind: 'answer',
          firstByteDelayMs: 1_000,
          blocks: [
            { kind: 'text', text: 'I will look at the project first.' },
            { kind: 'tool', name: 'Read', input: { file_path: 'README.md' } },
          ],
        },
        {
          kind: 'answer',
          firstByteDelayMs: 1_500,
          blocks: [
            { kind: 'text', text: 'Three changes are worth mentioning. I will write them down.' },
            {
              kind: 'tool',
              name: 'Write',
              input: {
                file_path: 'NOTES.md',
                content: '# 1.4.0\n\n- Health check at /health\n- Faster start\n- User accounts\n',
              },
            },
          ],
        },
        {
          kind: 'answer',
          firstByteDelayMs: 800,
          blocks: [{ kind: 'text', text: 'The release notes are in NOTES.md.', chunkDelayMs: 60 }],
        },
      ],
    },
  },
];

/** Chooses the scene of the session that sent this prompt. */
export const chooseDemoScene: ChooseScene = chooseByPrompt(
  Object.fromEntries(DEMO_SESSIONS.map(({ prompt, scene }) => [prompt, scene])),
);
