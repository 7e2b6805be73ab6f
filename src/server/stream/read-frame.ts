import type { z } from 'zod';
import { CatalogueError } from '../../protocol/index.ts';
import { invalidRequest } from '../http/error-response.ts';

/**
 * Parses a client's frame.
 * @param text the text of the frame; null for a binary frame
 * @throws CatalogueError invalid_request
 */
export function readFrame<S extends z.ZodType>(schema: S, text: string | null): z.output<S> {
  if (text === null)
    throw new CatalogueError('invalid_request', 'frame: binary frames are not supported; send text frames');
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw invalidRequest(parsed.error, 'frame');
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CatalogueError('invalid_request', 'frame: not valid JSON', { cause: error });
  }
}
