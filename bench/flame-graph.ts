import type { Profiler } from "node:inspector";

interface Frame {
  readonly name: string;
  us: number;
  readonly callees: Map<string, Frame>;
}

const LEAST_SHARE = 0.002;
const WIDTH = 1400;
const HEIGHT = 17;

/** A page with one SVG: each box is a function below its caller, as wide as the total time of its calls. */
export function drawFlames(title: string, profile: Profiler.Profile): string {
  const root = mergeStacks(profile);
  const boxes: string[] = [];
  let depth = 0;
  draw(root, 0, 0);
  const size = `viewBox="0 0 ${WIDTH} ${(depth + 1) * HEIGHT}" width="100%"`;
  return `<!doctype html><meta charset="utf-8"><title>${toHtml(title)}</title>
<style>body{font:12px monospace;margin:8px}rect{stroke:#fff}text{pointer-events:none}</style>
<h1>${toHtml(title)}: ${(root.us / 1000).toFixed(0)} ms</h1>
<svg ${size} font-size="11">${boxes.join("")}</svg>
`;

  function draw(frame: Frame, x: number, level: number): void {
    const share = frame.us / root.us;
    if (!(share >= LEAST_SHARE)) return;
    depth = Math.max(depth, level);
    const width = share * WIDTH;
    const y = level * HEIGHT;
    const told = `${frame.name}: ${(frame.us / 1000).toFixed(1)} ms, ${(share * 100).toFixed(1)} %`;
    const shown = frame.name.slice(0, Math.floor(width / 6.7));
    boxes.push(
      `<g><title>${toHtml(told)}</title><rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${HEIGHT}" fill="${colorOf(frame.name)}"/><text x="${(x + 2).toFixed(1)}" y="${y + 12}">${toHtml(shown)}</text></g>`,
    );
    let next = x;
    for (const callee of [...frame.callees.values()].sort((a, b) => b.us - a.us)) {
      draw(callee, next, level + 1);
      next += (callee.us / root.us) * WIDTH;
    }
  }
}

function mergeStacks({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Frame {
  const own = new Map<number, number>();
  samples.forEach((id, index) => {
    own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const merge = (node: Profiler.ProfileNode, into: Map<string, Frame>): number => {
    const { functionName, url, lineNumber } = node.callFrame;
    const place = url === "" ? "" : ` ${url.split("/").slice(-2).join("/")}:${lineNumber + 1}`;
    const name = `${functionName || "(anonymous)"}${place}`;
    const frame = into.get(name) ?? { name, us: 0, callees: new Map() };
    into.set(name, frame);
    let us = own.get(node.id) ?? 0;
    for (const id of node.children ?? []) {
      const callee = byId.get(id);
      // Idle time is not work.
      if (callee && callee.callFrame.functionName !== "(idle)") us += merge(callee, frame.callees);
    }
    frame.us += us;
    return us;
  };
  const roots = new Map<string, Frame>();
  const [first] = nodes;
  if (first) merge(first, roots);
  return [...roots.values()][0] ?? { name: "(nothing)", us: 0, callees: new Map() };
}

function colorOf(name: string): string {
  if (!name.includes(" ")) return "#d9d2c5";
  return name.includes("node:") ? "#e8c07d" : "#e58f65";
}

function toHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
