/** A message for a sink, cleaned and truncated to a length that every sink accepts. */
export interface SinkMessage {
  /** the id of the message, which is the same in every attempt and impossible to guess */
  id: string;
  /** the code in the message's buttons, so that a button press identifies exactly this question in this sink */
  code: string;
  /** the id of the session; empty in a test message */
  session: string;
  title: string;
  body: string;
  buttons: readonly { key: string; label: string }[];
}

/** What is known about the outcome of an attempt. */
export type Attempt =
  | { kind: 'sent' /** what the sink calls it */; remote: string | null /** the key of a button */; pressed?: string }
  /** the message did not arrive */
  | { kind: 'unsent'; error: string /** how long the server asks to wait */; afterMs: number | null }
  /** the message may have arrived */
  | { kind: 'unsure'; error: string; afterMs: number | null }
  /** the sink will never accept the message */
  | { kind: 'refused'; error: string };

export type Found = { kind: 'found'; remote: string | null } | { kind: 'absent' } | { kind: 'unknown'; error: string };

/** The press of a button in a message. */
export interface Press {
  code: string;
  key: string;
}

export interface PressReply {
  /** whether the press answered a question */
  isDone: boolean;
  /** what to show the user */
  text: string;
  /** whether the message is one of ours; button presses in other messages get no answer */
  isOurs: boolean;
}

export interface Listening {
  onPress(press: Press): Promise<PressReply>;
  /** called with the reason when listening fails, and with null when it works again */
  onFault(error: string | null): void;
  pause(ms: number): Promise<void>;
  signal: AbortSignal;
}

/** What a sink must remember across a restart. */
export interface SinkMemory {
  read(): string | null;
  write(memory: string): void;
}

/** A channel that reports to a user. */
export interface SinkDriver {
  /** where messages go, as shown to users, without secrets */
  to: string;
  mostButtons: number;
  /** how much of a body the sink shows; if omitted, it shows every body in full */
  shown?: { columns: number; lines: number };
  send(message: SinkMessage): Promise<Attempt>;
  /**
   * Checks whether a message with an unknown outcome has arrived. If a sink lacks this method, the attempt is simply
   * repeated, because the receiver recognizes the message by its id.
   */
  find?(message: SinkMessage, since: number): Promise<Found>;
  /**
   * True if nothing else may be sent while the outcome of a message is unknown, because sending more would make it
   * impossible to find out.
   */
  isSerial?: true;
  /** Reports that the question is closed, and removes the buttons. */
  close?(message: SinkMessage, remote: string | null, ended: string): Promise<Attempt>;
  /** Listens for button presses until the signal is aborted. */
  listen?(listening: Listening): Promise<void>;
  /** Closes whatever the driver keeps open, except what `listen` uses. */
  dispose?(): void;
}

/** The pause before a sink listens again after a fault. */
const LISTEN_AGAIN_MS = 5_000;

/** @param listen listens until it can no longer; resolves with the fault, or null if it can listen again at once */
export async function keepListening(
  { signal, onFault, pause }: Listening,
  listen: () => Promise<string | null>,
): Promise<void> {
  while (!signal.aborted) {
    const fault = await listen();
    if (signal.aborted) return;
    if (fault === null) continue;
    onFault(fault);
    await pause(LISTEN_AGAIN_MS);
  }
}

/** Encodes the data of a button. Codes do not contain dots. */
export const pressData = (code: string, key: string): string => `${code}.${key}`;

export function readPress(data: unknown): Press | null {
  const [, code, key] = (typeof data === 'string' ? /^([\w-]{16,64})\.(\w{1,8})$/.exec(data) : null) ?? [];
  return code === undefined || key === undefined ? null : { code, key };
}
