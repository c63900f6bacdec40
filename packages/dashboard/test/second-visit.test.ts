import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { SentBytes } from '../../server/test/sent-bytes.ts';
import { browserPath, useDashboard } from './dashboard.ts';
import { MJCF_ARM, OBJ_BOX } from './viewer/models.ts';

describe.skipIf(browserPath === null)('a second visit', () => {
  const dashboard = useDashboard([], async (service) => {
    const asset = (id: string, kind: string, content: string | Uint8Array) => ({
      id,
      kind,
      entry: id,
      files: { [id]: content },
    });
    await publish(await service.member('pia'), 'pia/parts', {
      visibility: 'public',
      assets: [asset('arm.xml', 'mjcf', MJCF_ARM), asset('box.obj', 'mesh', OBJ_BOX)],
    });
  });

  test.each(['arm.xml', 'box.obj'])(
    'to the page of %s transfers at most a twentieth of the bytes, viewer code included',
    async (id) => {
      using sent = new SentBytes();
      const page = await dashboard.open('/app/pia');
      const bytesOfVisit = async () => {
        const before = sent.total;
        await page.goto(`/app/pia/parts/${id}`);
        await page.locator('[data-viewer=shown]').waitFor();
        const bytes = sent.total - before;
        await page.goto('/app/pia');
        await page.locator('main h1').waitFor();
        return bytes;
      };
      const first = await bytesOfVisit();
      const second = await bytesOfVisit();
      expect(second / first, `${second} bytes of ${first}`).toBeLessThanOrEqual(0.05);
    },
  );
});
