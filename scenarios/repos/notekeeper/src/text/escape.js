const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as it may stand in HTML, in attributes too. */
export function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** Text as a literal part of a regular expression. */
export function escapeRegExp(text) {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/** An address that can be put into `href`: scripts and data are refused. */
export function safeHref(address) {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address.trim());
  if (scheme && !['http', 'https', 'mailto'].includes(scheme[1].toLowerCase())) return '#';
  return address.trim();
}
