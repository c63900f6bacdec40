import type { Budget } from '../../limits.ts';
import { compose, IDENTITY, type Matrix4, multiply } from '../../matrix.ts';
import { component, type GltfDocument, type GltfNode, item, listOf } from './document.ts';

/** World matrices of the nodes of the scene to show, by node number. A node reached twice keeps its first place. */
export function placeNodes(document: GltfDocument, budget: Budget): Map<number, Matrix4> {
  const placed = new Map<number, Matrix4>();
  const waiting = roots(document).map((node) => ({ node, parent: IDENTITY, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (placed.has(next.node)) continue;
    budget.spend('nodes', 1);
    budget.checkDepth(next.depth);
    const node = item(document.nodes, next.node, 'node');
    const world = multiply(next.parent, localMatrix(node));
    placed.set(next.node, world);
    for (const child of listOf(node.children))
      waiting.push({ node: child, parent: world, depth: next.depth + 1 });
  }
  return placed;
}

function roots(document: GltfDocument): number[] {
  if (listOf(document.scenes).length > 0)
    return [...listOf(item(document.scenes, document.scene ?? 0, 'scene').nodes)];
  const children = new Set(listOf(document.nodes).flatMap((node) => listOf(node.children)));
  return listOf(document.nodes).flatMap((_, index) => (children.has(index) ? [] : [index]));
}

function localMatrix(node: GltfNode): Matrix4 {
  if (listOf(node.matrix).length === 16)
    return IDENTITY.map((value, index) => component(node.matrix, index, value));
  const { translation: t, rotation: r, scale: s } = node;
  return compose(
    [component(t, 0, 0), component(t, 1, 0), component(t, 2, 0)],
    [component(r, 0, 0), component(r, 1, 0), component(r, 2, 0), component(r, 3, 1)],
    [component(s, 0, 1), component(s, 1, 1), component(s, 2, 1)],
  );
}
