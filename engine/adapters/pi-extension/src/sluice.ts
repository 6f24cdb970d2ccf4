// Puts the engine's pack beside each prompt of the Pi coding agent.
//
// The pack comes from the command `sluice` (SLUICE_COMMAND, default `sluice` on PATH), which indexes the project if need
// be and quotes the source that the prompt is probably about. SLUICE_PACK_TOKENS limits it. A recorder that has made the
// pack already names its file in SLUICE_PACK_FILE instead.
//
// The message becomes part of the session (`custom_message`, customType `sluice.pack`); its details are the manifest,
// which holds no content. Without a pack nothing is added: the agent works as it would without the engine.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const CUSTOM_TYPE = "sluice.pack";
const DEFAULT_TOKENS = "1400";
const LIMITS = { timeout: 10_000, maxBuffer: 4 << 20 };

type Pack = { text: string; manifest: unknown };
type Snippet = { path: string; start_line: number; end_line: number; tokens: number; text: string };

export default function (pi: any) {
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    if (event.messageType === "custom") return;
    const pack = await packFor(event.prompt ?? "", ctx.cwd);
    if (!pack) return;
    return { message: { customType: CUSTOM_TYPE, content: pack.text, display: false, details: pack.manifest } };
  });
}

async function packFor(prompt: string, cwd: string): Promise<Pack | undefined> {
  const file = process.env.SLUICE_PACK_FILE;
  if (file) return JSON.parse(await readFile(file, "utf8"));
  try {
    const tokens = process.env.SLUICE_PACK_TOKENS ?? DEFAULT_TOKENS;
    const command = process.env.SLUICE_COMMAND ?? "sluice";
    const args = ["pack", "--root", cwd, "--tokens", tokens, "--json", "--", prompt];
    const { stdout } = await promisify(execFile)(command, args, { cwd, ...LIMITS });
    return fromCommand(JSON.parse(stdout));
  } catch (error) {
    // The engine never stands in the agent's way; the reason goes to the terminal, not to the model.
    console.error(`sluice: no pack: ${(error as Error).message.split("\n")[0]}`);
    return undefined;
  }
}

function fromCommand(pack: { text?: string; tokens: number; confidence: string; snippets: Snippet[] }): Pack | undefined {
  if (pack.snippets.length === 0) return undefined;
  const quoted = pack.snippets.map((s) => `${s.path}:${s.start_line}-${s.end_line}\n${s.text}`);
  const snippets = pack.snippets.map(({ path, start_line, end_line, tokens }) => ({ path, start_line, end_line, tokens }));
  return {
    text: pack.text ?? quoted.join("\n\n"),
    manifest: { schema: "pack-manifest/1", tokens: pack.tokens, confidence: pack.confidence, snippets },
  };
}
