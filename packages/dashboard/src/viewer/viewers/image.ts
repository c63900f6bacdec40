import { extensionOf, imageSize } from '@bindery/formats';
import { TooLarge, Unrenderable } from '@bindery/render/models';
import { element } from '../../element.ts';
import { countDrawnElements } from '../drawn-elements.ts';
import { messages } from '../messages.ts';
import { toggleButton } from '../panel/buttons.ts';
import type { Viewer } from '../viewer.ts';
import { webPicture } from '../web-picture.ts';

/** Elements of an SVG. Browsers draw them on the thread of the page. */
const MAX_ELEMENTS = 200_000;

/** Images, shown in an `<img>`, so that scripts in an SVG do not run and its references are not fetched. */
export const viewer: Viewer = {
  async open({ entry, files, limits, page }) {
    const bytes = (await files.read(entry)) as Uint8Array<ArrayBuffer>;
    const announced = imageSize(bytes);
    if (announced !== undefined && announced.width * announced.height > limits.imagePixels)
      throw new TooLarge(`too large: ${announced.width} × ${announced.height} pixels`);
    const isSvg = extensionOf(entry) === 'svg';
    if (isSvg && bytes.length > limits.characters)
      throw new TooLarge(`too large: an SVG of ${bytes.length.toLocaleString('en')} bytes`);
    if (isSvg && countDrawnElements(new TextDecoder().decode(bytes)) > MAX_ELEMENTS)
      throw new Unrenderable(messages.tooManyElements(MAX_ELEMENTS.toLocaleString('en')));
    const type = isSvg ? 'image/svg+xml' : '';
    const shown = (await webPicture(bytes, limits.imagePixels)) ?? new Blob([bytes], { type });
    const address = URL.createObjectURL(shown);
    const image = element('img', { src: address, alt: '' });
    try {
      await image.decode();
    } catch {
      URL.revokeObjectURL(address);
      throw new Unrenderable(messages.imageUnreadable);
    }
    const frame = element('div', { class: 'picture', tabindex: 0 }, image);
    const actual = toggleButton(messages.actualSize, false, (isOn) => {
      frame.toggleAttribute('data-actual', isOn);
    });
    page.append(frame, element('div', { class: 'toolbar' }, actual));
    return {
      statistics: { pixels: [image.naturalWidth, image.naturalHeight] },
      omitted: [],
      close: () => URL.revokeObjectURL(address),
    };
  },
};
