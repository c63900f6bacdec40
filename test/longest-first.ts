import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than half a minute on a machine with two processors, the longest first. */
const LONGEST = [
  'packages/server/test/objects/s3/swift.test.ts',
  'e2e/replicas.test.ts',
  'packages/dashboard/test/every-page.test.ts',
  'e2e/embeddings.test.ts',
  'e2e/upgrade.test.ts',
  'e2e/library.test.ts',
  'e2e/python.test.ts',
  'e2e/service.test.ts',
  'e2e/backup.test.ts',
  'packages/dashboard/test/push.test.ts',
  'e2e/thumbnails.test.ts',
  'packages/dashboard/test/interrupted.test.ts',
  'packages/cli/test/semantic-reason.test.ts',
  'packages/dashboard/test/hidden.test.ts',
  'packages/server/test/objects/crash.test.ts',
  'packages/sdk/test/push/push.test.ts',
  'packages/dashboard/test/admin.test.ts',
  'packages/dashboard/test/policies.test.ts',
  'packages/server/test/routes/hidden.test.ts',
  'packages/dashboard/test/own-account.test.ts',
  'packages/server/test/libraries/crash.test.ts',
  'packages/dashboard/test/viewer/real-libraries.test.ts',
  'packages/dashboard/test/work-together.test.ts',
  'packages/server/test/search/degraded-search.test.ts',
  'packages/cli/test/admin.test.ts',
  'packages/dashboard/test/edit.test.ts',
  'packages/render/test/version.test.ts',
  'packages/render/test/thumbnail-pool.test.ts',
  'packages/mcp/test/stdio.test.ts',
  'packages/encoder/test/encoder.test.ts',
  'packages/dashboard/test/find-and-take.test.ts',
  'packages/dashboard/test/viewer/hostile.test.ts',
  'packages/render/test/formats.test.ts',
  'packages/server/test/search/vector-search.test.ts',
  'packages/cli/test/model-hub.test.ts',
  'packages/server/test/routes/naughty.test.ts',
  'packages/dashboard/test/keyboard.test.ts',
  'packages/server/test/libraries/codes.test.ts',
  'packages/render/test/real-libraries.test.ts',
];

/**
 * Starts the longest files of each project first, so that no processor idles at the end while the last one runs. A
 * fresh clone has no recorded durations, and the size of a file says little about them.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONGEST.find((file) => !existsSync(join(this.ctx.config.root, file)));
    if (gone !== undefined) throw new Error(`${gone} is gone: take it out of test/longest-first.ts.`);
    const sorted = await super.sort(specifications);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((specification) => specification.project === project).sort((a, b) => rank(a) - rank(b)),
    );
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  const place = LONGEST.indexOf(relative(project.vitest.config.root, moduleId).replaceAll('\\', '/'));
  return place === -1 ? LONGEST.length : place;
}
