import { writeSampleLibrary } from './sample-library/write.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Say where to: npm run sample -- <folder>\n');
  process.exitCode = 2;
} else {
  const { assets, files } = await writeSampleLibrary(folder);
  process.stdout.write(`Wrote ${assets} assets, ${files} files, to ${folder}.\n`);
}
