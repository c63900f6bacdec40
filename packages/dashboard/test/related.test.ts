import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { sidecarFiles, vectorOf } from '../../server/test/search/embeddings.ts';
import { ScriptedEncoder } from '../../server/test/search/scripted-encoder.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';

const encoder = new ScriptedEncoder();
encoder.relatedFrom = 0.5;
encoder.vectors.set('gripper', vectorOf(1));
encoder.vectors.set('qqzz', vectorOf(1));

describe.skipIf(browserPath === null)('a search by words and meaning', () => {
  const dashboard = useDashboard(
    ['ada'],
    async (service) => {
      const ada = await service.member('ada');
      const asset = (id: string, title: string, kind: string) => ({
        id,
        title,
        kind,
        files: { [`${id}/${id}.obj`]: `# ${id}` },
      });
      await publish(ada, 'ada/home', {
        visibility: 'public',
        assets: [
          asset('clamp', 'Gripper', 'mesh'),
          asset('hand', 'Hand', 'urdf'),
          asset('mug', 'Mug', 'mesh'),
        ],
        generated: sidecarFiles({
          clamp: { image: vectorOf(0.9) },
          hand: { image: vectorOf(0.8) },
          mug: { image: vectorOf(0.1) },
        }),
      });
    },
    undefined,
    encoder,
  );

  test.each(['/app/?q=gripper', '/app/ada/home?q=gripper'])(
    'counts and filters what matches, apart from what is only related: %s',
    async (path) => {
      const page = await dashboard.open(path);
      await page.getByText('1 result', { exact: true }).waitFor();
      const related = page.getByRole('region', { name: '1 related by meaning' });
      await related.getByRole('link', { name: 'Hand', exact: true }).waitFor();
      await expect
        .poll(() => page.getByRole('article').getByRole('heading').allTextContents())
        .toEqual(['Gripper', 'Hand']);
      await page.getByRole('checkbox', { name: 'mesh 1' }).waitFor();
      await expect.poll(() => page.getByRole('checkbox', { name: /urdf/i }).count()).toBe(0);
      expect(await findAccessibilityProblems(page)).toEqual([]);
    },
  );

  test('shows six of what is only related, and the others when asked to', async () => {
    const ada = await dashboard.service.member('ada');
    const ids = Array.from({ length: 8 }, (_, at) => `grip-${at}`);
    await publish(ada, 'ada/many', {
      visibility: 'public',
      assets: ids.map((id) => ({ id, title: id, kind: 'mesh', files: { [`${id}/a.obj`]: `# ${id}` } })),
      generated: sidecarFiles(Object.fromEntries(ids.map((id) => [id, { image: vectorOf(0.8) }]))),
    });
    const page = await dashboard.open('/app/ada/many?q=qqzz');
    const related = page.getByRole('region', { name: '8 related by meaning' });
    await expect.poll(() => related.getByRole('article').count()).toBe(6);
    await related.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => related.getByRole('article').count()).toBe(8);
    await ada.delete('/namespaces/ada/libraries/many');
  });

  test('says that nothing matches above what is related', async () => {
    const page = await dashboard.open('/app/ada/home?q=qqzz');
    await page.getByRole('heading', { name: 'No results' }).waitFor();
    await page.getByRole('region', { name: '2 related by meaning' }).waitFor();
  });

  test('says if the model does not know the words of a query', async () => {
    encoder.relatedFrom = Number.POSITIVE_INFINITY;
    try {
      const page = await dashboard.open('/app/?q=qqzz');
      await page.getByRole('heading', { name: 'No results' }).waitFor();
      await page.getByText('The model of the service does not know these words').waitFor();
    } finally {
      encoder.relatedFrom = 0.5;
    }
  });

  test('finds nothing for what means nothing, and so does the palette', async () => {
    const page = await dashboard.open('/app/?q=xyzzy');
    await page.getByRole('heading', { name: 'No results' }).waitFor();
    await expect.poll(() => page.getByRole('article').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('qqzz');
    await page.getByRole('status').getByText('No results').waitFor();
    await page.getByRole('combobox', { name: 'Go to' }).fill('gripper');
    await page.getByRole('option', { name: /Gripper/ }).waitFor();
  });
});
