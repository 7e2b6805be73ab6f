import type { Client } from '../client/index.ts';
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

/** Settings from flags, exactly as typed. The host parses and checks them like those from the environment. */
export type SettingFlags = Partial<Record<SettingName, string>>;

/** One line of `cbos doctor`. */
export interface DoctorCheck {
  /** what was checked, in a few words: "GNU Screen" */
  name: string;
  outcome: 'ok' | 'warning' | 'fault';
  /** what was found, in one line: "4.9.0 at /usr/bin/screen" */
  detail: string;
  /** what to type or change, in one line, or null if nothing is wrong */
  cure: string | null;
}

/** The systemd user service, as far as systemd reports it. */
export interface ServiceState {
  /** path of the unit file, or null if it is not installed */
  unitFile: string | null;
  running: boolean;
  /** starts when the user logs in (or at boot, if lingering is enabled for the user) */
  enabled: boolean;
  /** other facts that a user should know or act on, one line each */
  notes: readonly string[];
}

export interface ServeRequest {
  flags: SettingFlags;
  /** aborted when the server should stop; its sessions stay alive */
  signal: AbortSignal;
  /**
   * called once, when the server answers. @param reach who else can reach the server, as text, or null for this machine
   * only
   */
  onReady(address: string, reach?: string | null): void;
}

export interface StartRequest {
  flags: SettingFlags;
  /** a line that names what CBOS is waiting for: "starting the server" */
  onProgress(line: string): void;
}

export interface TuiRequest {
  client: Client;
  io: TerminalIo;
  /** a line that names what CBOS is waiting for: "starting the server" */
  onProgress(line: string): void;
}

export interface DemoRequest {
  /**
   * where the fleet is shown: in the terminal UI in this terminal, on the page, or as lines that report what happens
   */
  face: 'terminal' | 'page' | 'lines';
  /** aborted when the demo should end */
  signal: AbortSignal;
  /** a line for the user who runs the demo */
  onProgress(line: string): void;
}

/** A line of `cbos timeline`. */
export interface TimelineChange {
  /** seconds from the start of the recording; always 0 if the recording has no timing */
  t: number;
  primary: Primary | null;
  detail: Detail | null;
  state: State;
  health: Health;
  because: Because;
}

/** A recording that is read without a server. */
export interface RecordingChoice {
  /** a session's slug, or the path of a recording */
  recording: string;
  /** path of the timing file, or null for the file next to the recording, if there is one */
  timing: string | null;
  /** overrides the size in the recording */
  cols: number | null;
  rows: number | null;
}

export type TimelineRequest = RecordingChoice;

export const EXPORT_FORMATS = ['asciicast', 'asciicast-v3', 'text', 'html'] as const;

export interface ExportRequest extends RecordingChoice {
  format: (typeof EXPORT_FORMATS)[number];
  /** the file that will be written, or null for none */
  output: string | null;
  /** called with the share of the recording that has been read, 0 to 1 */
  onProgress(share: number): void;
}

export interface ExportResult {
  /** false if there was no timing; all times are then 0 */
  timed: boolean;
  /** the exported file, in pieces */
  text: AsyncIterable<string>;
}

export interface ReplayRequest extends RecordingChoice {
  /** 2 is twice as fast */
  speed: number;
  /** silences are shortened to this length; null to keep them */
  idleLimitMs: number | null;
  /** where the replay begins */
  fromMs: number;
  /** called once before anything is written */
  onStart(facts: { cols: number; rows: number; timed: boolean }): void;
  stage: {
    /** null without a terminal */
    size(): { cols: number; rows: number } | null;
    /** resolves when there is room for more output */
    write(text: string): Promise<void>;
    /** Listens to what is typed. */
    onTyped(listener: (typed: string) => void): () => void;
    /** aborted when the replay should end */
    signal: AbortSignal;
  };
}

export interface TimelineResult {
  /** false if there was no timing; no times are then known */
  timed: boolean;
  /** in chronological order */
  changes: TimelineChange[];
}

