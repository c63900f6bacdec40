import { constants, setPriority } from 'node:os';
import {
  type JoinedSidecar,
  type JoinedSidecars,
  joinSidecars,
} from '../../revision/vectors/join-sidecars.ts';
import { localFiles } from './local-files.ts';

export interface SegmentVectorTask {
  sidecars: readonly JoinedSidecar[];
  matrixFile: string;
  codesFile: string;
}

/** On Linux each thread has its own priority: requests take precedence. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export default function join({ sidecars, ...output }: SegmentVectorTask): JoinedSidecars {
  return joinSidecars(localFiles, sidecars, output);
}
