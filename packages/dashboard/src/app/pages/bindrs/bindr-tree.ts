import type { Bindr } from '@bindery/contract';
import type { BindrChoice } from '@bindery/sdk/browser';
import type { TreeItem } from '../../parts/tree-rows.ts';

interface Branch extends TreeItem {
  children: Branch[];
  parentId: string | null;
}

/** Nests a picker's choices below their ancestors, which are included only as context. */
export function bindrTree(choices: readonly BindrChoice[]): TreeItem[] {
  const branches = new Map<string, Branch>();
  const add = ({ id, name, parentId }: Bindr, isContext: boolean) => {
    const known = branches.get(id);
    if (!known) branches.set(id, { id, name, parentId, isContext, children: [] });
    else if (!isContext) known.isContext = false;
  };
  for (const choice of choices) {
    for (const above of choice.ancestors) add(above, true);
    add(choice, false);
  }
  const tops: Branch[] = [];
  for (const branch of branches.values()) {
    const parent = branch.parentId === null ? undefined : branches.get(branch.parentId);
    (parent?.children ?? tops).push(branch);
  }
  sort(tops);
  return tops;
}

function sort(branches: Branch[]): void {
  branches.sort((a, b) => a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1));
  for (const { children } of branches) sort(children);
}
