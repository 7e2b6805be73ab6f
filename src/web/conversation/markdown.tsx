import type { Token, Tokens } from 'marked';
import type { ComponentChildren, VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { Code } from './code.tsx';
import { readMarkdown } from './markdown-tokens.ts';
import { safeAddress } from './safe-address.ts';

/**
 * Renders Markdown as elements, token by token. Text from a session is never parsed as HTML, so nothing has to be
 * sanitized: tags are shown as text. Images are shown as links, because loading an external image would reveal the
 * user's IP address.
 */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => readMarkdown(text, () => performance.now()), [text]);
  return <div class="markdown">{tokens === null ? <p>{text}</p> : blocks(tokens)}</div>;
}

function blocks(tokens: readonly Token[] | undefined): ComponentChildren[] {
  return (tokens ?? []).map((token, index) => block(token as MarkdownToken, index));
}

type MarkdownToken =
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.Hr
  | Tokens.Space
  | Tokens.Text
  | Tokens.HTML;

function block(token: MarkdownToken, key: number): VNode | null {
  switch (token.type) {
    case 'space':
      return null;
    case 'heading': {
      // The page's only top-level heading is the session's title, so headings in an answer are one level lower.
      const Tag = token.depth <= 1 ? 'h2' : token.depth === 2 ? 'h3' : 'h4';
      return <Tag key={key}>{inlines(token.tokens)}</Tag>;
    }
    case 'paragraph':
      return <p key={key}>{inlines(token.tokens)}</p>;
    case 'code':
      return <Code key={key} text={token.text} language={token.lang ?? ''} />;
    case 'blockquote':
      return <blockquote key={key}>{blocks(token.tokens)}</blockquote>;
    case 'hr':
      return <hr key={key} />;
    case 'list':
      return list(token as Tokens.List, key);
    case 'table':
      return table(token as Tokens.Table, key);
    case 'text':
      return <span key={key}>{'tokens' in token && token.tokens ? inlines(token.tokens) : token.text}</span>;
    default:
      return <p key={key}>{token.raw}</p>;
  }
}

function list(token: Tokens.List, key: number): VNode {
  const items = token.items.map((item, index) => (
    <li key={index} class={item.task ? 'task' : ''}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label="done" />}
      {blocks(item.tokens)}
    </li>
  ));
  return token.ordered ? (
    <ol key={key} start={Number(token.start) || 1}>
      {items}
    </ol>
  ) : (
    <ul key={key}>{items}</ul>
  );
}

function table(token: Tokens.Table, key: number): VNode {
  return (
    <div key={key} class="table-scroll">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={index}>{inlines(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index}>{inlines(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type InlineToken =
  | Tokens.Text
  | Tokens.Escape
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Br
  | Tokens.Link
  | Tokens.Image
  | Tokens.Tag;

function inlines(tokens: readonly Token[] | undefined): ComponentChildren[] {
  return (tokens ?? []).map((token, index) => inline(token as InlineToken, index));
}

function inline(token: InlineToken, key: number): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{inlines(token.tokens)}</strong>;
    case 'em':
      return <em key={key}>{inlines(token.tokens)}</em>;
    case 'del':
      return <del key={key}>{inlines(token.tokens)}</del>;
    case 'codespan':
      return <code key={key}>{token.text}</code>;
    case 'br':
      return <br key={key} />;
    case 'link':
      return <Link key={key} address={token.href} text={inlines(token.tokens)} />;
    case 'image':
      return <Link key={key} address={token.href} text={[token.text || token.href]} />;
    case 'text':
      return 'tokens' in token && token.tokens ? inlines(token.tokens) : token.text;
    case 'escape':
      return token.text;
    default:
      return token.raw;
  }
}

function Link({ address, text }: { address: string; text: ComponentChildren[] }) {
  const safe = safeAddress(address);
  if (safe === null) {
    return (
      <span class="dead-link" title={address}>
        {text}
      </span>
    );
  }
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer" title={safe}>
      {text}
    </a>
  );
}
