/** Ends a subscription. */
export type Dispose = () => void;

export interface TransportRequest {
  /** `GET`, `POST`, … */
  method: string;
  /** with the query, percent-encoded: `/sessions?state=waiting` */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

export interface TransportResponse {
  status: number;
  /** the whole body as UTF-8; reads it, so only one of `text` and `bytes` may be used */
  text(): Promise<string>;
  /** the body as it comes; leaving the loop early ends the request */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface SocketListener {
  onOpen(): void;
  onMessage(text: string): void;
  /**
   * Called exactly once, also when it never opened.
   * @param failure why it never opened or broke; null when one of the sides closed it
   */
  onClose(failure: Error | null): void;
}

export interface TransportSocket {
  send(text: string): void;
  close(): void;
}

/** How a client reaches a server: a local socket, TCP, a browser's fetch and WebSocket, or a pair in memory. */
export interface Transport {
  /**
   * @throws UnreachableError when nobody can be reached
   * @throws ConnectionLostError when the connection ended before the answer was whole
   */
  request(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Calls nothing of the listener before it has returned.
   * @param protocols WebSocket subprotocols: browsers send the token there
   */
  connect(path: string, protocols: readonly string[], listener: SocketListener): TransportSocket;
}

/** Nobody listens where the server should be: the request was not made. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** The connection ended before the answer: whether the request was carried out is not known. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
}
