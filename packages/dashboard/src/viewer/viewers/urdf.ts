import type { Viewer } from '../viewer.ts';
import { openRobot } from './robot.ts';

/** Robots in URDF. */
export const viewer: Viewer = { open: (asset) => openRobot(asset, 'urdf') };
