import type { NoteRow } from '../../access/notes.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context } from '../../context.ts';
import type { NodeShape } from './nodes.ts';

/** What every resolver gets: the service's parts and the viewer. */
export interface GraphqlContext {
  context: Context;
  viewer: Viewer;
}

/** A Note together with its row, from which its Nodes are looked up if they are requested. */
export interface NoteShape {
  id: string;
  name: string;
  row: NoteRow;
}

export interface CatalogShape {
  projects: NodeShape[];
  total: number;
  page: number;
  pageSize: number;
  totalPages: number;
  canCreate: boolean;
}
