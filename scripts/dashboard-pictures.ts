import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { writeSampleLibrary } from './sample-library/write.ts';

/*
 * Takes the dashboard screenshots of the README: starts a service with the sample library and opens it in the machine's
 * Chromium. The service uses its default port, which the screenshots show.
 */

const BINDERY = fileURLToPath(new URL('../packages/cli/bin/bindery.js', import.meta.url));
const PICTURES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const URL_OF_SERVICE = 'http://127.0.0.1:7420';
const SIZE = { width: 1_280, height: 800 };

const folder = await mkdtemp(join(tmpdir(), 'bindery-pictures-'));
const env: NodeJS.ProcessEnv = {
  ...process.env,
  HOME: folder,
  BINDERY_DATA_DIR: join(folder, 'data'),
  BINDERY_API_URL: URL_OF_SERVICE,
};
const service = spawn(process.execPath, [BINDERY, 'serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
try {
  await once(createInterface({ input: service.stdout }), 'line');
  publishSample(await writeSample());
  await draw();
} finally {
  service.kill('SIGTERM');
  await once(service, 'exit');
  await rm(folder, { recursive: true });
}

async function writeSample(): Promise<string> {
  const library = join(folder, 'workshop');
  await writeSampleLibrary(library);
  return library;
}

function publishSample(library: string): void {
  bindery(
    ['admin', 'create-user', 'ada', '--email', 'ada@example.org', '--password-stdin'],
    'correct horse battery',
  );
  env.BINDERY_TOKEN = bindery(['admin', 'create-token', 'ada']).trim();
  bindery(['library', 'push', library, 'ada/workshop', '--visibility', 'public', '--thumbnails', '--embed']);
}

function bindery(words: string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINDERY, ...words], {
    env,
    input,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`bindery ${words.join(' ')}: ${stderr}`);
  return stdout;
}

async function draw(): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env.BINDERY_TEST_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
  try {
    const page = await browser.newPage({ viewport: SIZE });
    await page.goto(`${URL_OF_SERVICE}/app/ada/workshop`);
    await page.getByText('12 assets').first().waitFor();
    await save(page, 'library');
    await page.goto(`${URL_OF_SERVICE}/app/?q=something+to+pick+up+small+parts`);
    await page.getByText(/^\d+ results?$/).waitFor();
    await save(page, 'search');
    await page.goto(`${URL_OF_SERVICE}/app/ada/workshop/two-link-arm`);
    await bend(page, 'shoulder', -12);
    await bend(page, 'elbow', 20);
    await save(page, 'asset');
  } finally {
    await browser.close();
  }
}

/** Moves a joint by the given number of slider steps. */
async function bend(page: Page, joint: string, steps: number): Promise<void> {
  const slider = page.frameLocator('iframe').getByRole('slider', { name: joint });
  await slider.focus();
  for (let step = 0; step < Math.abs(steps); step++)
    await slider.press(steps < 0 ? 'ArrowLeft' : 'ArrowRight');
}

async function save(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  const picture = await page.screenshot({ animations: 'disabled' });
  await sharp(picture)
    .webp({ quality: 80 })
    .toFile(join(PICTURES, `dashboard-${name}.webp`));
}
