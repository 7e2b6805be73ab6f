/** One block of an answer. All times are in milliseconds, and are multiplied by the stand-in's pace. */
export type Block =
  | { kind: 'text'; text: string; chunkDelayMs?: number }
  | { kind: 'thinking'; text: string; chunkDelayMs?: number }
  | { kind: 'tool'; name: string; input: Readonly<Record<string, unknown>> };

/** The headers of a reply, which contain the account's limits. */
type ReplyHeaders = Readonly<Record<string, string>>;

/** What the stand-in does in response to one request. */
export type Reply =
  | { kind: 'answer'; firstByteDelayMs?: number; blocks: readonly Block[]; headers?: ReplyHeaders }
  /**
   * `times` is how many attempts of the same request fail before it gets the scene's next reply; if omitted, all
   * attempts fail
   */
  | { kind: 'error'; status: number; type: string; message: string; times?: number; headers?: ReplyHeaders };

/**
 * The model's answers to one prompt. The first reply answers the prompt itself, the next one answers the first tool
 * result, and so on. If the conversation continues after the last reply, the stand-in answers that everything is done.
 */
export interface Scene {
  name: string;
  /** a one-line summary of the scene */
  about: string;
  replies: readonly Reply[];
}
