import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MessageBus } from 'dbus-native';
import { z } from 'zod';
import { escapeMarkup } from '../../text/escape-markup.ts';
import { causeOf } from './http-request.ts';
import {
  type Attempt,
  keepListening,
  type Listening,
  pressData,
  readPress,
  type SinkDriver,
  type SinkMessage,
} from './sink-driver.ts';

/** How many buttons to offer on a desktop. GNOME shows three. */
const MOST_BUTTONS = 3;
/**
 * How much of a body is visible on every desktop. GNOME Shell shows six lines of about 50 characters (46 when
 * expanded).
 */
const SHOWN = { columns: 45, lines: 6 };
const NAME = 'org.freedesktop.Notifications';
const PLACE = { destination: NAME, path: '/org/freedesktop/Notifications', interface: NAME };
const ACTIONS = `type='signal',interface='${NAME}',path='${PLACE.path}',member='ActionInvoked'`;
const CALL_LIMIT_MS = 10_000;
const NORMAL_URGENCY = 1;
/** The notification remains until someone answers or closes it. */
const NEVER_EXPIRES = 0;

const Capabilities = z.array(z.string());
const NotificationId = z.int().positive();
const Invoked = z.tuple([z.int(), z.string()]);

/**
 * Returns the address of the bus for a user's desktop. A server that was started outside the desktop, by systemd or
 * over SSH, looks for the bus where systemd creates it.
 */
export function findDesktopBus(environment: Readonly<Record<string, string | undefined>>): string | null {
  const { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: directory } = environment;
  if (address !== undefined && address !== '') return address;
  const socket = directory === undefined ? null : join(directory, 'bus');
  return socket !== null && existsSync(socket) ? `unix:path=${socket}` : null;
}

/** A connection to the service that shows notifications on a desktop. */
interface Desktop {
  bus: MessageBus;
  /** the last known address of the program that shows notifications; a program that replaces it has another address */
  owner: string;
  canAct: boolean;
  hasMarkup: boolean;
  /** resolves with the reason when the connection closes */
  ended: Promise<string>;
}

/**
 * Shows notifications on the desktop of the user at this machine, over D-Bus (Desktop Notifications Specification 1.3).
 * The key of an action is the data of its button. CBOS keeps one connection open, because some desktops remove a
 * program's notifications once the program has left the bus, and report actions only to the program that showed the
 * notification.
 * @param options.bus the address of the user's bus, or null if the server has none
 */
export function openDesktop(options: { bus: string | null }): SinkDriver {
  let connected: Promise<Desktop> | null = null;

  function desktop(): Promise<Desktop> {
    connected ??= connect(options.bus, () => {
      connected = null;
    });
    return connected;
  }

  async function notify({ bus, canAct, hasMarkup }: Desktop, message: Omit<SinkMessage, 'session'>): Promise<number> {
    const { Variant } = await import('dbus-native');
    const { id, code, title, body, buttons } = message;
    const actions = canAct ? buttons.flatMap(({ key, label }) => [pressData(code, key), label]) : [];
    const shown = hasMarkup ? escapeMarkup(body) : body;
    const hints = { urgency: new Variant('y', NORMAL_URGENCY) };
    const content = ['CBOS', ownId(id), 'dialog-question', title, shown, actions, hints, NEVER_EXPIRES];
    const call = { ...PLACE, member: 'Notify', signature: 'susssasa{sv}i', body: content };
    return NotificationId.parse(await bus.invoke(call, { timeout: CALL_LIMIT_MS }));
  }

  async function send(message: SinkMessage): Promise<Attempt> {
    let reached: Desktop;
    try {
      reached = await desktop();
    } catch (error) {
      return { kind: 'unsent', error: reasonOf(error), afterMs: null };
    }
    try {
      const id = await notify(reached, message);
      reached.owner = await ownerOn(reached.bus);
      return { kind: 'sent', remote: `${reached.owner} ${id}` };
    } catch (error) {
      return { kind: isRefusal(error) ? 'unsent' : 'unsure', error: reasonOf(error), afterMs: null };
    }
  }

  async function close(_: SinkMessage, remote: string | null): Promise<Attempt> {
    const [owner, id] = remote?.split(' ') ?? [];
    try {
      const reached = await desktop();
      // The program that showed the notification has exited, and the notification has disappeared with it.
      if ((await ownerOn(reached.bus)) !== owner) return { kind: 'sent', remote };
      const call = { ...PLACE, member: 'CloseNotification', signature: 'u', body: [Number(id)] };
      await reached.bus.invoke(call, { timeout: CALL_LIMIT_MS });
      return { kind: 'sent', remote };
    } catch (error) {
      // The user has already closed the notification.
      if (isRefusal(error)) return { kind: 'sent', remote };
      return { kind: 'unsent', error: reasonOf(error), afterMs: null };
    }
  }

  async function listen(listening: Listening): Promise<void> {
    const { onFault, onPress } = listening;
    await keepListening(listening, async () => {
      try {
        const reached = await desktop();
        const { bus, ended } = reached;
        await bus.invokeDbus({ member: 'AddMatch', signature: 's', body: [ACTIONS] });
        bus.connection.on('message', ({ sender, interface: of, member, body }) => {
          // Every program on the bus can send such a signal.
          if (sender !== reached.owner || of !== NAME || member !== 'ActionInvoked') return;
          const { data: [, key] = [] } = Invoked.safeParse(body);
          const press = readPress(key);
          if (press !== null) void answer(press, reached).catch((error: unknown) => onFault(reasonOf(error)));
        });
        onFault(null);
        return await ended;
      } catch (error) {
        return reasonOf(error);
      }
    });

    async function answer(press: Parameters<typeof onPress>[0], reached: Desktop): Promise<void> {
      const { isOurs, isDone, text } = await onPress(press);
      // The answer to a test message cannot be shown anywhere else, and if pressing a button did nothing, the user
      // needs an explanation.
      if (!isOurs || isDone) return;
      await notify(reached, { id: press.code, code: press.code, title: 'CBOS', body: text, buttons: [] });
    }
  }

  return {
    to: "this machine's desktop",
    mostButtons: MOST_BUTTONS,
    shown: SHOWN,
    send,
    close,
    listen,
    dispose: () => {
      void connected?.then(({ bus }) => bus.connection.end()).catch(() => undefined);
    },
  };
}

