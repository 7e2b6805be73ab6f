import { describeTool, dialogKindOf } from '../asked-call.ts';
import type { JsonEvidence } from '../evidence.ts';
import { formEvidence } from '../form-question.ts';
import { closingQuestion, evidenceOf } from '../question.ts';
import { beginOf, endOf, type Rule } from '../rule.ts';
import { askerOf } from './json-question.ts';

/** The version with which the events in test/fixtures/json-events were recorded. */
const VERSIONS = ['2.1.329'] as const;

/**
 * The rules that read a JSON session's events, strongest first. Events are exact, so only the process rules override
 * them.
 */
export const JSON_RULES: readonly Rule<JsonEvidence>[] = [
  {
    id: 'json.trust',
    versions: VERSIONS,
    read: ({ trust }) =>
      trust === null ? null : { primary: 'waiting', detail: 'setup', evidence: trust.folder, since: trust.askedAt },
  },
  {
    id: 'json.can_use_tool',
    versions: VERSIONS,
    read: ({ requests, forms = [], agents, busySince }) => {
      const [asked] = requests;
      const [form] = forms;
      if (asked === undefined || (form !== undefined && form.askedAt < asked.requestedAt)) return null;
      const detail = dialogKindOf(asked.name);
      const evidence = evidenceOf(askerOf(asked, agents), describeTool(asked), busySince !== null);
      return { primary: 'waiting', detail, evidence, since: asked.requestedAt };
    },
  },
  {
    id: 'json.elicitation',
    versions: ['2.1.330'],
    read: ({ forms = [] }) => {
      const [form] = forms;
      if (form === undefined) return null;
      return { primary: 'waiting', detail: 'question', evidence: formEvidence(form), since: form.askedAt };
    },
  },
  {
    id: 'json.compacting',
    versions: VERSIONS,
    read: ({ compactingSince }) =>
      compactingSince === null
        ? null
        : { primary: 'active', detail: 'compacting', evidence: 'compacting', since: compactingSince },
  },
  {
    id: 'json.tool_use',
    versions: VERSIONS,
    read: ({ busySince, tools }) => {
      // The call that runs a subagent takes precedence over the subagent's own calls.
      const tool = tools.findLast(({ agent }) => agent === null) ?? tools.at(-1);
      if (busySince === null || tool === undefined) return null;
      return { primary: 'active', detail: 'using_tools', evidence: describeTool(tool), since: tool.at };
    },
  },
  {
    id: 'json.api_retry',
    versions: VERSIONS,
    read: ({ busySince, retry }) =>
      busySince === null || retry === null
        ? null
        : { primary: 'active', detail: 'thinking', evidence: retry.reason, since: retry.at },
  },
  {
    id: 'json.text',
    versions: VERSIONS,
    read: ({ busySince, phase }) =>
      busySince === null || phase?.kind !== 'responding'
        ? null
        : { primary: 'active', detail: 'responding', evidence: 'an answer is being written', since: phase.at },
  },
  {
    id: 'json.turn',
    versions: VERSIONS,
    read: ({ busySince, phase, prompt }) =>
      busySince === null
        ? null
        : {
            primary: 'active',
            detail: 'thinking',
            evidence: beginOf(prompt?.text ?? ''),
            since: phase?.at ?? busySince,
          },
  },
  {
    id: 'json.error',
    versions: VERSIONS,
    read: ({ turnEnd }) =>
      turnEnd?.error == null
        ? null
        : { primary: 'idle', detail: 'error', evidence: beginOf(turnEnd.error), since: turnEnd.at },
  },
  {
    // If a Stop hook was running, the turn has a last message, which may be a question (2.1.330).
    id: 'json.interrupted',
    versions: VERSIONS,
    read: ({ turnEnd }) =>
      turnEnd?.interrupted === true
        ? { primary: 'idle', detail: 'waiting_input', evidence: 'the turn was interrupted', since: turnEnd.at }
        : null,
  },
  {
    id: 'json.result.closing',
    versions: VERSIONS,
    read: ({ turnEnd }) => {
      const question = closingQuestion(turnEnd?.message ?? null);
      if (turnEnd === null || question === null) return null;
      return { primary: 'waiting', detail: 'question', evidence: question, since: turnEnd.at };
    },
  },
  {
    id: 'json.result',
    versions: VERSIONS,
    read: ({ turnEnd }) =>
      turnEnd === null
        ? null
        : {
            primary: 'idle',
            detail: 'waiting_input',
            evidence: endOf(turnEnd.message ?? ''),
            since: turnEnd.at,
          },
  },
  {
    id: 'json.fresh',
    versions: VERSIONS,
    read: ({ prompt, lastAt }) =>
      prompt === null ? { primary: 'idle', detail: 'ready', evidence: 'never prompted', since: lastAt ?? 0 } : null,
  },
];
