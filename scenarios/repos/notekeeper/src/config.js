import { SyntaxFault } from './errors.js';

/** Settings of a notes folder with their defaults: the contents of `notekeeper.json`. */
export const DEFAULTS = Object.freeze({
  siteTitle: 'Notes',
  language: 'en',
  excerptLength: 160,
  searchLimit: 20,
  trashDays: 30,
  exclude: ['trash', 'node_modules'],
});

const CHECKS = {
  siteTitle: (value) => typeof value === 'string' && value !== '',
  language: (value) => typeof value === 'string' && /^[a-z]{2}$/.test(value),
  excerptLength: (value) => Number.isInteger(value) && value >= 20,
  searchLimit: (value) => Number.isInteger(value) && value >= 1,
  trashDays: (value) => Number.isInteger(value) && value >= 0,
  exclude: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
};

/** Reads settings from JSON text; unknown keys and bad values are refused, missing ones get their default. */
export function readConfig(text, where = 'notekeeper.json') {
  let values;
  try {
    values = JSON.parse(text);
  } catch {
    throw new SyntaxFault('JSON', text.slice(0, 40), where);
  }
  for (const [key, value] of Object.entries(values)) {
    if (!(key in CHECKS)) throw new SyntaxFault('a known setting', key, where);
    if (!CHECKS[key](value)) throw new SyntaxFault(`a value for ${key}`, value, where);
  }
  return { ...DEFAULTS, ...values };
}
