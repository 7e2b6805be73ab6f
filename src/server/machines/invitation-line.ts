import { z } from 'zod';
import { CatalogueError, SharedServer } from '../../protocol/index.ts';

/** The prefix of an invitation, by which users and programs can recognize one. */
const PREFIX = 'cbos-invitation-1.';

const Content = z.object({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535),
  /** the certificate of the fleet's certificate authority, in DER format and encoded as base64 */
  authority: z.base64(),
  /** a shared NATS server; its credentials are not part of an invitation */
  shared: SharedServer.omit({ credentials: true }).optional(),
  /** the port of the loopback interface from which a tunnel leads to the founder */
  through: z.int().min(1).max(65_535).optional(),
  founder: z.string(),
  /** the secret of the invitation, which can be used only once */
  seed: z.string(),
});

export interface InvitationContent {
  host: string;
  port: number;
  /** PEM */
  authority: string;
  shared?: Omit<SharedServer, 'credentials'> | undefined;
  through?: number | undefined;
  founder: string;
  seed: string;
}

/** The longest line that a terminal passes on when a user pastes it (4,095 bytes on Linux), with a margin. */
const LONGEST_LINE = 4_000;

/**
 * Writes an invitation. If the authority of a shared NATS server makes the line too long to be pasted, the joining
 * machine has to name the authority itself.
 */
export function writeInvitation({ authority, shared, ...content }: InvitationContent): string {
  const der = authority.replaceAll(/-----[A-Z ]+-----|\s/g, '');
  const write = (server: InvitationContent['shared']): string =>
    `${PREFIX}${Buffer.from(JSON.stringify({ ...content, shared: server, authority: der })).toString('base64url')}`;
  const line = write(shared);
  return shared === undefined || line.length <= LONGEST_LINE ? line : write({ ...shared, authority: null });
}

/** @throws CatalogueError invalid_invitation */
export function readInvitation(line: string): InvitationContent {
  const text = line.trim();
  const content = text.startsWith(PREFIX) ? parse(text.slice(PREFIX.length)) : null;
  if (content === null) {
    throw new CatalogueError('invalid_invitation', "This isn't a complete line from `cbos fleet invite`");
  }
  return { ...content, authority: toPem(content.authority) };
}

function parse(encoded: string): z.output<typeof Content> | null {
  try {
    return Content.safeParse(JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const PEM_LINE = /.{1,64}/g;

function toPem(der: string): string {
  const lines = der.match(PEM_LINE) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
