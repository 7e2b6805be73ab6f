/** A function that ends a subscription. */
export type Dispose = () => void;

/** A request body that is read while it is being sent. */
export interface StreamedBody {
  /** the size in bytes, which must be exactly what `read` yields */
  sizeBytes: number;
  read(): AsyncIterable<Uint8Array>;
}

export interface TransportRequest {
  /** the HTTP method, such as `GET` or `POST` */
  method: string;
  /** the path with the query, percent-encoded, such as `/sessions?state=waiting` */
  path: string;
  headers: Readonly<Record<string, string>>;
  /**
   * the body; the page's transport accepts only text, because the page uploads files in another way, which allows it to
   * show progress
   */
  body: string | StreamedBody | null;
}

export interface TransportResponse {
  status: number;
  /** returns the whole body, decoded as UTF-8; this consumes the body, so call either `text` or `bytes`, not both */
  text(): Promise<string>;
  /** yields the body as it arrives; leaving the loop early aborts the request */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface SocketListener {
  onOpen(): void;
  onMessage(text: string): void;
  /**
   * Called exactly once, even if the socket was never opened.
   * @param failure why the socket could not be opened or was lost, or null if either side closed it normally
   */
  onClose(failure: Error | null): void;
}

export interface TransportSocket {
  send(text: string): void;
  close(): void;
}

/**
 * The means by which a client reaches a server: a local socket, TCP, a browser's fetch and WebSocket, or a connected
 * pair in memory.
 */
export interface Transport {
  /**
   * @throws UnreachableError if the server cannot be reached
   * @throws ConnectionLostError if the connection was closed before the response was complete
   */
  request(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Opens a WebSocket. The listener is never called before this function has returned.
   * @param protocols the WebSocket subprotocols, which browsers use to send the token
   */
  connect(path: string, protocols: readonly string[], listener: SocketListener): TransportSocket;
}

/** No server is listening at the address. The request was not sent. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/**
 * The connection was closed before the response arrived, so it is unknown whether the server carried out the request.
 */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
}
