import { z } from 'zod';
import { Form } from './form.ts';
import { Timestamp } from './words.ts';

export const QuestionKind = z.enum(['permission', 'question', 'plan', 'setup', 'closing', 'form']);
export type QuestionKind = z.infer<typeof QuestionKind>;

/**
 * What choosing an option does. `yes` allows the call once, and `always` also allows similar calls in future. `more`
 * has further consequences, such as skipping all permissions or clearing the conversation. `no` denies the call. `text`
 * opens a text field; in a permission or plan dialog, entering text means no. `leave` closes the dialog without an
 * answer, and `submit` sends the chosen options. `choice` means whatever its label says.
 */
export const OptionMeaning = z.enum(['yes', 'always', 'more', 'no', 'text', 'leave', 'submit', 'choice']);
export type OptionMeaning = z.infer<typeof OptionMeaning>;

export const QuestionOption = z
  .object({
    key: z.string().meta({ description: 'The number shown in front of the option, as a string' }),
    label: z.string(),
    description: z.string().nullable(),
    means: OptionMeaning.default('choice').meta({
      description:
        'What the option does, whatever its label: `yes` allows this once, `always` also allows similar requests, `more` goes beyond that, `no` refuses, `text` takes free text, `leave` ends the dialog without an answer, `submit` sends the chosen options, `choice` is an answer in itself',
    }),
  })
  .meta({ id: 'QuestionOption' });
export type QuestionOption = z.infer<typeof QuestionOption>;

export const QuestionPart = z
  .object({
    header: z.string().nullable(),
    text: z.string(),
    options: z.array(QuestionOption),
    multi: z.boolean(),
  })
  .meta({ id: 'QuestionPart' });
export type QuestionPart = z.infer<typeof QuestionPart>;

/** The tool call that a permission request concerns. `input` is stored exactly as Claude Code reported it. */
export const QuestionTool = z.object({ name: z.string(), input: z.unknown() }).meta({ id: 'QuestionTool' });
export type QuestionTool = z.infer<typeof QuestionTool>;

/**
 * Who in a session asks a question. `session` is the conversation itself, or Claude Code before the conversation
 * begins. An agent may work, and ask, after the turn that started it has ended. An MCP server asks with a form.
 */
export const QuestionAsker = z
  .object({
    kind: z.enum(['session', 'agent', 'mcp_server']),
    id: z.string().nullable().meta({
      description: "The agent's id, as Claude Code reports it; the name of an MCP server; null for the session itself",
    }),
    name: z.string().nullable().meta({ description: 'The type of an agent, the name of an MCP server' }),
    about: z.string().nullable().meta({ description: "The agent's task, in the few words that its caller gave it" }),
  })
  .meta({ id: 'QuestionAsker' });
export type QuestionAsker = z.infer<typeof QuestionAsker>;

/**
 * A question that a session asks. `closing` is a question in the text at the end of a turn: no dialog is open, and the
 * prompt accepts text. `form` is a question of an MCP server, which is answered with values.
 */
export const Question = z
  .object({
    id: z.string().meta({ description: 'Changes with each new dialog' }),
    kind: QuestionKind,
    text: z.string(),
    tool: QuestionTool.nullable(),
    options: z.array(QuestionOption),
    multi: z.boolean(),
    questions: z.array(QuestionPart),
    cut: z.literal(true).optional().meta({
      description:
        "The request is longer than this text, so CBOS does not accept an answer that allows it; the session's terminal shows the whole request",
    }),
    reason: z.string().optional().meta({
      description:
        "Why Claude Code asks, in the words that it gives for this request: those of a person's own hook that wants a confirmation, or of a permission rule. Absent if Claude Code gives no reason",
    }),
    asked_at: Timestamp,
    behind: z.literal(true).optional().meta({
      description:
        'Claude Code shows the dialog of an older question first, so this question cannot be answered before that one',
    }),
    form: Form.optional().meta({ description: 'Only in a question of the kind `form`: what an MCP server asks' }),
    asker: QuestionAsker.optional().meta({ description: 'Who asks; missing if the server is older' }),
  })
  .meta({ id: 'Question' });
export type Question = z.infer<typeof Question>;

/** Which of a session's open questions a request concerns. */
export const QuestionQuery = z.strictObject({
  question_id: z.string().optional().meta({ description: 'the open question that is meant; by default, the oldest' }),
});
