import type { Viewer } from '../viewer.ts';
import { openRobot } from './robot.ts';

/** Models and worlds in SDFormat, as read by Gazebo and Drake. */
export const viewer: Viewer = { open: (asset) => openRobot(asset, 'sdf') };
