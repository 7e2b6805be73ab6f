/** What the value of each form is, once it has been read. A path is absolute; ports are `FIRST-LAST`. */
interface Values {
  text: string;
  url: string;
  path: string;
  /** a path, or the name of a program in PATH */
  command: string;
  ports: string;
  /** one of `words` */
  word: string;
  integer: number;
  boolean: boolean;
  list: string[];
}

type Formed<Form extends keyof Values> = Form extends Form
  ? {
      form: Form;
      /** the value if nothing sets it, written as in config.toml; a function if it depends on the home */
      default: Readonly<Values[Form]> | null | ((home: string) => Values[Form]);
      /** what the setting does, in one line */
      about: string;
    }
  : never;

/** How a setting is written, and which values it can have. `src/core/settings/values.ts` reads and checks them. */
export type SettingForm =
  | Formed<'url' | 'path' | 'command' | 'ports' | 'boolean'>
  | (Formed<'text'> & { minLength?: number })
  | (Formed<'word'> & { words: readonly string[] })
  | (Formed<'integer'> & { min: number; max?: number })
  | (Formed<'list'> & { minLength?: number; items?: { pattern: RegExp; fault: string } });

/** A row of the table of settings. */
export type SettingSpec = SettingForm & {
  /** the environment variable that sets it, if that isn't `CBOS_` and the name */
  environment?: string;
  /** why no environment variable sets it */
  noEnvironment?: string;
  /** the key in config.toml, with its table and a dot in front, if that isn't the name */
  key?: string;
  /** why config.toml cannot contain it */
  noKey?: string;
};

/** The type of a setting's value. */
export type ValueOf<Spec extends SettingSpec> =
  | (Spec extends { words: readonly (infer Word)[] } ? Word : Values[Spec['form']])
  | Extract<Spec['default'], null>;
