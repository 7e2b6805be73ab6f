import { c, cpp, csharp, dart, java, kotlin, objectiveC, scala } from '@codemirror/legacy-modes/mode/clike';
import { css, less, sCSS } from '@codemirror/legacy-modes/mode/css';
import { diff } from '@codemirror/legacy-modes/mode/diff';
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
import { go } from '@codemirror/legacy-modes/mode/go';
import { json, typescript } from '@codemirror/legacy-modes/mode/javascript';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { powerShell } from '@codemirror/legacy-modes/mode/powershell';
import { properties } from '@codemirror/legacy-modes/mode/properties';
import { protobuf } from '@codemirror/legacy-modes/mode/protobuf';
import { python } from '@codemirror/legacy-modes/mode/python';
import { ruby } from '@codemirror/legacy-modes/mode/ruby';
import { rust } from '@codemirror/legacy-modes/mode/rust';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { standardSQL } from '@codemirror/legacy-modes/mode/sql';
import { swift } from '@codemirror/legacy-modes/mode/swift';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { html, xml } from '@codemirror/legacy-modes/mode/xml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import type { StreamParser } from '@codemirror/streamparser';
import { jsx } from './jsx.ts';
import type { LanguageName } from './languages.ts';

/** The marks around comments that may contain line breaks. */
export interface BlockComment {
  open: string;
  close: string;
}

/** A language that can be coloured. */
export interface Language {
  parser: StreamParser<unknown>;
  blockComment: BlockComment | null;
}

const C_COMMENT: BlockComment = { open: '/*', close: '*/' };
const XML_COMMENT: BlockComment = { open: '<!--', close: '-->' };

const withComment =
  (blockComment: BlockComment | null) =>
  (parser: StreamParser<unknown>): Language => ({ parser, blockComment });
const cLike = withComment(C_COMMENT);
const xmlLike = withComment(XML_COMMENT);
const other = withComment(null);

/** What is known about each language. This module is large, so the page loads it only when it is needed. */
export const LANGUAGES: Readonly<Record<LanguageName, Language>> = {
  c: cLike(c),
  cpp: cLike(cpp),
  cs: cLike(csharp),
  css: cLike(css),
  dart: cLike(dart),
  diff: other(diff),
  dockerfile: other(dockerFile),
  go: cLike(go),
  html: xmlLike(html),
  ini: other(properties),
  java: cLike(java),
  json: cLike(json),
  kt: cLike(kotlin),
  less: cLike(less),
  lua: other(lua),
  m: cLike(objectiveC),
  proto: other(protobuf),
  ps1: withComment({ open: '<#', close: '#>' })(powerShell),
  py: other(python),
  rb: withComment({ open: '=begin', close: '=end' })(ruby),
  rs: cLike(rust),
  scala: cLike(scala),
  scss: cLike(sCSS),
  sh: other(shell),
  sql: cLike(standardSQL),
  swift: cLike(swift),
  toml: other(toml),
  ts: cLike(typescript),
  tsx: cLike(jsx(typescript)),
  xml: xmlLike(xml),
  yaml: other(yaml),
};
