import { buildDashboard } from '../packages/dashboard/scripts/build.ts';

/** Builds the dashboard once, so that the services of many tests do not each do it. */
export default function prepareDashboard(): Promise<void> {
  return buildDashboard();
}
