// The tools. Each runs for real, as with the real Claude Code: a test sees what they leave behind.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { answered, answeredInWords, approvedPlan, NO_OUTPUT } from './texts.mjs';

/**
 * @typedef {{ cwd: string, signal: AbortSignal, planFile: string, onOutput: (text: string) => void,
 *   sessionId?: string, onBackground?: (task: any) => void }} Place
 * @typedef {{ content: string, isError?: boolean, response: any, shown: string[], error?: string }} ToolResult
 * `content` is for the model, `response` for the hook, `shown` for the screen
 */

/**
 * @param {{ name: string, input: any }} call
 * @param {Place} place
 * @returns {Promise<ToolResult>}
 */
export async function runTool({ name, input }, place) {
  switch (name) {
    case 'Bash':
      return runCommand(input, place);
    case 'Write':
      return write(input, place);
    case 'Edit':
    case 'MultiEdit':
      return edit(input, place);
    case 'Read':
      return read(input, place);
    case 'AskUserQuestion':
      return answerQuestions(input);
    case 'ExitPlanMode':
      return leavePlan(input, place);
    default:
      return failed(`No such tool available: ${name}`);
  }
}

/** @param {string} error @returns {ToolResult} */
const failed = (error) => ({ content: error, isError: true, response: null, shown: [`Error: ${error}`], error });

const outputFile = (/** @type {Place} */ { cwd, sessionId = '' }, /** @type {string} */ id) => {
  const folder = join(process.env.TMPDIR ?? '/tmp', `claude-${process.getuid?.() ?? 0}`);
  return join(folder, cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), sessionId, 'tasks', `${id}.output`);
};

/** @param {any} input @param {Place} place */
async function runCommand({ command, description, timeout, run_in_background: isBackground }, place) {
  const { cwd, signal, onOutput, onBackground = () => undefined } = place;
  const env = { ...process.env, CLAUDECODE: '1' };
  const child = spawn('/bin/bash', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  if (isBackground === true) {
    const id = `b${randomBytes(4).toString('hex')}`;
    onBackground({ id, command, description, child });
    return {
      content: `Command running in background with ID: ${id}. Output is being written to: ${outputFile(place, id)}`,
      response: {
        stdout: '',
        stderr: '',
        interrupted: false,
        isImage: false,
        noOutputExpected: false,
        backgroundTaskId: id,
      },
      shown: ['Running in the background (↓ to manage)'],
    };
  }
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    stdout += part;
    onOutput(stdout + stderr);
  });
  child.stderr.setEncoding('utf8').on('data', (part) => {
    stderr += part;
    onOutput(stdout + stderr);
  });
  const end = () => killGroup(child.pid);
  signal.addEventListener('abort', end, { once: true });
  const timer = timeout === undefined ? undefined : setTimeout(end, timeout);
  const code = await new Promise((done) => child.once('close', (status) => done(status)));
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  const [out, err] = [stdout.trimEnd(), stderr.trimEnd()];
  const all = [out, err].filter((part) => part !== '').join('\n');
  const response = {
    stdout: out,
    stderr: err,
    interrupted: signal.aborted,
    isImage: false,
    noOutputExpected: all === '',
  };
  if (code !== 0) {
    const error = `Exit code ${code}${all === '' ? '' : `\n${all}`}`;
    return { content: error, isError: true, response, shown: `Error: ${error}`.split('\n'), error };
  }
  return { content: all === '' ? NO_OUTPUT : all, response, shown: all === '' ? ['Done'] : all.split('\n') };
}

/** @param {number | undefined} pid */
function killGroup(pid) {
  try {
    process.kill(-(pid ?? 0), 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** @param {any} input @param {{ cwd: string, planFile: string }} place */
function write({ file_path: path, content }, { cwd, planFile }) {
  const file = resolve(cwd, path);
  const originalFile = existsSync(file) ? readFileSync(file, 'utf8') : null;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  const type = originalFile === null ? 'create' : 'update';
  const name = relative(cwd, file);
  const lines = content.replace(/\n$/, '').split('\n');
  return {
    content: `File created successfully at: ${path} (file state is current in your context — no need to Read it back)`,
    response: { type, filePath: path, content, structuredPatch: [], originalFile, userModified: false },
    shown:
      file === planFile
        ? ['/plan to preview']
        : [
            `Wrote ${lines.length} lines to ${name}`,
            ...lines.map((line, at) => `${String(at + 1).padStart(2)} ${line}`),
          ],
  };
}

/** @param {any} input @param {{ cwd: string }} place */
function edit({ file_path: path, old_string: before, new_string: after }, { cwd }) {
  const file = resolve(cwd, path);
  if (!existsSync(file)) return failed('File does not exist.');
  const originalFile = readFileSync(file, 'utf8');
  if (!originalFile.includes(before)) return failed('String to replace not found in file.');
  writeFileSync(
    file,
    originalFile.replace(before, () => after),
  );
  return {
    content: `The file ${file} has been updated.`,
    response: {
      filePath: path,
      oldString: before,
      newString: after,
      originalFile,
      structuredPatch: [],
      userModified: false,
    },
    shown: [`Updated ${relative(cwd, file)}`],
  };
}

/** @param {any} input @param {{ cwd: string }} place */
function read({ file_path: path }, { cwd }) {
  const file = resolve(cwd, path);
  if (!existsSync(file)) return failed('File does not exist.');
  const content = readFileSync(file, 'utf8');
  const lines = content.split('\n');
  return {
    content: lines.map((line, at) => `${at + 1}\t${line}`).join('\n'),
    response: {
      type: 'text',
      file: { filePath: path, content, numLines: lines.length, startLine: 1, totalLines: lines.length },
    },
    shown: [`Read ${lines.length} lines`],
  };
}

/** @param {any} input the questions with the user's answers */
function answerQuestions({ questions, answers, annotations }) {
  const labels = new Set(
    questions.flatMap((/** @type {any} */ one) => one.options.map((/** @type {any} */ o) => o.label)),
  );
  const isFree = Object.values(answers).some((answer) =>
    String(answer)
      .split(', ')
      .some((part) => !labels.has(part)),
  );
  return {
    content: isFree ? answeredInWords(answers) : answered(answers),
    response: { questions, answers, ...(annotations === undefined ? {} : { annotations }) },
    shown: Object.entries(answers).map(([question, answer]) => `· ${question} → ${answer}`),
  };
}

/** @param {any} input @param {{ planFile: string }} place */
function leavePlan({ plan }, { planFile }) {
  const text = plan ?? '';
  return {
    content: approvedPlan(planFile, text),
    response: { plan: text, isAgent: false, filePath: planFile },
    shown: text.split('\n'),
  };
}
