// Opens a session file with the real Pi and prints what Pi would send to a model at given entries, as hashes.
//
//   node open-session.mjs <folder of the package @earendil-works/pi-coding-agent> <session file> [entry id ...]
//
// Opening may rewrite the file: pass a copy.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , packageFolder, sessionFile, ...leaves] = process.argv;
const load = (name) => import(pathToFileURL(join(packageFolder, 'dist/core', name)).href);
const { SessionManager, buildSessionProjection } = await load('session-manager.js');
const { convertToLlm } = await load('messages.js');

const declaration = (tool) => JSON.stringify(tool);

/** The words of a message: its blocks, each as the project's own hash takes it, joined by line feeds. */
function words(message) {
  const { content } = message;
  const blocks = typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : (content ?? []);
  const texts = blocks.map((block) => {
    switch (block.type) {
      case 'text': return block.text;
      case 'thinking': return block.thinking;
      case 'toolCall': return block.name + JSON.stringify(block.arguments);
      case 'image': return `image:${block.mimeType}:${block.data.length}`;
      default: throw new Error(`unknown block ${block.type}`);
    }
  });
  const sections = Object.values(message.sections ?? {}).filter((section) => typeof section === 'string');
  return [...texts, ...sections, ...(message.toolsAdded ?? []).map(declaration)].join('\n');
}

const manager = SessionManager.open(sessionFile);
const entries = manager.getEntries();
const at = (leaf) => convertToLlm(buildSessionProjection(entries, leaf).messages).map((message) => ({
  role: message.role,
  sha256: createHash('sha256').update(words(message)).digest('hex'),
}));
const current = convertToLlm(manager.buildSessionContext().messages).length;
console.log(JSON.stringify({
  id: manager.getHeader().id,
  entries: entries.length,
  leaf: manager.getLeafId(),
  messages: current,
  leaves: Object.fromEntries(leaves.map((leaf) => [leaf, at(leaf)])),
}));
