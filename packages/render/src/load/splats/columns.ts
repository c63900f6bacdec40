import { Unrenderable } from '../../errors.ts';
import type { PlyTable } from '../ply-table.ts';

/** Reads columns by name. @throws Unrenderable for one that the table does not have. */
export function columnsOf(table: PlyTable): (name: string) => (row: number) => number {
  return (name) => {
    const column = table.columns.get(name);
    if (column === undefined) throw new Unrenderable(`not a splat file: the PLY has no property ${name}`);
    return (row) => column[row] ?? 0;
  };
}
