/** The outcome of a request. If the outcome is `unreachable`, the request definitely did not arrive. */
export type RequestOutcome = { kind: 'unreachable' } | { kind: 'silent' } | { kind: 'answered'; data: string };

export interface NatsMessage {
  subject: string;
  data: string;
  /** the subject on which an answer is expected */
  reply: string | undefined;
  respond(data: string): void;
}

export interface NatsLink {
  subscribe(subject: string, onMessage: (message: NatsMessage) => void): void;
  publish(subject: string, data: string): void;
  request(subject: string, data: string, timeoutMs: number): Promise<RequestOutcome>;
  /** Resolves when everything that was sent has reached the server. */
  flush(): Promise<void>;
  /** resolves when the connection has closed, for whatever reason */
  closed: Promise<void>;
  close(): Promise<void>;
  /** what JetStream keeps for the fleet; null on a NATS server that CBOS runs */
  kept: KeptText | null;
}

/** A text that outlives the NATS server's nodes and the founder's connection. */
export interface KeptText {
  /** Reports whether the text is stored. */
  put(text: string): Promise<boolean>;
  /** null if nothing is stored, or it cannot be read now */
  get(): Promise<string | null>;
}
