// Writes each provider request's body, as Pi is about to send it, to the file that SLUICE_WIRE_FILE names: one JSON object
// a line, `{api, payload}`. A recorder loads it in every arm when the model isn't its own server. No header passes here,
// and nothing is changed.

import { appendFileSync } from "node:fs";

export default function (pi: any) {
  const file = process.env.SLUICE_WIRE_FILE;
  if (!file) return;
  pi.on("before_provider_request", (event: any, ctx: any) => {
    appendFileSync(file, JSON.stringify({ api: ctx.model?.api ?? null, payload: event.payload }) + "\n", { mode: 0o600 });
  });
}
