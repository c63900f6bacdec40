import { buildDashboard } from '../packages/dashboard/scripts/build.ts';

/** Builds the dashboard once, so that the services of the tests do not each have to. */
export default function prepareDashboard(): Promise<void> {
  return buildDashboard();
}
