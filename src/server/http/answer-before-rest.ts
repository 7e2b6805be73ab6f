/**
 * How much of a refused body is read: what a client that sends while it waits for the response has on the way, or a
 * whole small file, if the client reads the response only after it has sent the body.
 */
const MOST_DRAINED_BYTES = 16 * 1024 * 1024;

/**
 * Sends the response to a refused upload at once, and then discards the rest of the body before the response ends. If
 * the server closed the connection while the client still sends, the client would report a broken connection instead of
 * the error. The connection of a client that sends more than a small rest is closed.
 */
export async function answerBeforeRest(response: Response, body: Request['body']): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  // With the length, the client knows that the response is complete.
  headers.set('content-length', String(bytes.length));
  const sent = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes),
    pull: async (controller) => {
      await drain(body);
      controller.close();
    },
  });
  return new Response(sent, { status: response.status, headers });
}

async function drain(body: Request['body']): Promise<void> {
  let left = MOST_DRAINED_BYTES;
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      left -= chunk.length;
      if (left < 0) return;
    }
  } catch {
    // The client has closed the connection.
  }
}
