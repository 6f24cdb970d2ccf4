import { parseNote } from '../src/store/note.js';

/** A note from its identifier and the text of its file. */
export function note(id, text) {
  return parseNote(id, text);
}

/** A few notes that link to each other. */
export function garden() {
  return [
    note('beds', '---\ntitle: Bed plan\ntags: garden, plan/spring\ncreated: 2024-02-01\n---\nPeas next to [[Seed list]].\n'),
    note('seeds', '---\ntitle: Seed list\ntags: garden\ncreated: 2024-01-10\nremind: 2024-03-01 every 1y\n---\nPeas, beans, beet. See [[beds|the beds]].\n'),
    note('archive/2023', '# Harvest 2023\n\nTomatoes did badly. #garden/review\n'),
    note('tax', '---\ntags: money\n---\nReceipts for the accountant, sent by e-mail.\n'),
  ];
}
