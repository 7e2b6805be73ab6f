import { z } from 'zod';

const ContentBlock = z.looseObject({ type: z.string() });
const Message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(ContentBlock)]),
});

/** The fields of `POST /v1/messages` that the stand-in reads. It ignores all other fields. */
export const MessagesRequest = z.looseObject({
  model: z.string().default('claude-sonnet-4-5'),
  stream: z.boolean().default(false),
  messages: z.array(Message),
  tools: z.array(z.looseObject({ name: z.string().optional() })).default([]),
  metadata: z.looseObject({ user_id: z.string().optional() }).optional(),
});
export type MessagesRequest = z.infer<typeof MessagesRequest>;
export type Message = z.infer<typeof Message>;

/**
 * How far a conversation has progressed. This is derived from the request alone, so it is correct for any number of
 * simultaneous sessions, and after a conversation is resumed.
 */
interface Turn {
  /** the user's last prompt as Claude Code sent it, but without Claude Code's own reminders */
  prompt: string;
  /** all prompts of the user so far, oldest first */
  prompts: string[];
  /**
   * how many answers the model has given since that prompt: 0 if the request contains the prompt itself, 1 if it
   * contains the first tool result, …
   */
  step: number;
}

/**
 * Matches text that Claude Code adds to the user's own words: reminders, the output of slash commands, and the note
 * after an interrupt.
 */
const NOT_A_PROMPT = /^\s*(<(system-reminder|local-command-|command-|bash-)|\[Request interrupted)/;

function textsOf(message: Message): string[] {
  if (typeof message.content === 'string') return [message.content];
  return message.content.flatMap((block) => (typeof block.text === 'string' ? [block.text] : []));
}

/** Matches the text that Claude Code (2.1.329) wraps around a prompt that the user queued during the turn. */
const QUEUED =
  /^The user sent a new message while you were working:\n([\s\S]*?)\n\nThis is how Claude Code surfaces messages[\s\S]*$/;

/**
 * Returns the user's own words in a message, or null if it has none, because it contains only tool results or
 * reminders.
 */
export function promptOf(message: Message): string | null {
  if (message.role !== 'user') return null;
  const own = textsOf(message)
    .map((text) => text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').replace(QUEUED, '$1'))
    .filter((text) => text.trim() !== '' && !NOT_A_PROMPT.test(text));
  return own.length === 0 ? null : own.join('\n');
}

/** Determines how far the conversation has progressed; see {@link Turn}. */
export function readTurn(messages: readonly Message[]): Turn {
  const prompts: string[] = [];
  let step = 0;
  for (const message of messages) {
    const prompt = promptOf(message);
    if (prompt !== null) {
      prompts.push(prompt);
      step = 0;
    } else if (message.role === 'assistant') {
      step += 1;
    }
  }
  return { prompt: prompts.at(-1) ?? '', prompts, step };
}

/**
 * Reports whether a request is a side call, such as for a title, a summary, or a quota check. A request without tools
 * is not a turn of the conversation.
 */
export function isSideCall(request: MessagesRequest): boolean {
  return request.tools.length === 0;
}
