// The seed's own search (piagent), driven in process: reads {root, queries: [[id, text]]} from standard input, writes
// {id: [paths]}. Usage: node seed.mjs CLONE < request > runs
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const clone = path.resolve(process.argv[2]);
const engine = path.join(clone, "packages/piagent-core/extensions/context-engine.js");
const { buildContextIndexV2, searchContextIndexV2 } = await import(pathToFileURL(engine));
const { root, queries } = JSON.parse(fs.readFileSync(0, "utf8"));
const options = { excludePatterns: [] };
await buildContextIndexV2(root, options);
const runs = {};
for (const [id, text] of queries) {
  // 50 is the most that it gives; fewer make it rank worse once files that aren't program text are dropped.
  const found = await searchContextIndexV2(root, text, { ...options, limit: 50 });
  runs[id] = found.results.map((result) => result.path);
}
process.stdout.write(JSON.stringify(runs));
