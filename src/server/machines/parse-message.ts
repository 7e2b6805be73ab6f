/** Parses a message. Returns null if it is not valid JSON, because another machine may send anything. */
export function parseMessage(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}
