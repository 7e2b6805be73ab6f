import type { Caller, Client } from '../client/index.ts';
import type {
  Because,
  Detail,
  Explanation,
  Health,
  Primary,
  ResolvedSetting,
  Session,
  SettingName,
  Settings,
  State,
} from '../protocol/index.ts';
import type { TerminalIo } from './terminal-io.ts';

/** Settings given as flags, exactly as typed. The host parses and validates them like settings from the environment. */
export type SettingFlags = Partial<Record<SettingName, string>>;

/** One line of the output of `cbos doctor`. */
export interface DoctorCheck {
  /** what was checked, in a few words, such as "GNU Screen" */
  name: string;
  outcome: 'ok' | 'warning' | 'fault';
  /** what was found, in one line, such as "4.9.0 at /usr/bin/screen" */
  detail: string;
  /** how to fix the problem, in one line, or null if nothing is wrong */
  cure: string | null;
}

/** The state of the systemd user service, as reported by systemd. */
export interface ServiceState {
  /** the path of the unit file, or null if the service is not installed */
  unitFile: string | null;
  running: boolean;
  /** whether the service starts when the user logs in, or at boot if lingering is enabled for the user */
  enabled: boolean;
  /** other facts that the user should know or act on, one line each */
  notes: readonly string[];
}

export interface ServeRequest {
  flags: SettingFlags;
  /** aborting this signal stops the server; its sessions stay alive */
  signal: AbortSignal;
  /**
   * called once, when the server is ready. @param reach text that says who else can reach the server, or null if only
   * this machine can
   */
  onReady(address: string, reach?: string | null): void;
}

export interface StartRequest {
  flags: SettingFlags;
  /** called with a line that says what CBOS is waiting for, such as "starting the server" */
  onProgress(line: string): void;
}

export interface TuiRequest {
  client: Client;
  io: TerminalIo;
  /** called with a line that says what CBOS is waiting for, such as "starting the server" */
  onProgress(line: string): void;
}

export interface DemoRequest {
  /** how to show the sessions: in the terminal UI, on the page, or as lines that report what happens */
  face: 'terminal' | 'page' | 'lines';
  /** aborting this signal ends the demo */
  signal: AbortSignal;
  /** called with a line to show to the user who runs the demo */
  onProgress(line: string): void;
}

/** A program to run on another machine, through the user's own ssh. */
export interface SshRequest {
  /** `[USER@]HOST` */
  destination: string;
  words: readonly string[];
  /** whether a user can type a passphrase, or accept a host key */
  isAttended: boolean;
}

/** What arrived from a program on another machine. After anything but a line, nothing arrives any more. */
export type SshEvent =
  | { kind: 'line'; line: string }
  | { kind: 'ended'; code: number | null; said: string }
  | { kind: 'flooded' }
  | { kind: 'late' };

export interface SshTalk {
  send(line: string): void;
  /** Resolves with the next line, or with the reason why there is none. */
  next(limitMs: number): Promise<SshEvent>;
  /** Ends the program's standard input. */
  finish(): void;
  close(): Promise<void>;
}

/** One line of the output of `cbos timeline`. */
export interface TimelineChange {
  /** the seconds since the start of the recording; always 0 if the recording has no timing */
  t: number;
  primary: Primary | null;
  detail: Detail | null;
  state: State;
  health: Health;
  because: Because;
}

/** A recording to read without a server. */
export interface RecordingChoice {
  /** a session's slug, or the path of a recording */
  recording: string;
  /** the path of the timing file, or null to use the file next to the recording, if there is one */
  timing: string | null;
  /** overrides the terminal size stored in the recording */
  cols: number | null;
  rows: number | null;
}

export type TimelineRequest = RecordingChoice;

export const EXPORT_FORMATS = ['asciicast', 'asciicast-v3', 'text', 'html'] as const;

export interface ExportRequest extends RecordingChoice {
  format: (typeof EXPORT_FORMATS)[number];
  /** the file to write, or null if none is written */
  output: string | null;
  /** called with the fraction of the recording that has been read, from 0 to 1 */
  onProgress(share: number): void;
}

export interface ExportResult {
  /** false if the recording has no timing; all times are then 0 */
  timed: boolean;
  /** the content of the exported file, in pieces */
  text: AsyncIterable<string>;
}

export interface ReplayRequest extends RecordingChoice {
  /** connects to the server, which is needed only for a recording on another machine, and for a session's files */
  client(): Promise<Caller>;
  /** whether the terminal's colours may be used */
  hasColours: boolean;
  /** the speed of the replay; 2 is twice as fast as the original */
  speed: number;
  /** the length to which longer silences are shortened, or null to keep them */
  idleLimitMs: number | null;
  /** where in the recording the replay begins */
  fromMs: number;
  /** called once, before anything is written */
  onStart(facts: { cols: number; rows: number; timed: boolean }): void;
  stage: {
    /** the terminal's size, or null if there is no terminal */
    size(): { cols: number; rows: number } | null;
    /** resolves when the terminal can accept more output */
    write(text: string): Promise<void>;
    /** Listens for keys. */
    onTyped(listener: (typed: string) => void): () => void;
    onResized(listener: () => void): () => void;
    /** aborting this signal ends the replay */
    signal: AbortSignal;
  };
}

