/** Ends a subscription. */
export type Dispose = () => void;

/** A body that is read while it is being sent. */
export interface StreamedBody {
  /** exactly as many bytes as `read` returns */
  sizeBytes: number;
  read(): AsyncIterable<Uint8Array>;
}

export interface TransportRequest {
  /** `GET`, `POST`, … */
  method: string;
  /** including the query, percent-encoded: `/sessions?state=waiting` */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** the page's transport accepts only text, because the page uploads files by other means in order to show progress */
  body: string | StreamedBody | null;
}

export interface TransportResponse {
  status: number;
  /** the whole body as UTF-8; consumes the body, so only one of `text` and `bytes` may be called */
  text(): Promise<string>;
  /** the body as it arrives; leaving the loop early ends the request */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface SocketListener {
  onOpen(): void;
  onMessage(text: string): void;
  /**
   * Called exactly once, even if the socket never opened.
   * @param failure why the socket never opened or broke, or null if one of the two sides closed it
   */
  onClose(failure: Error | null): void;
}

export interface TransportSocket {
  send(text: string): void;
  close(): void;
}

/** How a client reaches a server: through a local socket, TCP, a browser's fetch and WebSocket, or a pair in memory. */
export interface Transport {
  /**
   * @throws UnreachableError if no server can be reached
   * @throws ConnectionLostError if the connection ended before the answer was complete
   */
  request(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Opens a WebSocket. Does not call the listener before this function has returned.
   * @param protocols WebSocket subprotocols; browsers send the token there
   */
  connect(path: string, protocols: readonly string[], listener: SocketListener): TransportSocket;
}

/** No server is listening at the address, so the request was not sent. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** The connection ended before the response, so it is unknown whether the server carried out the request. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
}