/** @throws Error if there is no bus, or if no program on the bus shows notifications */
async function connect(address: string | null, onEnd: () => void): Promise<Desktop> {
  let bus: MessageBus | null = null;
  try {
    if (address === null) throw new Error('the server has no desktop (DBUS_SESSION_BUS_ADDRESS is not set)');
    const { sessionBus } = await import('dbus-native');
    bus = sessionBus({ busAddress: address });
    const { connection } = bus;
    const ended = new Promise<string>((resolve) => {
      connection.once('error', (error) => resolve(reasonOf(error)));
      connection.once('close', () => resolve('the desktop closed the connection'));
    });
    void ended.then(onEnd);
    const reachable = bus;
    const call = { ...PLACE, member: 'GetCapabilities' };
    const isReached = async () => {
      // The first call starts the program that shows notifications, if the bus knows such a program.
      const capabilities = Capabilities.parse(await reachable.invoke(call, { timeout: CALL_LIMIT_MS }));
      return { capabilities, owner: await ownerOn(reachable) };
    };
    const fails = ended.then((reason) => Promise.reject(new Error(reason)));
    const { capabilities, owner } = await Promise.race([isReached(), fails]);
    fails.catch(() => undefined);
    const canAct = capabilities.includes('actions');
    return { bus: reachable, owner, ended, canAct, hasMarkup: capabilities.includes('body-markup') };
  } catch (error) {
    onEnd();
    bus?.connection.end();
    throw error;
  }
}

async function ownerOn(bus: MessageBus): Promise<string> {
  const call = { member: 'GetNameOwner', signature: 's', body: [NAME] };
  return z.string().parse(await bus.invokeDbus(call, { timeout: CALL_LIMIT_MS }));
}

/**
 * Chooses the id of a notification, which is always the same for the same message. If CBOS shows a notification again
 * after a crash, a desktop that accepts ids from its callers therefore replaces the first one. Other desktops choose an
 * id themselves.
 */
function ownId(messageId: string): number {
  const FIRST_LARGE = 0x4000_0000;
  return FIRST_LARGE + (createHash('sha256').update(messageId).digest().readUInt32BE() & (FIRST_LARGE - 1));
}

/** The D-Bus errors that mean that a call or the answer to it was lost. */
const LOST: ReadonlySet<string> = new Set(
  ['NoReply', 'Timeout', 'TimedOut', 'Disconnected'].map((name) => `org.freedesktop.DBus.Error.${name}`),
);

/** Reports whether the desktop itself refused a call. If so, the call cannot have been carried out. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'dbusName' in error && typeof error.dbusName === 'string' && !LOST.has(error.dbusName);

const reasonOf = (error: unknown): string => causeOf(error).message;
