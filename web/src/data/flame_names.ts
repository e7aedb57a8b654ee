// Names of frames with addresses ("object at 0x7f9e..."): they differ from call to call and say nothing, so they are
// left out, and siblings that differ by them alone are one frame.
import type { FlameNode } from "./types";

const ADDRESS = /0x[0-9a-fA-F]{6,}/g;
const MAX_DEPTH = 600;

export function withoutAddresses(name: string): string {
  return name.includes("0x") ? name.replace(ADDRESS, "0x…") : name;
}

export const isPythonFrame = (name: string): boolean => /\.py\(|\.py:|^<built-in|^<method |^nn\.Module/.test(name);

// A tree whose nodes carry their names as text. Children stay in their order.
export function foldAddresses(root: FlameNode, nameOf: (node: FlameNode) => string): FlameNode {
  return joined(withoutAddresses(nameOf(root)), [root], nameOf, 0);
}

// One frame of several: each node is visited once. Below a single frame only names that had an address are joined.
function joined(name: string, nodes: FlameNode[], nameOf: (node: FlameNode) => string, depth: number): FlameNode {
  const sum = { name, value_ns: 0, self_ns: 0, count: 0 };
  const groups = new Map<string | FlameNode, { name: string; nodes: FlameNode[] }>();
  for (const node of nodes) {
    sum.value_ns += node.value_ns;
    sum.self_ns += node.self_ns;
    sum.count += node.count;
    for (const child of depth < MAX_DEPTH ? (node.children ?? []) : []) {
      const full = nameOf(child);
      const short = withoutAddresses(full);
      const key = nodes.length > 1 || short !== full ? short : child;
      const group = groups.get(key);
      if (group) group.nodes.push(child);
      else groups.set(key, { name: short, nodes: [child] });
    }
  }
  return { ...sum, children: [...groups.values()].map((group) => joined(group.name, group.nodes, nameOf, depth + 1)) };
}

export function hasPython(node: FlameNode, nameOf: (node: FlameNode) => string, depth = 0): boolean {
  return isPythonFrame(nameOf(node)) || (depth < MAX_DEPTH && (node.children ?? []).some((child) => hasPython(child, nameOf, depth + 1)));
}
