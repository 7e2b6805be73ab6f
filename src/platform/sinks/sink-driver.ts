/** A message for a sink, cleaned and cut to a length that every sink accepts. */
export interface SinkMessage {
  /** the same in every attempt, and impossible to guess */
  id: string;
  /** the code in its buttons, so that a press identifies exactly this question in this sink */
  code: string;
  /** empty in a test */
  session: string;
  title: string;
  body: string;
  buttons: readonly { key: string; label: string }[];
}

/** The known outcome of an attempt. */
export type Attempt =
  | { kind: 'sent' /** what the sink calls it */; remote: string | null /** the key of a button */; pressed?: string }
  /** nothing arrived */
  | { kind: 'unsent'; error: string /** how long the server asks to wait */; afterMs: number | null }
  /** it may have arrived */
  | { kind: 'unsure'; error: string; afterMs: number | null }
  /** it will never be accepted */
  | { kind: 'refused'; error: string };

export type Found = { kind: 'found'; remote: string | null } | { kind: 'absent' } | { kind: 'unknown'; error: string };

/** A button was pressed. */
export interface Press {
  code: string;
  key: string;
}

export interface PressReply {
  /** whether something was answered */
  isDone: boolean;
  /** the text for the person */
  text: string;
  /** whether the message is one of ours; anybody else's messages get no answer */
  isOurs: boolean;
}

export interface Listening {
  onPress(press: Press): Promise<PressReply>;
  /** null if it is listening */
  onFault(error: string | null): void;
  pause(ms: number): Promise<void>;
  signal: AbortSignal;
}

/** The text that a sink must remember across a restart. */
export interface SinkMemory {
  read(): string | null;
  write(memory: string): void;
}

/** One channel that reports to a person. */
export interface SinkDriver {
  /** where messages go, without secrets */
  to: string;
  mostButtons: number;
  /** how much of a body the sink shows in full; without it, every body of a message */
  shown?: { columns: number; lines: number };
  send(message: SinkMessage): Promise<Attempt>;
  /**
   * Checks whether a message with an unknown outcome has arrived. Without this method, the attempt is repeated, because
   * the receiver recognises the message by its id.
   */
  find?(message: SinkMessage, since: number): Promise<Found>;
  /**
   * True if nothing else may be sent while the outcome of a message is unknown, because that would make it impossible
   * to find out.
   */
  isSerial?: true;
  /** Reports that the question is over, and removes the buttons. */
  close?(message: SinkMessage, remote: string | null, ended: string): Promise<Attempt>;
  /** Listens for presses until the signal ends it. */
  listen?(listening: Listening): Promise<void>;
  /** Ends what the driver keeps open besides `listen`. */
  dispose?(): void;
}

/** Encodes the data of a button. Codes do not contain dots. */
export const pressData = (code: string, key: string): string => `${code}.${key}`;

export function readPress(data: unknown): Press | null {
  const [, code, key] = (typeof data === 'string' ? /^([\w-]{16,64})\.(\w{1,8})$/.exec(data) : null) ?? [];
  return code === undefined || key === undefined ? null : { code, key };
}
