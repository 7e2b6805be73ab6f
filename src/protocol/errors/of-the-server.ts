import { type CatalogueEntry, EXIT, UNAVAILABLE, WRONG_USE } from './catalogue-entry.ts';

/** Errors concerning the server, its home, or the machine. */
export const SERVER_ERRORS = {
  internal: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'CBOS encountered an internal error',
    hint: 'See server.log in the home directory for details',
  },
  disk_full: {
    status: 507,
    exit: EXIT.failed,
    meaning:
      'The disk that holds the home directory is full, so the request could not be recorded and was not carried out',
    hint: 'Free some space, then try again; `cbos doctor` shows where',
  },
  process_limit: {
    ...UNAVAILABLE,
    meaning: 'The system does not allow another process to start',
    hint: "Raise the limit (`ulimit -u`, TasksMax of the service, pids.max of a container), or end processes that you don't need",
  },
  home_read_only: {
    status: 507,
    exit: EXIT.failed,
    meaning:
      'The home directory is on a read-only file system, so the request could not be recorded and was not carried out',
    hint: 'Make the file system writable again (mount -o remount,rw, or fsck after errors); sessions keep running',
  },
  database_damaged: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'The database, cbos.db in the home directory, is damaged',
    hint: '`cbos doctor` shows the damage and how to repair it',
  },
  home_gone: {
    ...UNAVAILABLE,
    meaning:
      "The server's home directory was removed or moved while the server was running, so the server stopped; sessions keep running",
    hint: '`cbos up` creates a new home directory in its place and lists the sessions that run in Screen',
  },
  version_mismatch: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'The client and the server have different versions',
    hint: 'Restart the server: `cbos down && cbos up`',
  },

  no_server: { status: 503, exit: EXIT.noServer, meaning: "CBOS isn't running", hint: 'Start it: cbos up' },
  server_running: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'CBOS is already running',
    hint: '`cbos down` stops it',
  },
  port_taken: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'Another program is listening on the port',
    hint: 'Choose another port: `cbos up --port PORT`',
  },
  no_systemd: {
    ...UNAVAILABLE,
    meaning: "systemd isn't running for this user, so it cannot manage services",
    hint: '`cbos up` runs the server without systemd; in WSL, `systemd=true` under [boot] in /etc/wsl.conf enables it',
  },
  invalid_setting: {
    ...WRONG_USE,
    meaning: 'A setting has an invalid value',
    hint: 'Change or remove the setting that the message names',
  },
  timed_out: {
    status: 504,
    exit: EXIT.timedOut,
    meaning: 'What the command was waiting for did not happen in time',
    hint: 'Give the command more time with --timeout',
  },
} as const satisfies Record<string, CatalogueEntry>;
