import type { Form, Question } from '../../protocol/index.ts';
import { formStateText } from '../../text/form-words.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { Markdown } from '../conversation/markdown.tsx';
import { safeAddress } from '../conversation/safe-address.ts';
import { OtherFields, ToolInput } from '../conversation/tool-input.tsx';

/** Shows what a question concerns: the tool call, the plan, or the question's text. */
export function QuestionContent({ question }: { question: Question }) {
  const { kind, tool, text, reason } = question;
  if (kind === 'closing') return <Markdown text={text} />;
  if (kind === 'plan') {
    const plan = planOf(tool?.input) ?? text;
    return (
      <div class="plan">
        <Markdown text={plan} />
        {reason !== undefined && <p class="question-text">Reason: {showHiddenMarks(reason)}</p>}
        <OtherFields fields={{ ...(tool?.input as object | undefined) }} shown={['plan', 'planFilePath']} />
      </div>
    );
  }
  if (kind === 'permission' && tool !== null) {
    return (
      <>
        <ToolInput name={tool.name} input={tool.input} />
        {reason !== undefined && <p class="question-text">Reason: {showHiddenMarks(reason)}</p>}
        {!isOfTool(text, tool.name) && <p class="question-text">{lastLine(text)}</p>}
      </>
    );
  }
  if (question.form !== undefined) return <FormContent text={text} form={question.form} />;
  return question.questions.length > 1 ? null : <p class="question-text">{text}</p>;
}

/** Shows the message of a form, its state, and its address. Nothing opens the address but a click on it. */
function FormContent({ text, form }: { text: string; form: Form }) {
  const state = formStateText(form);
  const address = form.url === undefined ? null : safeAddress(form.url);
  return (
    <>
      <p class="question-text">{showHiddenMarks(text)}</p>
      {form.url !== undefined && (
        <p class="question-text">
          {address !== null && /^https?:/.test(address) ? (
            <a href={address} target="_blank" rel="noopener noreferrer">
              {showHiddenMarks(form.url)}
            </a>
          ) : (
            showHiddenMarks(form.url)
          )}
        </p>
      )}
      {state !== '' && <p class="question-text">{state}</p>}
    </>
  );
}

/** If no dialog is on a screen, the text is a one-line summary of the call, which is already shown in full above. */
function isOfTool(text: string, tool: string): boolean {
  return text === tool || text.startsWith(`${tool}: `);
}

/** Returns the last line of a dialog's text. The earlier lines repeat the tool call. */
function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

function planOf(input: unknown): string | null {
  if (typeof input !== 'object' || input === null || !('plan' in input)) return null;
  return typeof input.plan === 'string' ? input.plan : null;
}
