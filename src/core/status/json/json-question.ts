import type { JsonState, Question, QuestionAsker, QuestionPart } from '../../../protocol/index.ts';
import { askedQuestions, describeTool, dialogKindOf } from '../asked-call.ts';
import { decisions, permissionOptions, withFreeText } from '../asked-options.ts';
import type { JsonEvidence, JsonRequest, TrustRequest } from '../evidence.ts';
import { formQuestion } from '../form-question.ts';
import { agentAsker, SESSION_ASKER } from '../question.ts';

function partsOf(request: JsonRequest): QuestionPart[] {
  const kind = dialogKindOf(request.name);
  if (kind === 'question') {
    return askedQuestions(request.input).map(withFreeText);
  }
  if (kind === 'plan') {
    const options = decisions(
      ['yes', 'Yes, and manually approve edits'],
      ['always', 'Yes, and auto-accept edits'],
      ['no', 'No, keep planning'],
    );
    const plan = (request.input as { plan?: unknown } | null)?.plan;
    return [{ header: null, text: typeof plan === 'string' ? plan : 'Exit plan mode?', options, multi: false }];
  }
  const options = permissionOptions(request.suggestions);
  return [{ header: null, text: describeTool(request), options, multi: false }];
}

/** The index, counted from 0, of the option in the trust question that means yes. */
export const TRUSTS = 0;

/**
 * Returns the trust question in the words that Claude Code uses in a terminal, together with the relevant files in this
 * folder.
 */
function trustQuestion({ id, folder, files, askedAt }: TrustRequest): Question {
  const found = files.length === 0 ? 'The folder contains none of these files now.' : `It has ${files.join(', ')}.`;
  const text = `Do you trust the files in ${folder}? Claude Code runs the hooks and servers that a folder's own settings name, without asking. ${found}`;
  const options = decisions(['yes', 'Yes, I trust this folder'], ['no', 'No, end the session']);
  const part = { header: null, text, options, multi: false };
  return {
    ...{ id, kind: 'setup', text, tool: null, options, multi: false, questions: [part] },
    asked_at: new Date(askedAt).toISOString(),
    asker: SESSION_ASKER,
  };
}

/**
 * Returns the questions that a JSON session is asking, oldest first. The options are worded like those in Claude Code's
 * own dialogs.
 */
export function jsonQuestions({ requests, forms = [], trust, agents = [] }: JsonEvidence): Question[] {
  if (trust !== null) return [trustQuestion(trust)];
  const asked = requests.map((request) => ({
    at: request.requestedAt,
    question: requestQuestion(request, askerOf(request, agents)),
  }));
  const filling = forms.map((open) => ({ at: open.askedAt, question: formQuestion(open) }));
  return [...asked, ...filling].toSorted((one, other) => one.at - other.at).map(({ question }) => question);
}

/** Returns who made a request. Claude Code reports an agent's type and task when the agent starts. */
export function askerOf({ agent }: JsonRequest, agents: JsonEvidence['agents'] = []): QuestionAsker {
  if (agent === null) return SESSION_ASKER;
  const started = agents.find(({ id }) => id === agent);
  return agentAsker({ id: agent, type: started?.type ?? null, about: started?.about ?? null });
}

function requestQuestion(request: JsonRequest, asker: QuestionAsker): Question {
  const questions = partsOf(request);
  const [first] = questions;
  return {
    id: request.requestId,
    kind: dialogKindOf(request.name),
    text: first?.text ?? describeTool(request),
    tool: { name: request.name, input: request.input },
    options: first?.options ?? [],
    multi: first?.multi ?? false,
    questions,
    ...(request.reason === undefined ? {} : { reason: request.reason }),
    asked_at: new Date(request.requestedAt).toISOString(),
    asker,
  };
}

/** Returns the state as a single word, for programs that support only JSON sessions. */
export function jsonState({ prompt, requests, forms = [], trust, busySince, turnEnd }: JsonEvidence): JsonState {
  if (requests.length > 0 || forms.length > 0 || trust !== null) return 'waiting_permission';
  if (busySince !== null) return 'running';
  if (turnEnd !== null) return turnEnd.error === null ? 'complete' : 'error';
  return prompt === null ? 'idle' : 'complete';
}
