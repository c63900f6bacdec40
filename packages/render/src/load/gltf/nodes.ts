import type { Document, Node } from '@gltf-transform/core';
import type { Budget } from '../../limits.ts';
import { IDENTITY, type Matrix4, multiply } from '../../matrix.ts';

/** World matrices of the nodes of the scene to show. A node reached twice keeps its first matrix. */
export function placeNodes(document: Document, budget: Budget): Map<Node, Matrix4> {
  const placed = new Map<Node, Matrix4>();
  const waiting = roots(document).map((node) => ({ node, parent: IDENTITY, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (placed.has(next.node)) continue;
    budget.spend('nodes', 1);
    budget.checkDepth(next.depth);
    const world = multiply(next.parent, next.node.getMatrix());
    placed.set(next.node, world);
    for (const child of next.node.listChildren())
      waiting.push({ node: child, parent: world, depth: next.depth + 1 });
  }
  return placed;
}

function roots(document: Document): Node[] {
  const root = document.getRoot();
  const scene = root.getDefaultScene() ?? root.listScenes()[0];
  return scene?.listChildren() ?? root.listNodes().filter((node) => node.getParentNode() === null);
}
