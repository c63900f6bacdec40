import { resolve } from 'node:path';
import { writeSmallModel } from '../test/small-model.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: npm run small-model -- <folder of models>\n');
  process.exit(2);
}
const { id } = await writeSmallModel(resolve(folder));
process.stdout.write(`${id}\n`);
