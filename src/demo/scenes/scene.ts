/** One block of an answer. Times are in milliseconds and are multiplied by the stand-in's pace. */
export type Block =
  | { kind: 'text'; text: string; chunkDelayMs?: number }
  | { kind: 'thinking'; text: string; chunkDelayMs?: number }
  | { kind: 'tool'; name: string; input: Readonly<Record<string, unknown>> };

/** What a reply says beside its body: limits of the account. */
type ReplyHeaders = Readonly<Record<string, string>>;

/** What the stand-in does with one request. */
export type Reply =
  | { kind: 'answer'; firstByteDelayMs?: number; blocks: readonly Block[]; headers?: ReplyHeaders }
  /**
   * `times`: how many attempts of the same request fail before the next reply of the scene answers it; all when left
   * out
   */
  | { kind: 'error'; status: number; type: string; message: string; times?: number; headers?: ReplyHeaders };

/**
 * What the model does with one prompt: the first reply answers the prompt, the next one the first tool's result, and so
 * on. A conversation that goes on after the last reply is told that all is done.
 */
export interface Scene {
  name: string;
  /** what it shows, one line */
  about: string;
  replies: readonly Reply[];
}
