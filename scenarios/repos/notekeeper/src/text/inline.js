import { codeSpans } from './code.js';
import { escapeHtml, safeHref } from './escape.js';

const STYLES = [
  [/\*\*(.+?)\*\*/g, '<strong>$1</strong>'],
  [/(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])/g, '<em>$1</em>'],
  [/~~(.+?)~~/g, '<del>$1</del>'],
];

/** HTML of the text within a block. `resolve` maps the target of a wiki link to an address, or to null. */
export function renderInline(text, resolve) {
  let html = '';
  let at = 0;
  for (const span of codeSpans(text)) {
    html += renderPlain(text.slice(at, span.start), resolve);
    const content = text.slice(span.start + span.ticks, span.end - span.ticks);
    html += `<code>${escapeHtml(content.trim() === '' ? content : content.trim())}</code>`;
    at = span.end;
  }
  return html + renderPlain(text.slice(at), resolve);
}

function renderPlain(text, resolve) {
  let html = '';
  let at = 0;
  for (const match of text.matchAll(/\[\[([^\]|#]+)(#[^\]|]*)?(?:\|([^\]]*))?\]\]|\[([^\]]+)\]\(([^)\s]+)\)/g)) {
    html += renderStyles(text.slice(at, match.index));
    html += match[1] === undefined ? externalLink(match[4], match[5]) : wikiLink(match, resolve);
    at = match.index + match[0].length;
  }
  return html + renderStyles(text.slice(at));
}

function renderStyles(text) {
  return STYLES.reduce((html, [pattern, replacement]) => html.replace(pattern, replacement), escapeHtml(text));
}

function externalLink(label, address) {
  return `<a href="${escapeHtml(safeHref(address))}">${renderStyles(label)}</a>`;
}

function wikiLink([, target, anchor = '', label], resolve) {
  const text = escapeHtml((label ?? target).trim());
  const address = resolve(target.trim());
  if (address === null) return `<span class="missing">${text}</span>`;
  return `<a href="${escapeHtml(address + anchor.toLowerCase().replace(/\s+/g, '-'))}">${text}</a>`;
}
