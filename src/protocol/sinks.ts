import { z } from 'zod';
import { SLUG_PATTERN } from './names.ts';
import { Timestamp } from './words.ts';

/** The protocols that sinks can use. */
export const SINK_KINDS = ['ntfy', 'webhook', 'telegram', 'slack', 'email', 'desktop'] as const;
export const SinkKind = z.enum(SINK_KINDS);
export type SinkKind = z.infer<typeof SinkKind>;

/** A sink's name follows the rules for session names. */
const SinkName = z.string().regex(SLUG_PATTERN, 'a name is 1 to 64 letters, digits, - and _');

const LONGEST_URL = 2_000;
const LONGEST_SECRET = 500;
/** the maximum length of an e-mail address (RFC 5321, 4.5.3.1.3) */
const LONGEST_ADDRESS = 254;
/**
 * The maximum time in a sink's rule, which is a day. If a question has been open for longer, it belongs in the list,
 * not on a phone.
 */
const LONGEST_RULE_S = 86_400;

/** Messages contain sessions' questions and the sink's secrets, so unencrypted HTTP is allowed only to this machine. */
const SinkUrl = z
  .url()
  .max(LONGEST_URL)
  .regex(/^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(\/|$))/, {
    error: 'must use https, or be on this machine',
  });
const Seconds = z.int().min(0).max(LONGEST_RULE_S);
const Secret = z.string().min(1).max(LONGEST_SECRET);

/** The conditions under which a sink sends a message. */
export const SinkRules = z
  .strictObject({
    after_s: Seconds.optional().meta({
      description:
        'How long a question must be open before the sink gets it, in seconds; default: 15. To escalate, use a second sink with a longer time',
    }),
    away_s: Seconds.optional().meta({
      description:
        'Nothing is sent if a person looked at a session or used a face less than this many seconds ago; default: 60',
    }),
    quiet: z
      .string()
      .regex(/^\d\d:\d\d-\d\d:\d\d$/, 'write 22:00-07:00')
      .optional()
      .meta({
        description:
          'Nothing is sent between these times of the day; questions that are still open afterwards are sent then',
      }),
    timezone: z.string().min(1).max(64).optional().meta({
      description: "The time zone of `quiet`, such as `Europe/Berlin`; default: that of the server's machine",
    }),
    answers: z.boolean().optional().meta({
      description: 'Whether its messages have buttons that answer; default: false',
    }),
  })
  .meta({ id: 'SinkRules' });
export type SinkRules = z.infer<typeof SinkRules>;

const NewNtfy = SinkRules.extend({
  name: SinkName,
  kind: z.literal('ntfy'),
  url: SinkUrl.optional().meta({ description: 'The server; default: https://ntfy.sh' }),
  topic: z
    .string()
    .regex(/^[-_A-Za-z0-9]{1,64}$/, 'a topic is 1 to 64 letters, digits, - and _')
    .optional()
    .meta({ description: 'Default: one that nobody can guess' }),
  token: Secret.optional().meta({ description: 'Access token, if the server needs one' }),
});

const NewWebhook = SinkRules.extend({
  name: SinkName,
  kind: z.literal('webhook'),
  url: SinkUrl,
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,120}={0,2}$/, 'a secret is whsec_ followed by at least 24 bytes in base64')
    .optional()
    .meta({ description: 'Default: a new secret, which the response contains' }),
});

const NewTelegram = SinkRules.extend({
  name: SinkName,
  kind: z.literal('telegram'),
  url: SinkUrl.optional().meta({ description: 'The Bot API; default: https://api.telegram.org' }),
  chat: z
    .string()
    .regex(/^-?\d{1,20}$/, 'a chat is a number')
    .meta({ description: 'The only chat that gets the messages and from which button presses are accepted' }),
  token: z
    .string()
    .regex(/^\d{1,20}:[-_A-Za-z0-9]{1,100}$/, 'a token looks like 123456:ABC-DEF')
    .meta({ description: 'The bot token, from @BotFather' }),
});

const NewSlack = SinkRules.extend({
  name: SinkName,
  kind: z.literal('slack'),
  url: SinkUrl.optional().meta({ description: 'The Web API; default: https://slack.com/api' }),
  channel: z
    .string()
    .regex(/^[CDG][A-Z0-9]{2,30}$/, 'a channel is its id, such as C0123456789')
    .meta({
      description: 'The id of the only channel that gets the messages and from which button presses are accepted',
    }),
  token: z
    .string()
    .regex(/^xoxb-[-A-Za-z0-9]{1,200}$/, "a bot's token begins with xoxb-")
    .meta({ description: 'The bot token' }),
  app_token: z
    .string()
    .regex(/^xapp-[-A-Za-z0-9]{1,300}$/, 'an app-level token begins with xapp-')
    .optional()
    .meta({ description: 'The app-level token for Socket Mode; needed with `answers`' }),
}).refine(({ answers, app_token: token }) => answers !== true || token !== undefined, {
  path: ['app_token'],
  error: 'answers need an app-level token, for Socket Mode',
});

const Address = z.email().max(LONGEST_ADDRESS);
/** The parts of a mail server's address, except for the password. */
const MAIL_URL = /^smtps?:\/\/([^\s:@/]+@)?([\w.-]+|\[[\da-fA-F:]+\])(:\d{1,5})?\/?$/;

const NewEmail = SinkRules.omit({ answers: true }).extend({
  name: SinkName,
  kind: z.literal('email'),
  url: z.string().max(LONGEST_URL).regex(MAIL_URL, 'write smtps://USER@HOST:PORT, or smtp:// for STARTTLS').meta({
    description:
      'The mail server: `smtps://user@host:465`, or `smtp://user@host:587`, which requires STARTTLS unless the server is on this machine',
  }),
  from: Address,
  to: Address,
  password: Secret.optional().meta({ description: "The user's password, if the server needs one" }),
});

const NewDesktop = SinkRules.extend({ name: SinkName, kind: z.literal('desktop') });

export const NewSink = z
  .discriminatedUnion('kind', [NewNtfy, NewWebhook, NewTelegram, NewSlack, NewEmail, NewDesktop])
  .meta({ id: 'NewSink' });
export type NewSink = z.infer<typeof NewSink>;

/** A sink, as all faces show it, without its secrets. */
export const Sink = z
  .object({
    name: z.string(),
    kind: SinkKind,
    to: z.string().meta({ description: 'Where the messages go, without secrets' }),
    after_s: z.int(),
    away_s: z.int(),
    quiet: z.string().nullable(),
    timezone: z.string().nullable(),
    answers: z.boolean(),
    created_at: Timestamp,
    waiting: z.int().meta({ description: 'Messages that have not been sent yet' }),
    sent: z.int().meta({ description: 'Messages that were sent in the last seven days' }),
    fault: z.string().nullable().meta({ description: 'Why the last attempt failed; null once one succeeds' }),
  })
  .meta({ id: 'Sink' });
export type Sink = z.infer<typeof Sink>;

export const AddedSink = Sink.extend({
  shown_once: z.string().nullable().meta({
    description:
      'The topic or signing secret that was generated for the sink, which is never shown again; null if none was generated',
  }),
}).meta({ id: 'AddedSink' });
export type AddedSink = z.infer<typeof AddedSink>;
