import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createBroker, type MessageBus, sessionBus } from 'dbus-native';
import type { SinkServer } from './sink-server.ts';
import { createWorld, type World } from './world.ts';

export interface ShownNotification {
  id: number;
  title: string;
  body: string;
  actions: { key: string; label: string }[];
  urgency: unknown;
}

/** A D-Bus bus with a program that shows notifications, as a desktop has them. */
export interface TestDesktop extends AsyncDisposable {
  /** the address of the bus */
  bus: string;
  /** one entry for each notification that a program wanted to show */
  requests: unknown[];
  shown: Map<number, ShownNotification>;
  /** every notification that was ever shown, in order, including those that replaced another */
  all: ShownNotification[];
  faultOf: SinkServer['faultOf'];
  /** Presses a button, possibly on an old notification. */
  press(notification: Pick<ShownNotification, 'id'>, action: { key: string } | undefined): void;
  /** Presses a button in another program's name. */
  forge(notification: Pick<ShownNotification, 'id'>, action: { key: string } | undefined): Promise<void>;
  /** Restarts the program that shows notifications, without any of them. */
  restart(): Promise<void>;
}

const NAME = 'org.freedesktop.Notifications';
const PATH = '/org/freedesktop/Notifications';
const METHODS = {
  GetCapabilities: ['', 'as', [], []],
  Notify: ['susssasa{sv}i', 'u', [], []],
  CloseNotification: ['u', '', [], []],
} satisfies Record<string, [string, string, string[], string[]]>;

/**
 * Starts a desktop that follows the Desktop Notifications Specification 1.3: if the caller chooses a notification's id,
 * the notification has that id. The bus is the real dbus-daemon, or a small one in this process if the machine has
 * none.
 */
export async function startDesktop({ capabilities = ['body', 'actions', 'body-markup'] } = {}): Promise<TestDesktop> {
  const world = createWorld();
  const socket = join(world.dir, 'bus');
  const bus = hasDaemon ? await startDaemon(socket, world) : await startBroker(socket);
  const address = `unix:path=${socket}`;
  const shown: TestDesktop['shown'] = new Map();
  const all: TestDesktop['all'] = [];
  let lastId = 0;
  let program = await openProgram();

  async function open(): Promise<MessageBus> {
    const client = sessionBus({ busAddress: address });
    client.connection.on('error', () => undefined);
    await client.invokeDbus({ member: 'GetId' });
    return client;
  }

  async function openProgram(): Promise<MessageBus> {
    const client = await open();
    const failed = (name: string): Error =>
      Object.assign(new Error('no'), { dbusName: `org.freedesktop.DBus.Error.${name}` });
    const methods = {
      GetCapabilities: () => capabilities,
      Notify: (
        _: string,
        replaces: number,
        __: string,
        title: string,
        body: string,
        words: string[],
        hints: { urgency?: unknown },
      ) => {
        started.requests.push(title);
        const fault = started.faultOf();
        if (fault !== null && fault !== 'after') throw failed('LimitsExceeded');
        lastId += 1;
        const id = replaces === 0 ? lastId : replaces;
        const actions = words.flatMap((key, index) =>
          index % 2 === 0 ? [{ key, label: words[index + 1] ?? '' }] : [],
        );
        const notification = { id, title, body, actions, urgency: hints.urgency };
        shown.set(id, notification);
        all.push(notification);
        if (fault === 'after') throw failed('NoReply');
        return id;
      },
      CloseNotification: (id: number) => {
        if (!shown.delete(id)) throw failed('InvalidArgs');
        return null;
      },
    };
    client.exportInterface(methods, PATH, {
      name: NAME,
      methods: METHODS,
      signals: { ActionInvoked: ['us', 'id', 'key'] },
    });
    await client.invokeDbus({ member: 'RequestName', signature: 'su', body: [NAME, 0] });
    return client;
  }
  const invoke = (client: MessageBus, id: number, key: string): void =>
    client.sendSignal(PATH, NAME, 'ActionInvoked', 'us', [id, key]);

  const started: TestDesktop = {
    bus: address,
    requests: [],
    shown,
    all,
    faultOf: () => null,
    press: ({ id }, action) => invoke(program, id, action?.key ?? 'none'),
    forge: async ({ id }, action) => {
      const other = await open();
      invoke(other, id, action?.key ?? 'none');
      // Once the bus has answered, it has passed on the signal.
      await other.invokeDbus({ member: 'GetId' });
      other.connection.end();
    },
    restart: async () => {
      program.connection.end();
      shown.clear();
      program = await openProgram();
    },
    [Symbol.asyncDispose]: async () => {
      program.connection.end();
      await bus.close();
      await world.dispose();
    },
  };
  return started;
}

const hasDaemon = spawnSync('dbus-daemon', ['--version']).status === 0;

interface Bus {
  close(): Promise<void>;
}

async function startDaemon(socket: string, world: World): Promise<Bus> {
  const options = ['--session', '--nofork', '--nopidfile', '--print-address', `--address=unix:path=${socket}`];
  const daemon = spawn('dbus-daemon', options, { env: world.env, stdio: ['ignore', 'pipe', 'ignore'] });
  world.onDispose(() => void daemon.kill('SIGKILL'));
  const ended = once(daemon, 'exit');
  // The daemon prints its address once it is listening.
  await once(daemon.stdout, 'data');
  return {
    close: async () => {
      daemon.kill();
      await ended;
    },
  };
}

async function startBroker(socket: string): Promise<Bus> {
  const broker = createBroker();
  await new Promise<void>((resolve) => broker.listen({ socket }, () => resolve()));
  return { close: () => new Promise<void>((resolve) => broker.close(resolve)) };
}
