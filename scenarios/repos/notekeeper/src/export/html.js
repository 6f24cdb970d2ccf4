import { LinkGraph } from '../graph/graph.js';
import { LinkResolver } from '../graph/links.js';
import { escapeHtml } from '../text/escape.js';
import { renderMarkdown } from '../text/markdown.js';

/** File name of a note's page: folders become dashes so that all pages lie side by side. */
export function pageName(id) {
  return `${id.replaceAll('/', '--')}.html`;
}

/** Pages of a site: file name and content, the index first, then by identifier. */
export function exportHtml(notes, { siteTitle, language }) {
  const resolver = new LinkResolver(notes);
  const graph = new LinkGraph(notes);
  const titles = new Map(notes.map((note) => [note.id, note.title]));
  const resolve = (target) => {
    const note = resolver.resolve(target);
    return note === null ? null : pageName(note.id);
  };
  const pages = notes.map((note) => ({
    name: pageName(note.id),
    content: page(`${note.title} · ${siteTitle}`, language, [
      `<h1>${escapeHtml(note.title)}</h1>`,
      tagList(note.tags),
      renderMarkdown(note.body, resolve),
      backlinkList(graph.backlinks(note.id), titles),
    ]),
  }));
  const entries = notes.map((note) => `<li>${pageLink(note.id, note.title)}</li>`);
  const index = page(siteTitle, language, [`<h1>${escapeHtml(siteTitle)}</h1>`, `<ul>${entries.join('')}</ul>`]);
  return [{ name: 'index.html', content: index }, ...pages];
}

function page(title, language, parts) {
  const head = `<meta charset="utf-8"><title>${escapeHtml(title)}</title>`;
  const body = parts.filter((part) => part !== '').join('\n');
  return `<!doctype html>\n<html lang="${language}"><head>${head}</head><body>\n${body}\n</body></html>\n`;
}

function pageLink(id, title) {
  return `<a href="${escapeHtml(pageName(id))}">${escapeHtml(title)}</a>`;
}

function tagList(tags) {
  return tags.length === 0 ? '' : `<p class="tags">${tags.map((tag) => escapeHtml(`#${tag}`)).join(' ')}</p>`;
}

function backlinkList(ids, titles) {
  if (ids.length === 0) return '';
  return `<footer>Linked from ${ids.map((id) => pageLink(id, titles.get(id))).join(', ')}</footer>`;
}
