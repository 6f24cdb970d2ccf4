import { escapeHtml } from './escape.js';
import { renderInline } from './inline.js';
import { Anchors } from './slug.js';
import { markFences } from './code.js';

/** Blocks of a note's body: headings, lists, quotes, code and paragraphs. */
export function parseBlocks(body) {
  const blocks = [];
  let paragraph = [];
  const flush = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', lines: paragraph });
    paragraph = [];
  };
  let code = null;
  for (const { line, code: inCode } of markFences(body)) {
    if (inCode) {
      flush();
      code ??= { kind: 'code', lines: [] };
      code.lines.push(line);
      continue;
    }
    if (code !== null) {
      blocks.push(withoutFences(code));
      code = null;
    }
    const heading = /^(#{1,6})\s+(.+?)\s*#*\s*$/.exec(line);
    const item = /^\s*(?:[-*+]|\d+\.)\s+(.*)$/.exec(line);
    const quote = /^>\s?(.*)$/.exec(line);
    if (line.trim() === '') flush();
    else if (heading) {
      flush();
      blocks.push({ kind: 'heading', level: heading[1].length, text: heading[2] });
    } else if (item) {
      flush();
      append(blocks, 'list', item[1]);
    } else if (quote) {
      flush();
      append(blocks, 'quote', quote[1]);
    } else paragraph.push(line.trim());
  }
  flush();
  if (code !== null) blocks.push(withoutFences(code));
  return blocks;
}

function append(blocks, kind, line) {
  const last = blocks.at(-1);
  if (last?.kind === kind) last.lines.push(line);
  else blocks.push({ kind, lines: [line] });
}

function withoutFences({ lines }) {
  const closed = lines.length > 1 && /^ {0,3}(`{3,}|~{3,})\s*$/.test(lines.at(-1));
  return { kind: 'code', lines: lines.slice(1, closed ? -1 : undefined) };
}

/** HTML of a note's body. */
export function renderMarkdown(body, resolve) {
  const anchors = new Anchors();
  return parseBlocks(body)
    .map((block) => renderBlock(block, anchors, resolve))
    .join('\n');
}

function renderBlock(block, anchors, resolve) {
  switch (block.kind) {
    case 'heading': {
      const { level, text } = block;
      return `<h${level} id="${anchors.next(text)}">${renderInline(text, resolve)}</h${level}>`;
    }
    case 'list':
      return `<ul>${block.lines.map((line) => `<li>${renderInline(line, resolve)}</li>`).join('')}</ul>`;
    case 'quote':
      return `<blockquote>${renderInline(block.lines.join(' '), resolve)}</blockquote>`;
    case 'code':
      return `<pre><code>${escapeHtml(block.lines.join('\n'))}</code></pre>`;
    default:
      return `<p>${renderInline(block.lines.join(' '), resolve)}</p>`;
  }
}
