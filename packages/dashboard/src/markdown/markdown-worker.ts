import { parseMarkdown } from './parse.ts';

addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(parseMarkdown(data)));
