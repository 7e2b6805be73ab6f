// Imitates the prompt of Claude Code 2.1.329 on a machine so loaded that it draws late, as was observed on such a
// machine. It fires the hooks that it was given. Each message that it receives goes to the file in LATE_AGENT_RECEIVED
// as one line of JSON. It closes the transcript, and draws the late text, when the test adds `.closes` and `.draws` to
// that file's name.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

if (process.argv[2] === '--version') {
  process.stdout.write('2.1.329 (Claude Code)\n');
  process.exit();
}
const settings = JSON.parse(readFileSync(process.argv[process.argv.indexOf('--settings') + 1] ?? '', 'utf8'));
const received = process.env.LATE_AGENT_RECEIVED ?? '';
const columns = process.stdout.columns ?? 80;
const rule = '─'.repeat(columns);
let box = '';
/** messages whose scene has been played, because each is played once */
const played = new Set();

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
process.stdout.write('\x1b[?2004h');
fire('SessionStart', { source: 'startup' });
drawPrompt();

process.stdin.on('data', (keys) => {
  const pasted = [...keys.matchAll(/\x1b\[200~(.*?)\x1b\[201~/gs)].map(([, text]) => text).join('');
  if (pasted !== '') paste(pasted);
  if (keys.includes('\x03')) clear();
  else if (keys.endsWith('\r')) submit();
});

/** The first `late:` message arrives while a transcript is open, and is drawn long after that has closed. */
async function paste(text) {
  if (!begins('late:', text)) {
    box += text;
    drawPrompt();
    return;
  }
  draw([rule, '  Showing detailed transcript · ctrl+o to toggle · ctrl+e to show all']);
  await told('closes');
  drawPrompt();
  await told('draws');
  await setTimeout(700);
  box = text + box;
  drawPrompt();
}

async function told(what) {
  while (!existsSync(`${received}.${what}`)) await setTimeout(10);
}

/** The first `stuck:` message stays in the box, although it was taken. */
function submit() {
  if (box !== '' && !box.startsWith('stuck:')) take();
}

function clear() {
  if (begins('stuck:', box)) return take();
  box = '';
  drawPrompt();
}

function begins(scene, text) {
  if (!text.startsWith(scene) || played.has(scene)) return false;
  played.add(scene);
  return true;
}

async function take() {
  appendFileSync(received, `${JSON.stringify(box)}\n`);
  fire('UserPromptSubmit', { prompt: box });
  await setTimeout(200);
  box = '';
  drawPrompt('✻ Pondering… (1s · ↓ 2 tokens)', '');
  await setTimeout(300);
  fire('Stop', { last_assistant_message: 'Done.' });
  drawPrompt('● Done.', '');
}

function drawPrompt(...above) {
  const footer = above[0]?.startsWith('✻') ? '  ⏸ manual mode on · esc to interrupt' : '  ⏸ manual mode on';
  draw([...above, rule, `❯ ${box}`, rule, footer], above.length + 2, box.length + 3);
}

function draw(lines, row = 1, column = 1) {
  process.stdout.write(`\x1b[2J\x1b[H${lines.join('\r\n')}\x1b[${row};${column}H`);
}

function fire(event, payload) {
  for (const { hooks } of settings.hooks[event] ?? []) {
    for (const { command } of hooks) {
      const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin.end(JSON.stringify({ hook_event_name: event, session_id: 'late', ...payload }));
    }
  }
}