export interface MisdetectionRequest {
  slug: string;
  /** the correct status, `primary/detail` */
  shouldBe: string;
  explanation: Explanation;
  /** the current time, Unix milliseconds */
  at: number;
}

/**
 * Everything on this machine that the command line needs in addition to the server's API. `main.ts` provides it, and
 * the command line never imports the modules behind it. All functions reject with a `CatalogueError` for expected
 * errors.
 */
export interface LocalHost {
  /**
   * Each resolved setting and its origin, in the order of `SETTING_ROWS`.
   * @throws CatalogueError invalid_setting
   */
  settings(flags: SettingFlags): Promise<{ settings: Settings; rows: ResolvedSetting[] }>;
  /** `http://HOST:PORT` as reported by the running server, or according to the settings if none is running. */
  address(): Promise<string>;
  /**
   * Runs the server in this process until the signal is aborted.
   * @throws CatalogueError server_running, port_taken, invalid_setting
   */
  serve(request: ServeRequest): Promise<void>;
  /** Starts the server in a separate process, and resolves when it answers on the local socket. */
  startInBackground(request: StartRequest): Promise<'started' | 'already_running'>;
  /**
   * Checks whether the server's process is stopped (SIGSTOP, Ctrl-Z, a debugger). A stopped server neither answers
   * nor refuses anything.
   * @throws CatalogueError no_server if it is stopped
   */
  requireNotStopped(): Promise<void>;
  /** Stops this home's server, and resolves when its process is gone. Sessions stay alive. */
  stopServer(): Promise<'stopped' | 'not_running'>;
  /** the API token; created if there is none yet */
  readToken(): Promise<string>;
  /**
   * Replaces the token. A running server uses the new one immediately; if it cannot, an error explains what to do.
   * @throws CatalogueError invalid_setting if the token comes from the environment or config.toml
   */
  rotateToken(): Promise<string>;
  /** The git branches of folders, by folder. Folders outside a repository are left out. Does not run git. */
  gitBranches(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The models that gave the last answers in terminal sessions, by slug, as far as this machine can read them. */
  lastModels(sessions: readonly Session[]): Promise<ReadonlyMap<string, string>>;
  /** Reports whether no server has ever run for this home. */
  isFirstStart(): Promise<boolean>;
  /** Opens an address in the user's browser. Returns false if there is no desktop. */
  openInBrowser(url: string): Promise<boolean>;
  doctor(): AsyncIterable<DoctorCheck>;
  service: {
    install(): Promise<ServiceState>;
    uninstall(): Promise<'uninstalled' | 'not_installed'>;
    status(): Promise<ServiceState>;
  };
  /** The program and arguments that show a session's real terminal. @param screenId `PID.NAME` */
  attachArgv(screenId: string): string[];
  /** Runs a program in this terminal, and resolves to its exit code. */
  runAttached(argv: readonly string[]): Promise<number>;
  /**
   * Runs the terminal UI until the user leaves it. Starts the server if none is running. Resolves to the exit code.
   * @throws CatalogueError no_server, timed_out
   */
  tui(request: TuiRequest): Promise<number>;
  demo(request: DemoRequest): Promise<void>;
  /**
   * Derives the status over the course of a recording from its bytes alone, without a server.
   * @throws CatalogueError no_recording
   */
  timeline(request: TimelineRequest): Promise<TimelineResult>;
  /**
   * Stores the evidence for a wrong status, for a bug report. All text in it is replaced, except for the words that
   * rules read. Resolves to the path of the file.
   */
  recordMisdetection(request: MisdetectionRequest): Promise<string>;
  /**
   * Exports a recording to another format.
   * @throws CatalogueError no_recording, invalid_request if the output is the recording itself
   */
  exportRecording(request: ExportRequest): Promise<ExportResult>;
  /**
   * Plays a recording. Resolves at the end of the recording, when the quit key is pressed, or when the signal is
   * aborted.
   * @throws CatalogueError no_recording
   */
  replay(request: ReplayRequest): Promise<void>;
}
