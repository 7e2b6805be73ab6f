import { type SinkAnswer, type SinkServer, startSinkServer } from './sink-server.ts';

interface Button {
  text: string;
  callback_data: string;
}

export interface TelegramMessage {
  message_id: number;
  chat: { id: number };
  /** whether the bot wrote it */
  isOwn: boolean;
  text: string;
  buttons: Button[];
}

/** The part of Telegram's Bot API that a bot needs in order to write to a chat and receive button presses. */
export interface TelegramServer extends SinkServer {
  /** the messages in the chats, without deleted ones */
  messages: TelegramMessage[];
  /** the notices that were shown when buttons were pressed */
  toasts: { id: string; text: string; isAlert: boolean }[];
  /** Presses a button, possibly on an old message. @returns the id of the callback */
  press(message: TelegramMessage, button: Button | undefined): string;
  /** Writes to the chat as some person. */
  say(chat: number, text: string): void;
  /** reports whether a bot is currently waiting for updates */
  isHeard(): boolean;
}

export const BOT_TOKEN = '4711:the-token_of-the-bot';

/** Starts a server that uses the formats and messages of Bot API 9.2: https://core.telegram.org/bots/api */
export async function startTelegram(): Promise<TelegramServer> {
  const messages: TelegramMessage[] = [];
  const toasts: TelegramServer['toasts'] = [];
  let updates: { update_id: number; [kind: string]: unknown }[] = [];
  let lastMessage = 100;
  let lastUpdate = 5_000;
  let waiting: { offset: number; answer: (answer: SinkAnswer) => void; timer: NodeJS.Timeout } | null = null;

  const ok = (result: unknown): SinkAnswer => ({ status: 200, body: { ok: true, result } });
  const failed = (code: number, description: string, more: object = {}): SinkAnswer => ({
    status: code,
    body: { ok: false, error_code: code, description, ...more },
  });
  const shown = ({ message_id, chat, text }: TelegramMessage): object => ({
    message_id,
    chat: { ...chat, type: 'private' },
    date: 1_790_000_000,
    text,
  });
  const flush = (): void => {
    if (waiting === null) return;
    const due = updates.filter(({ update_id }) => update_id >= (waiting?.offset ?? 0));
    if (due.length === 0) return;
    clearTimeout(waiting.timer);
    waiting.answer(ok(due));
    waiting = null;
  };
  const happen = (update: object): void => {
    lastUpdate += 1;
    updates.push({ update_id: lastUpdate, ...update });
    flush();
  };
  const buttonsOf = (body: { reply_markup?: { inline_keyboard?: Button[][] } }): Button[] =>
    body.reply_markup?.inline_keyboard?.flat() ?? [];

  const server = await startSinkServer({
    busy: failed(429, 'Too Many Requests: retry after 3', { parameters: { retry_after: 3 } }),
    answer: ({ url, body: text }, response) => {
      const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
      if (token !== BOT_TOKEN) return failed(401, 'Unauthorized');
      const body = text === '' ? {} : JSON.parse(text);
      switch (method) {
        case 'sendMessage': {
          if (typeof body.text !== 'string' || body.text === '')
            return failed(400, 'Bad Request: message text is empty');
          if (body.text.length > 4_096) return failed(400, 'Bad Request: message is too long');
          if (buttonsOf(body).some(({ callback_data: data }) => Buffer.byteLength(data) > 64))
            return failed(400, 'Bad Request: BUTTON_DATA_INVALID');
          lastMessage += 1;
          const chat = { id: Number(body.chat_id) };
          const message = { message_id: lastMessage, chat, isOwn: true, text: body.text, buttons: buttonsOf(body) };
          messages.push(message);
          return ok(shown(message));
        }
        case 'editMessageText': {
          const found = messages.find(
            (one) => one.message_id === body.message_id && String(one.chat.id) === body.chat_id,
          );
          if (found === undefined) return failed(400, 'Bad Request: message to edit not found');
          if (!found.isOwn) return failed(400, "Bad Request: message can't be edited");
          const buttons = buttonsOf(body);
          if (found.text === body.text && JSON.stringify(found.buttons) === JSON.stringify(buttons))
            return failed(
              400,
              'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
            );
          Object.assign(found, { text: body.text, buttons });
          return ok(shown(found));
        }
        case 'answerCallbackQuery':
          toasts.push({ id: body.callback_query_id, text: body.text, isAlert: body.show_alert === true });
          return ok(true);
        case 'getUpdates':
          return new Promise((answer) => {
            const conflict =
              'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
            waiting?.answer(failed(409, conflict));
            clearTimeout(waiting?.timer);
            updates = updates.filter(({ update_id }) => update_id >= (body.offset ?? 0));
            const timer = setTimeout(() => answer(ok([])), (body.timeout ?? 0) * 1_000);
            timer.unref();
            const own = { offset: body.offset ?? 0, answer, timer };
            waiting = own;
            response.once('close', () => {
              clearTimeout(timer);
              if (waiting === own) waiting = null;
            });
            flush();
          });
        default:
          return failed(404, 'Not Found: method not found');
      }
    },
  });
  return Object.assign(server, {
    messages,
    toasts,
    isHeard: () => waiting !== null,
    press: (message: TelegramMessage, button: Button | undefined) => {
      const id = `callback-${lastUpdate + 1}`;
      const from = { id: 7, is_bot: false, first_name: 'Ada' };
      happen({
        callback_query: { id, from, message: shown(message), chat_instance: 'x', data: button?.callback_data },
      });
      return id;
    },
    say: (chat: number, text: string) => {
      lastMessage += 1;
      const message = { message_id: lastMessage, chat: { id: chat }, isOwn: false, text, buttons: [] };
      messages.push(message);
      happen({ message: shown(message) });
    },
  });
}