/** A terminal of a session on another machine, shown in this terminal. */
export interface FarTerminalRequest {
  client: Pick<Caller, 'call'>;
  /** `machine/SESSION` */
  slug: string;
  /** returns milliseconds, for measuring durations */
  now(): number;
  stage: {
    size(): { cols: number; rows: number };
    /** resolves when there is room for more output */
    write(text: string): Promise<void>;
    onTyped(listener: (typed: string) => void): () => void;
    onResized(listener: () => void): () => void;
    /** aborting this signal leaves the terminal */
    signal: AbortSignal;
  };
}

export interface TimelineResult {
  /** false if the recording has no timing; no times are known then */
  timed: boolean;
  /** the changes, in chronological order */
  changes: TimelineChange[];
}

export interface MisdetectionRequest {
  slug: string;
  /** the correct status, as `primary/detail` */
  shouldBe: string;
  explanation: Explanation;
  /** the current time in Unix milliseconds */
  at: number;
}

/**
 * Everything that the command line needs from this machine in addition to the server's API. `main.ts` provides it, so
 * that the command line does not import the modules behind it. If an expected error occurs, every function rejects with
 * a `CatalogueError`.
 */
export interface LocalHost {
  /**
   * Resolves all settings and returns them with their origins, in the order of `SETTING_ROWS`.
   * @throws CatalogueError invalid_setting
   */
  settings(flags: SettingFlags): Promise<{ settings: Settings; rows: ResolvedSetting[] }>;
  /** Returns `http://HOST:PORT` as reported by the running server, or as configured if no server is running. */
  address(): Promise<string>;
  /**
   * Runs the server in this process until the signal is aborted.
   * @throws CatalogueError server_running, port_taken, invalid_setting
   */
  serve(request: ServeRequest): Promise<void>;
  /** Starts the server in a separate process, and resolves once it responds on the local socket. */
  startInBackground(request: StartRequest): Promise<'started' | 'already_running'>;
  /**
   * Checks that the server's process has not been stopped (by SIGSTOP, Ctrl-Z, or a debugger). A stopped process
   * neither answers nor refuses requests.
   * @throws CatalogueError no_server if the process is stopped
   */
  requireNotStopped(): Promise<void>;
  /** Stops this home's server, and resolves once its process has ended. Sessions stay alive. */
  stopServer(): Promise<'stopped' | 'not_running'>;
  /** Returns the API token, which is created if it does not exist yet. */
  readToken(): Promise<string>;
  /**
   * Replaces the token. A running server starts using the new one immediately. If it cannot, the error says what to do.
   * @throws CatalogueError invalid_setting if the token comes from the environment or config.toml
   */
  rotateToken(): Promise<string>;
  /** Returns the git branch of each folder, without running git. Folders outside a repository are omitted. */
  gitBranches(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns, by slug, the model that gave the last answer in each terminal session, where this machine can read it. */
  lastModels(sessions: readonly Session[]): Promise<ReadonlyMap<string, string>>;
  /** Reports whether a server has never run for this home before. */
  isFirstStart(): Promise<boolean>;
  /** Opens an address in the user's browser. Resolves to false if there is no desktop. */
  openInBrowser(url: string): Promise<boolean>;
  doctor(): AsyncIterable<DoctorCheck>;
  service: {
    install(): Promise<ServiceState>;
    uninstall(): Promise<'uninstalled' | 'not_installed'>;
    status(): Promise<ServiceState>;
  };
  /** Returns the program and arguments that attach to a session's own terminal. @param screenId `PID.NAME` */
  attachArgv(screenId: string): string[];
  /** Runs a program in this terminal, and resolves to its exit code. */
  runAttached(argv: readonly string[]): Promise<number>;
  /**
   * Shows the terminal of a session on another machine. Resolves when the user leaves the terminal or the session
   * stops.
   * @throws CatalogueError not_allowed_there, no_such_session, no_recording, machine_version
   */
  openFarTerminal(request: FarTerminalRequest): Promise<'left' | 'ended'>;
  /**
   * Starts a program on another machine through ssh.
   * @throws CatalogueError ssh_missing
   */
  openSsh(request: SshRequest): Promise<SshTalk>;
  /**
   * Runs the terminal UI until the user leaves it. Starts the server if none is running. Resolves to the exit code.
   * @throws CatalogueError no_server, timed_out
   */
  tui(request: TuiRequest): Promise<number>;
  demo(request: DemoRequest): Promise<void>;
  /**
   * Derives how the status changed over the course of a recording, from the recording's bytes alone and without a
   * server.
   * @throws CatalogueError no_recording
   */
  timeline(request: TimelineRequest): Promise<TimelineResult>;
  /**
   * Saves the evidence for a wrong status, so that it can be attached to a bug report. All text is replaced, except for
   * the words that rules look for. Resolves to the path of the file.
   */
  recordMisdetection(request: MisdetectionRequest): Promise<string>;
  /**
   * Exports a recording to another format.
   * @throws CatalogueError no_recording, invalid_request if the output is the recording itself
   */
  exportRecording(request: ExportRequest): Promise<ExportResult>;
  /**
   * Plays a recording. Resolves when the recording ends, the user presses the quit key, or the signal is aborted.
   * @throws CatalogueError no_recording
   */
  replay(request: ReplayRequest): Promise<void>;
}
