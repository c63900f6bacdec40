import type { Viewer } from '../viewer.ts';
import { openRobot } from './robot.ts';

/** Models and worlds in SDFormat, as Gazebo and Drake read it. */
export const viewer: Viewer = { open: (asset) => openRobot(asset, 'sdf') };
